//! Simulated cluster of the demo: the embedded apiserver in WebAssembly, behind requests and responses instead of a port.
//!
//! `web/demo/network.js` gives a worker a `fetch` whose requests end here.

mod response;

use apiserver::Cluster;
use apiserver::axum::body::Body;
use apiserver::axum::http::Request;
use wasm_bindgen::prelude::*;

pub use response::DemoResponse;

/// Simulated cluster. Its controllers and kubelets run on the event loop of the worker.
#[wasm_bindgen]
#[derive(Debug)]
pub struct DemoCluster {
    cluster: Cluster,
}

#[wasm_bindgen]
impl DemoCluster {
    /// Creates a cluster with a number of pods, and with `churn` changes per second. The same seed makes the same cluster.
    #[wasm_bindgen(constructor)]
    pub fn new(pods: u32, churn: u32, seed: u32) -> Self {
        let builder = Cluster::builder().pods(pods as usize).churn(churn).seed(seed.into()).metrics(true);
        Self { cluster: builder.build() }
    }

    /// Answers a request. `headers` are alternating names and values. Rejects if a part of the request is invalid.
    pub async fn respond(
        &self,
        method: &str,
        target: &str,
        headers: Vec<String>,
        body: Option<Vec<u8>>,
    ) -> Result<DemoResponse, JsError> {
        let mut request = Request::builder().method(method).uri(target);
        for pair in headers.chunks_exact(2) {
            request = request.header(&pair[0], &pair[1]);
        }
        let request = request.body(body.map_or_else(Body::empty, Body::from))?;
        Ok(DemoResponse::new(self.cluster.respond(request).await))
    }
}
