//! Log reads: targets of the package's `logs()`, and the iterator of its batches.

use js_sys::{AsyncIterator, IteratorNext};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::record::{Record, texts};
use super::{Factory, JoinedLines};

/// The log of an object: a pod, a workload or a service.
pub(crate) fn target(resource: &str, namespace: &str, name: &str) -> Record {
    texts([("resource", resource), ("namespace", namespace), ("name", name)])
}

/// Batches of lines, until the log is complete.
pub(crate) struct Batches(AsyncIterator);

impl Batches {
    /// Begins to read a target, or an array of targets. Reading ends when the option `signal` aborts it.
    ///
    /// # Errors
    /// If a target or an option is invalid.
    pub(crate) fn of(factory: &Factory, target: &JsValue, options: Record) -> Result<Self, JsValue> {
        // As columns of text: they cross into wasm much faster than thousands of objects.
        factory.client().logs(target, &options.with("joined", true)).map(Self)
    }

    /// Waits for the next batch; `None` at the end.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub(crate) async fn next(&self) -> Result<Option<JoinedLines>, JsValue> {
        let step: IteratorNext = JsFuture::from(self.0.next()?).await?.unchecked_into();
        Ok((!step.done()).then(|| step.value().unchecked_into()))
    }
}
