//! Focus: which element the keyboard is on, and where it goes when a part of the page closes.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, Node};

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
pub(crate) fn happened_in(target: Option<EventTarget>, selector: &str) -> bool {
    target.and_then(|target| target.dyn_into::<Element>().ok()).is_some_and(|element| matches(&element, selector))
}

fn matches(element: &Element, selector: &str) -> bool {
    element.closest(selector).is_ok_and(|found| found.is_some())
}

/// Whether letters go into the element with the focus.
pub(crate) fn is_typing() -> bool {
    is_in("input, textarea, select, [contenteditable]")
}

/// Whether a dialog is open. The focus may be outside: on the page as a whole, while the pressed button is disabled.
pub(crate) fn is_below_dialog() -> bool {
    matches!(document().query_selector("dialog[open]"), Ok(Some(_)))
}

/// Moves the focus to the first element that matches a CSS selector. Returns whether the element took it.
pub(crate) fn to(selector: &str) -> bool {
    let found = document().query_selector(selector).ok().flatten();
    found.and_then(|element| element.dyn_into().ok()).is_some_and(|element| give(&element))
}

/// Element of the drawer that takes the focus: the open tab, or the lines if there are no tabs.
pub(crate) const IN_DRAWER: &str = ".drawer [role=tab][aria-selected=true], .drawer:not(:has([role=tab])) .log-lines";

/// Moves the focus to the table, or to the drawer if that is on the full page.
pub(crate) fn table() {
    let _ = to(".grid") || to(IN_DRAWER);
}

/// Returns the focus to the element that had it before a part of the page opened. If that element no longer exists, the
/// table gets the focus.
pub(crate) fn back_to(opener: Option<&HtmlElement>) {
    if !opener.is_some_and(give) {
        table();
    }
}

/// An element that is hidden or removed does not take the focus.
fn give(element: &HtmlElement) -> bool {
    element.is_connected() && element.focus().is_ok() && current().as_ref() == Some(element)
}

/// Returns the focus to the element that had it, if a change of the page has moved that element. If the element was removed,
/// disabled or hidden, the table gets the focus.
pub(crate) fn keep() {
    let left = window_event_listener(ev::focusout, |event| {
        if event.related_target().is_some() {
            return;
        }
        let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return };
        let place = place_of(&element);
        // The event precedes the removal of the element, and a closing layer returns the focus itself. An element that stays
        // where it is was left by the user: by a press on the background, by Tab, by the keyboard of a phone.
        request_animation_frame(move || {
            if current().is_none() && (place_of(&element) != place || !can_have_focus(&element)) {
                back_to(Some(&element));
            }
        });
    });
    on_cleanup(move || left.remove());
}

/// The nodes before and after an element.
fn place_of(element: &HtmlElement) -> [Option<Node>; 2] {
    [element.previous_sibling(), element.next_sibling()]
}

fn can_have_focus(element: &HtmlElement) -> bool {
    let is_hidden = element.offset_width() == 0 && element.offset_height() == 0;
    element.is_connected() && !is_hidden && !element.matches(":disabled").unwrap_or(false)
}
