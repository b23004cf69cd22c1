//! Response of the simulated cluster: status and headers, and its body chunk by chunk.

use std::cell::RefCell;

use apiserver::axum::body::BodyDataStream;
use apiserver::axum::response::Response;
use futures::StreamExt as _;
use futures::future::AbortHandle;
use futures::stream::{Abortable, abortable};
use wasm_bindgen::prelude::*;

/// Response of the simulated cluster. Dropping it closes a watch.
#[wasm_bindgen]
#[derive(Debug)]
pub struct DemoResponse {
    status: u16,
    headers: Vec<String>,
    /// Not there while a chunk is awaited.
    body: RefCell<Option<Abortable<BodyDataStream>>>,
    closed: AbortHandle,
}

#[wasm_bindgen]
impl DemoResponse {
    /// Status code.
    #[wasm_bindgen(getter)]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Alternating names and values.
    #[wasm_bindgen(getter)]
    pub fn headers(&self) -> Vec<String> {
        self.headers.clone()
    }

    /// Resolves to the next chunk of the body; undefined at its end. Rejects if the connection breaks.
    pub async fn next(&self) -> Result<Option<Vec<u8>>, JsError> {
        let Some(mut body) = self.body.take() else { return Ok(None) };
        match body.next().await {
            Some(Ok(chunk)) => {
                if !self.closed.is_aborted() {
                    self.body.replace(Some(body));
                }
                Ok(Some(chunk.into()))
            }
            Some(Err(error)) => Err(error.into()),
            None => Ok(None),
        }
    }

    /// Closes the body: the pending chunk and all later ones are undefined.
    pub fn close(&self) {
        self.closed.abort();
        drop(self.body.take());
    }
}

impl DemoResponse {
    pub(crate) fn new(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let pairs = parts.headers.iter();
        let headers =
            pairs.flat_map(|(name, value)| [name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()]);
        let headers = headers.collect();
        let (body, closed) = abortable(body.into_data_stream());
        Self { status: parts.status.as_u16(), headers, body: RefCell::new(Some(body)), closed }
    }
}
