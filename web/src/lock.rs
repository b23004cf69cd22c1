//! Web Locks: a lock is let go when its holder dies, however that happens, which is the only sign of it that both a page
//! and a worker can see. Where there are none (no secure context), who crashes is not missed. The page's own is taken in
//! `www/boot.js`.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["navigator", "locks"], catch)]
    fn request(name: &str, granted: &Function) -> Result<Promise, JsValue>;
}

/// Calls back when the holder of a lock is gone.
pub(crate) fn when_gone(name: &str, then: impl FnOnce() + 'static) {
    let granted = Closure::once_into_js(move |_lock: JsValue| then());
    // Whoever names a lock has them.
    let _ = request(name, granted.unchecked_ref());
}
