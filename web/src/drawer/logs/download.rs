//! Download of the lines as a text file.

use js_sys::Array;
use leptos::prelude::*;
use log_lines::Store;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Downloads all stored lines as a file of this name.
pub(super) fn save(store: &Store, name: &str) -> Result<(), JsValue> {
    // Part by part: the whole text need not be in memory at once.
    let parts: Array = store.export().map(JsValue::from).collect();
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
