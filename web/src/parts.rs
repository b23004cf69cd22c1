//! Page parts: JavaScript modules under `parts/` (`web/parts`), each imported when it is first used.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlElement;

#[wasm_bindgen]
extern "C" {
    /// In `www/boot.js`: imports a part by its name.
    #[wasm_bindgen(catch, js_name = kubeInformerPart)]
    fn import(name: &str) -> Result<Promise, JsValue>;
}

/// A part in the page, until it is dropped.
pub(crate) struct Part(JsValue);

impl Part {
    /// Imports a part and calls its `function(parent, options)`, which returns an object with `destroy()`.
    pub(crate) async fn mount(
        name: &str,
        function: &str,
        parent: &HtmlElement,
        options: &[(&str, JsValue)],
    ) -> Result<Self, JsValue> {
        let module = JsFuture::from(import(name)?).await?;
        let given = Object::new();
        for (key, value) in options {
            Reflect::set(&given, &(*key).into(), value)?;
        }
        let function: Function = Reflect::get(&module, &function.into())?.unchecked_into();
        Ok(Self(function.call2(&module, parent, &given)?))
    }

    /// Calls a method of the part with a text, if it has the method.
    pub(crate) fn tell(&self, method: &str, text: &str) {
        if let Ok(method) = Reflect::get(&self.0, &method.into()).and_then(JsCast::dyn_into::<Function>) {
            // The part reports its own errors in its own place.
            let _ = method.call1(&self.0, &text.into());
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Ok(destroy) = Reflect::get(&self.0, &"destroy".into()).and_then(JsCast::dyn_into::<Function>) {
            let _ = destroy.call0(&self.0);
        }
    }
}
