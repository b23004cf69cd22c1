//! Web Locks: a lock is let go when its holder dies, however that happens, which is the only sign of it that both a page
//! and a worker can see. Where there are none (no secure context), who crashes is not missed.

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["navigator", "locks"], catch)]
    fn request(name: &str, granted: &Function) -> Result<Promise, JsValue>;
}

/// Whether there are locks.
pub(crate) fn are_there() -> bool {
    let navigator = leptos::prelude::window().navigator();
    js_sys::Reflect::get(&navigator, &"locks".into()).is_ok_and(|locks| locks.is_object())
}

/// Holds a new lock as long as the page lives. Calls back with its name, or with nothing where there are no locks.
pub(crate) fn hold(then: impl FnOnce(Option<String>) + Clone + 'static) {
    let name = format!("kube-informer-ui page {}{}", js_sys::Date::now(), js_sys::Math::random());
    let (held, called) = (name.clone(), then.clone());
    let granted = Closure::once_into_js(move |_lock: JsValue| {
        called(Some(held));
        Promise::new(&mut |_, _| {})
    });
    if request(&name, granted.unchecked_ref()).is_err() {
        then(None);
    }
}

/// Calls back when the holder of a lock is gone.
pub(crate) fn when_gone(name: &str, then: impl FnOnce() + 'static) {
    let granted = Closure::once_into_js(move |_lock: JsValue| then());
    // Whoever names a lock has them.
    let _ = request(name, granted.unchecked_ref());
}
