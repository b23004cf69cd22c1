//! Moving through the rows by keys. The grid keeps the focus of the page; which row is meant is the model's.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::model::Model;
use crate::navigator::Navigator;

/// Answers a key that was pressed in the grid.
pub(crate) fn on_key(event: &KeyboardEvent, model: Model, navigator: Navigator) {
    // A header's button has keys of its own.
    let on_button = event.target().is_some_and(|target| target.dyn_ref::<web_sys::HtmlButtonElement>().is_some());
    if event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
        || (on_button && matches!(event.key().as_str(), "Enter" | " "))
    {
        return;
    }
    let Some(last) = model.places.get_untracked().and_then(|places| places.checked_sub(1)) else { return };
    let from = model.focused.get_untracked();
    let target = match (event.key().as_str(), from) {
        ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp", None) | ("Home", _) => 0,
        ("ArrowDown", Some(at)) => at + 1,
        ("ArrowUp", Some(at)) => at.saturating_sub(1),
        ("PageDown", Some(at)) => at + model.page(),
        ("PageUp", Some(at)) => at.saturating_sub(model.page()),
        ("End", _) => last,
        ("Enter", Some(at)) => {
            if let Some(key) = model.openable(at) {
                event.prevent_default();
                navigator.go(|route| route.object = Some(key));
            }
            return;
        }
        _ => return,
    };
    event.prevent_default();
    model.hold().moved();
    let target = target.min(last);
    model.focus(Some(target));
    model.reveal(target);
}
