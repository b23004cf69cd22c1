//! Binding: selectors, indexes and reads of an informer's cache.

use js_sys::{Object, Promise};
use wasm_bindgen::prelude::*;

use super::{InformerOptions, SharedInformer};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(method, setter, js_name = labelSelector)]
    pub(crate) fn set_label_selector(this: &InformerOptions, selector: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_indexers(this: &InformerOptions, indexers: &Object);

    #[wasm_bindgen(method, getter)]
    pub(crate) fn indexer(this: &SharedInformer) -> Indexer;

    /// `Indexer`
    pub(crate) type Indexer;
    /// An array of keys.
    #[wasm_bindgen(method, js_name = listKeys)]
    pub(crate) fn list_keys(this: &Indexer) -> Promise;
    /// An array of objects.
    #[wasm_bindgen(method)]
    pub(crate) fn list(this: &Indexer) -> Promise;
    #[wasm_bindgen(method, js_name = byIndex)]
    pub(crate) fn by_index(this: &Indexer, index: &str, value: &str) -> Promise;
}
