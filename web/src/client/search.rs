//! Binding: `SharedInformer.search()`.

use js_sys::{Array, JsString, Promise};
use wasm_bindgen::prelude::*;

use super::SharedInformer;

#[wasm_bindgen]
extern "C" {
    /// `SearchResult`
    #[wasm_bindgen(method)]
    pub(crate) fn search(this: &SharedInformer, text: &str, options: &SearchOptions) -> Promise;

    /// `SearchOptions`
    pub(crate) type SearchOptions;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_limit(this: &SearchOptions, limit: u32);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_columns(this: &SearchOptions, columns: &Array<JsString>);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_indexes(this: &SearchOptions, indexes: &Array<JsString>);

    /// `SearchResult`
    pub(crate) type SearchResult;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn total(this: &SearchResult) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn matches(this: &SearchResult) -> Array<SearchMatch>;

    /// `SearchMatch`
    pub(crate) type SearchMatch;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn key(this: &SearchMatch) -> String;
    #[wasm_bindgen(method, getter, js_name = in)]
    pub(crate) fn place(this: &SearchMatch) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn name(this: &SearchMatch) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn text(this: &SearchMatch) -> String;
}
