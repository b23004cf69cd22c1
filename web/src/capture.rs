//! Capture: a listener on the window in the capture phase, before the listeners of the page's parts.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::Event;

/// Listener in the capture phase. Dropping it removes it.
pub(crate) struct Capture {
    name: &'static str,
    handle: Closure<dyn Fn(Event)>,
}

impl Capture {
    pub(crate) fn listen(name: &'static str, handle: impl Fn(&Event) + 'static) -> Self {
        let handle = Closure::<dyn Fn(Event)>::new(move |event: Event| handle(&event));
        // Fails for invalid arguments only.
        let _ = window().add_event_listener_with_callback_and_bool(name, handle.as_ref().unchecked_ref(), true);
        Self { name, handle }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let handle = self.handle.as_ref().unchecked_ref();
        let _ = window().remove_event_listener_with_callback_and_bool(self.name, handle, true);
    }
}
