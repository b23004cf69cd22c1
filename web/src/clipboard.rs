//! Clipboard access, if the browser allows it.

use leptos::prelude::*;

/// Copies a text to the clipboard. Returns false without one: outside of a secure context, accessing it is an error.
pub(crate) fn write(text: &str) -> bool {
    let navigator = window().navigator();
    if !window().is_secure_context() || !js_sys::Reflect::has(&navigator, &"clipboard".into()).unwrap_or(false) {
        return false;
    }
    let _promise = navigator.clipboard().write_text(text);
    true
}
