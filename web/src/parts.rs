//! Page parts: JavaScript modules under `parts/` (`web/parts`), each imported when it is first used.

use std::cell::RefCell;
use std::collections::BTreeMap;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlElement;

#[wasm_bindgen]
extern "C" {
    /// In `www/boot.js`: imports a file of the folder.
    #[wasm_bindgen(catch, js_name = kubeInformerPart)]
    fn import(file: &str) -> Result<Promise, JsValue>;
}

thread_local! {
    /// Number of failed imports by part. Some browsers keep the failure of an address: the next attempt has another.
    static FAILURES: RefCell<BTreeMap<String, u32>> = const { RefCell::new(BTreeMap::new()) };
}

/// Imports a part and calls its `function(text)`, which gives a text.
pub(crate) async fn call(name: &str, function: &str, text: &str) -> Result<String, JsValue> {
    let function = import_function(name, function).await?;
    Ok(function.call1(&JsValue::UNDEFINED, &text.into())?.as_string().unwrap_or_default())
}

async fn import_function(name: &str, function: &str) -> Result<Function, JsValue> {
    let failures = FAILURES.with_borrow(|failures| failures.get(name).copied());
    let query = failures.map(|count| format!("?{count}")).unwrap_or_default();
    let module = JsFuture::from(import(&format!("{name}.js{query}"))?).await;
    if module.is_err() {
        FAILURES.with_borrow_mut(|failures| *failures.entry(name.to_owned()).or_default() += 1);
    }
    Ok(Reflect::get(&module?, &function.into())?.unchecked_into())
}

/// Mount of a part: the part once it has loaded, or the error. The part is removed with the component that created the
/// mount.
/// Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct PartMount {
    part: StoredValue<Option<Part>, LocalStorage>,
    is_loaded: RwSignal<bool>,
    error: RwSignal<Option<String>>,
}

impl PartMount {
    pub(crate) fn new() -> Self {
        let part = StoredValue::new_local(None::<Part>);
        on_cleanup(move || drop(part.try_update_value(Option::take)));
        Self { part, is_loaded: RwSignal::new(false), error: RwSignal::new(None) }
    }

    /// Loads a part and mounts it as [`Part::mount`] does. `what` is its name for the user: "The editor".
    pub(crate) fn load(
        self,
        what: &'static str,
        (name, function): (&'static str, &'static str),
        parent: &HtmlElement,
        options: Vec<(&'static str, JsValue)>,
    ) {
        let parent = parent.clone();
        spawn_local(async move {
            match Part::mount(name, function, &parent, &options).await {
                // If the mount was closed meanwhile, the part is dropped.
                Ok(part) => {
                    self.part.try_set_value(Some(part));
                    self.is_loaded.try_set(true);
                }
                Err(error) => {
                    self.error.try_set(Some(format!("{what} could not be loaded: {error:?}")));
                }
            }
        });
    }

    /// Whether the part has loaded. Tracked. An effect that passes the state of an object to the part must read this,
    /// so that it runs again once the part has loaded.
    pub(crate) fn is_loaded(self) -> bool {
        self.is_loaded.get()
    }

    /// The error, if the part could not be loaded. Tracked.
    pub(crate) fn error(self) -> Option<String> {
        self.error.get()
    }

    /// Calls a method of the part with a text, if it is there and has the method.
    pub(crate) fn call_method(self, method: &str, text: &str) {
        self.part.try_with_value(|part| part.iter().for_each(|part| part.call_method(method, text)));
    }
}

/// Part in the page, until it is dropped.
pub(crate) struct Part(JsValue);

impl Part {
    /// Imports a part and calls its `function(parent, options)`, which returns an object with `destroy()`.
    pub(crate) async fn mount(
        name: &str,
        function: &str,
        parent: &HtmlElement,
        options: &[(&str, JsValue)],
    ) -> Result<Self, JsValue> {
        let function = import_function(name, function).await?;
        let object = Object::new();
        for (key, value) in options {
            Reflect::set(&object, &(*key).into(), value)?;
        }
        Ok(Self(function.call2(&JsValue::UNDEFINED, parent, &object)?))
    }

    /// Calls a method of the part with a text, if it has the method.
    fn call_method(&self, method: &str, text: &str) {
        if let Ok(method) = Reflect::get(&self.0, &method.into()).and_then(JsCast::dyn_into::<Function>) {
            // The part reports its own errors in its own element.
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
