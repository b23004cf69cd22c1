//! Clipboard access, if the browser permits it, and the outcome of the last copy.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Message of a failed copy.
pub(crate) const FAILED: &str = "Cannot copy: the browser gives no access to the clipboard.";

/// Copy button: copies texts and shows the outcome. Clones share their state.
#[derive(Clone, Copy)]
pub(crate) struct Copying(RwSignal<Option<bool>>);

impl Copying {
    pub(crate) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Copies a text to the clipboard, and shows the outcome for a few seconds.
    pub(crate) fn copy(self, text: String) {
        let outcome = self.0;
        spawn_local(async move {
            let is_done = write(&text).await;
            outcome.try_set(Some(is_done));
            // A reason takes longer to read than a mark.
            let shown = Duration::from_secs(if is_done { 2 } else { 6 });
            let over = move || {
                outcome.try_set(None);
            };
            set_timeout(over, shown);
        });
    }

    /// Whether the last text was copied, while the outcome is shown.
    pub(crate) fn outcome(self) -> Option<bool> {
        self.0.get()
    }
}

/// Whether a text is on the clipboard. Outside of a secure context there is none, and accessing it is an error; in one
/// the browser may deny it.
pub(crate) async fn write(text: &str) -> bool {
    let navigator = window().navigator();
    if !window().is_secure_context() || !js_sys::Reflect::has(&navigator, &"clipboard".into()).unwrap_or(false) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}
