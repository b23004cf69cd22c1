//! Roving tabindex: a group of controls is one tab stop, and the arrow keys move within the group.
//!
//! <https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/#kbd_roving_tabindex>

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit};

/// Group of controls: its element, and the CSS selector of the controls. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct Roving {
    group: NodeRef<Div>,
    items: &'static str,
    axis: Axis,
}

/// Axis of the arrow keys that move the focus.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// ← and →.
    Horizontal,
    /// ↑ and ↓.
    Vertical,
    /// All four.
    Both,
}

impl Roving {
    /// Creates a group whose element gets this node reference, and whose events go to [`Self::on_key`] and
    /// [`Self::on_focus`].
    pub(crate) fn new(group: NodeRef<Div>, items: &'static str, axis: Axis) -> Self {
        let roving = Self { group, items, axis };
        let changed = Closure::<dyn Fn(js_sys::Array)>::new(move |changes: js_sys::Array| {
            let name = JsValue::from_str("attributeName");
            let is_of_current = |change: JsValue| {
                js_sys::Reflect::get(&change, &name).is_ok_and(|name| name == JsValue::from_str("aria-current"))
            };
            roving.settle(changes.iter().any(is_of_current));
        });
        let observer = MutationObserver::new(changed.as_ref().unchecked_ref()).ok();
        let observation = StoredValue::new_local((observer, changed));
        Effect::new(move || {
            let Some(group) = group.get() else { return };
            roving.settle(true);
            let what = MutationObserverInit::new();
            what.set_child_list(true);
            what.set_subtree(true);
            let names = js_sys::Array::of2(&"aria-current".into(), &"hidden".into());
            what.set_attribute_filter(&names);
            observation.with_value(|(observer, _)| {
                if let Some(observer) = observer {
                    // Fails for invalid options only.
                    let _ = observer.observe_with_options(&group, &what);
                }
            });
        });
        on_cleanup(move || {
            observation.try_with_value(|(observer, _)| observer.as_ref().map(MutationObserver::disconnect));
        });
        roving
    }

    /// Moves the focus within the group.
    pub(crate) fn on_key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
            return;
        }
        let items = self.items();
        let Some(at) = items.iter().position(|item| Some(item) == crate::focus::current().as_ref()) else { return };
        let (across, down) = (self.axis != Axis::Vertical, self.axis != Axis::Horizontal);
        let next = match event.key().as_str() {
            "ArrowRight" if across => at + 1,
            "ArrowDown" if down => at + 1,
            "ArrowLeft" if across => at.saturating_sub(1),
            "ArrowUp" if down => at.saturating_sub(1),
            "Home" => 0,
            "End" => items.len() - 1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(item) = items.get(next) {
            // A control that cannot be focused is not worth an error.
            let _ = item.focus();
        }
    }

    /// Makes the control with the focus the tab stop.
    pub(crate) fn on_focus(self, event: &FocusEvent) {
        let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
        let items = self.items();
        if let Some(stop) = target.filter(|target| items.contains(target)) {
            set_stop(&items, &stop);
        }
    }

    /// Makes one of the controls the tab stop: the current one if it has changed (`to_current`), or else the stop so
    /// far, or the first. While the focus is in the group, the control with the focus stays the stop.
    fn settle(self, to_current: bool) {
        let items = self.items();
        let focused = crate::focus::current().filter(|focused| items.contains(focused));
        let is = |name: &str, value: &str, item: &Element| item.get_attribute(name).as_deref() == Some(value);
        let find = |name, value| items.iter().find(|item| is(name, value, item)).cloned();
        let (current, before) = (find("aria-current", "page"), find("tabindex", "0"));
        let stop = focused.or(if to_current { current.or(before) } else { before.or(current) });
        if let Some(stop) = stop.or_else(|| items.first().cloned()) {
            set_stop(&items, &stop);
        }
    }

    fn items(self) -> Vec<HtmlElement> {
        let found = self.group.get_untracked().and_then(|group| group.query_selector_all(self.items).ok());
        let item = |at| found.as_ref()?.item(at)?.dyn_into().ok();
        (0..found.as_ref().map_or(0, web_sys::NodeList::length)).filter_map(item).collect()
    }
}

fn set_stop(items: &[HtmlElement], stop: &HtmlElement) {
    for item in items {
        item.set_tab_index(if item == stop { 0 } else { -1 });
    }
}
