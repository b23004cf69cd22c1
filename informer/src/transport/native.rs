//! Native HTTP transport, for tests and benchmarks.

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt};

use super::{Request, Response, Transport};
use crate::error::{ErrorCode, InformerError, Result};

/// Sends requests with reqwest. Requires a tokio runtime, and a `LocalSet` for the informer's tasks.
#[derive(Clone, Debug)]
pub struct NativeTransport {
    base: String,
    client: reqwest::Client,
}

impl NativeTransport {
    /// Creates a transport for an apiserver or a proxy, over plain HTTP.
    pub fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').to_owned(), client: reqwest::Client::new() }
    }
}

impl Transport for NativeTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let url = format!("{}{}", self.base, request.path);
        let mut builder = match request.body {
            Some(body) => self.client.post(url).body(body),
            None => self.client.get(url),
        };
        for (name, value) in &request.user_headers.0 {
            builder = builder.header(name, value);
        }
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        async move {
            let network =
                |error: reqwest::Error| InformerError::new(ErrorCode::Network, format!("no response: {error}"));
            let response = builder.send().await.map_err(network)?;
            let header =
                |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
            Ok(Response {
                status: response.status().as_u16(),
                content_type: header("content-type"),
                content_encoding: header("content-encoding"),
                retry_after: header("retry-after").and_then(|seconds| seconds.parse().ok()),
                body: response
                    .bytes_stream()
                    .map(move |chunk| chunk.map(|bytes| bytes.to_vec()).map_err(network))
                    .boxed_local(),
            })
        }
        .boxed_local()
    }

    fn accepts_protobuf(&self) -> bool {
        true
    }
}
