//! Download of the lines as a text file.

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::model::Model;

/// Offers all lines that are held as a file of this name. What is missing is said in its first line.
pub(super) fn save(model: &Model, name: &str) -> Result<(), JsValue> {
    let gaps = model.figures().gaps().map(|gaps| format!("… {gaps}\n"));
    // Part by part: the whole text need not be in memory at once.
    let parts: Array = gaps.into_iter().chain(model.store.export()).map(JsValue::from).collect();
    let options = BlobPropertyBag::new();
    options.set_type("text/plain;charset=utf-8");
    let url = Url::create_object_url_with_blob(&Blob::new_with_str_sequence_and_options(&parts, &options)?)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser takes it up after the click.
    set_timeout(move || drop(Url::revoke_object_url(&url)), std::time::Duration::from_secs(60));
    Ok(())
}
