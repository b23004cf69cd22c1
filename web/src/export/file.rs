//! File: content that is collected part by part outside of the wasm's memory, then saved or copied.

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag};

use crate::download;

/// Maximum number of copied bytes: the clipboard needs memory for two copies.
const MAX_COPIED_BYTES: f64 = 16_000_000.0;

/// Content of a file, as far as it is collected.
pub(super) struct File(Array);

impl File {
    pub(super) fn new() -> Self {
        Self(Array::new())
    }

    /// Appends a text.
    pub(super) fn push(&self, text: &str) {
        let part = Array::of1(&text.into());
        // A browser that has no room for it throws.
        match Blob::new_with_str_sequence(&part) {
            Ok(part) => self.0.push(&part),
            Err(_) => self.0.push(&text.into()),
        };
    }

    fn whole(&self, kind: &str) -> Result<Blob, JsValue> {
        let options = BlobPropertyBag::new();
        options.set_type(kind);
        Blob::new_with_blob_sequence_and_options(&self.0, &options)
    }

    /// Offers the content as a file of this name.
    pub(super) fn save(&self, name: &str, kind: &str) -> Result<(), JsValue> {
        download::offer(&self.whole(kind)?, name)
    }

    /// The text of the file, for the clipboard; the error is the reason why there is none.
    pub(super) async fn text(&self) -> Result<String, String> {
        let failed = |_| "Cannot copy: the browser has no room for the text. Download it instead.".to_owned();
        let whole = self.whole("text/plain").map_err(failed)?;
        if whole.size() > MAX_COPIED_BYTES {
            return Err("Cannot copy: the text is larger than 16 MB. Download it instead.".to_owned());
        }
        let text = JsFuture::from(whole.text()).await.map_err(failed)?;
        Ok(text.as_string().unwrap_or_default())
    }
}
