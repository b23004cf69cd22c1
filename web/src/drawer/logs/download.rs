//! Download of the lines as a text file.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag};

use super::model::Model;
use crate::download;

/// Offers all stored lines as a file of this name. Its first line states which lines are missing.
pub(super) fn save(model: &Model, name: &str) -> Result<(), JsValue> {
    let gaps = model.figures().gaps().map(|gaps| format!("… {gaps}\n"));
    // Part by part: the whole text need not be in memory at once.
    let parts: Array = gaps.into_iter().chain(model.store.export()).map(JsValue::from).collect();
    let options = BlobPropertyBag::new();
    options.set_type("text/plain;charset=utf-8");
    download::offer(&Blob::new_with_str_sequence_and_options(&parts, &options)?, name)
}
