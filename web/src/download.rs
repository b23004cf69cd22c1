//! Download: content of the page, offered as a file.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Offers content as a file of this name.
pub(crate) fn offer(content: &Blob, name: &str) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(content)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser takes it up after the click.
    set_timeout(move || drop(Url::revoke_object_url(&url)), std::time::Duration::from_secs(60));
    Ok(())
}
