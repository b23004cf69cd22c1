//! Focus: which element the keyboard is on, and where it goes when a part of the page closes.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, HtmlInputElement};

use crate::capture::Capture;

/// The element with the focus, or none while the focus is on the page as a whole.
pub(crate) fn current() -> Option<HtmlElement> {
    let element = document().active_element()?.dyn_into::<HtmlElement>().ok()?;
    (element.tag_name() != "BODY").then_some(element)
}

/// Whether the element with the focus matches a CSS selector, or is inside an element that does.
pub(crate) fn is_in(selector: &str) -> bool {
    current().is_some_and(|element| matches(&element, selector))
}

/// Whether an event happened on an element that matches a CSS selector, or inside one.
pub(crate) fn is_target_in(target: Option<EventTarget>, selector: &str) -> bool {
    target.and_then(|target| target.dyn_into::<Element>().ok()).is_some_and(|element| matches(&element, selector))
}

fn matches(element: &Element, selector: &str) -> bool {
    element.closest(selector).is_ok_and(|found| found.is_some())
}

/// Whether the element with the focus takes typed text.
pub(crate) fn is_typing() -> bool {
    is_in("input, textarea, select, [contenteditable]")
}

/// Whether the key Delete would remove nothing from the box that a key is typed into.
pub(crate) fn is_caret_at_end(event: &ev::KeyboardEvent) -> bool {
    let field = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    field.is_some_and(|field| {
        let end = u32::try_from(field.value().encode_utf16().count()).ok();
        field.selection_start().ok().flatten() == end
    })
}

/// Whether a dialog is open. The focus may be outside: on the page as a whole, while the pressed button is disabled.
pub(crate) fn is_below_dialog() -> bool {
    matches!(document().query_selector("dialog[open]"), Ok(Some(_)))
}

/// Moves the focus to the first element that matches a CSS selector. Returns whether the element took it.
pub(crate) fn to(selector: &str) -> bool {
    let found = document().query_selector(selector).ok().flatten();
    found.and_then(|element| element.dyn_into().ok()).is_some_and(|element| focus_element(&element))
}

/// Element of the drawer that takes the focus: the open tab, or the lines if there are no tabs.
pub(crate) const IN_DRAWER: &str = ".drawer [role=tab][aria-selected=true], .drawer:not(:has([role=tab])) .log-lines";

/// Moves the focus to the table or the screen in its place, or to the drawer if that is on the full page.
pub(crate) fn table() {
    let _ = to(".grid") || to(".overview") || to(IN_DRAWER);
}

/// Returns the focus to the element that had it before a part of the page opened. If that element no longer exists, the
/// table gets the focus.
pub(crate) fn back_to(opener: Option<&HtmlElement>) {
    if !opener.is_some_and(focus_element) {
        table();
    }
}

/// Focuses an element. Returns whether it took the focus: a hidden or removed one does not.
fn focus_element(element: &HtmlElement) -> bool {
    element.is_connected() && element.focus().is_ok() && current().as_ref() == Some(element)
}

/// Keeps the focus in a box while its list is pressed, also on the edge or the scroll bar: the list closes when the box
/// loses the focus.
pub(crate) fn keep_in_box(press: &ev::MouseEvent) {
    press.prevent_default();
}

/// Returns the focus to the element that had it, if a change of the page has moved that element. If the element was
/// removed, disabled or hidden, the table gets the focus.
pub(crate) fn restore_lost_focus() {
    // Microtasks run between two listeners if the event is the browser's: a press on the background, Tab, the keyboard
    // of a phone. While a script moves an element, they wait for its end.
    let by_user = StoredValue::new(false);
    let begin = StoredValue::new_local(Capture::listen("focusout", move |_| {
        by_user.set_value(false);
        queue_microtask(move || by_user.set_value(true));
    }));
    let left = window_event_listener(ev::focusout, move |event| {
        if event.related_target().is_some() {
            return;
        }
        let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
        let by_user = by_user.get_value();
        // The event precedes the removal of the element, and a closing layer returns the focus itself.
        request_animation_frame(move || {
            if current().is_none() && !(by_user && can_have_focus(&element)) {
                back_to(Some(&element));
            }
        });
    });
    on_cleanup(move || {
        begin.dispose();
        left.remove();
    });
}

fn can_have_focus(element: &HtmlElement) -> bool {
    let is_hidden = element.offset_width() == 0 && element.offset_height() == 0;
    element.is_connected() && !is_hidden && !element.matches(":disabled").unwrap_or(false)
}
