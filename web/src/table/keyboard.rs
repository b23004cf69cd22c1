//! Row keys: moving through the rows by keys. The grid has the focus; the model stores the current row.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::early_mark::mark_early;
use super::model::Model;
use crate::focus;
use crate::keys::{is_modified, is_shortcut};
use crate::navigator::Navigator;
use crate::route::Screen;

/// Parts of the page with arrow keys of their own, in which letters do nothing.
const OTHER_KEY_AREAS: &str = ".bar, .navigation, .drawer";

/// Handles the row keys while the focus is outside of the grid: all of them while the page as a whole has the focus, as
/// after loading, and the letters while the focus is beside the grid.
pub(crate) fn listen(model: Model, navigator: Navigator) {
    let on_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if !is_shortcut(&event) || focus::is_in(OTHER_KEY_AREAS) || navigator.screen.get_untracked() != Screen::Table {
            return;
        }
        let is_letter = matches!(event.key().as_str(), "j" | "k" | "g" | "G");
        if is_letter || focus::current().is_none() {
            on_key(&event, model, navigator);
        }
    });
    on_cleanup(move || on_key.remove());
}

/// Handles a key that was pressed in the grid.
pub(crate) fn on_key(event: &KeyboardEvent, model: Model, navigator: Navigator) {
    // A header's button has its own keys.
    let on_button = focus::is_target_in(event.target(), "button");
    if is_modified(event) || (on_button && matches!(event.key().as_str(), "Enter" | " ")) {
        return;
    }
    let Some(last) = model.row_count.get_untracked().and_then(|row_count| row_count.checked_sub(1)) else { return };
    let focused = model.focused.get_untracked();
    let sight = model.in_sight();
    // After scrolling by mouse, keys continue from a visible row.
    let visible_focus = focused.filter(|at| sight.contains(at));
    let target = match (event.key().as_str(), visible_focus) {
        ("Home" | "g", _) => 0,
        ("End" | "G", _) => last,
        ("ArrowDown" | "j", Some(at)) => at + 1,
        ("ArrowUp" | "k", Some(at)) => at.saturating_sub(1),
        ("ArrowDown" | "j", None) => sight.start,
        ("ArrowUp" | "k", None) => sight.end.saturating_sub(1),
        ("PageDown", at) => at.unwrap_or(sight.start) + model.page(),
        ("PageUp", at) => at.unwrap_or(sight.start).saturating_sub(model.page()),
        ("Enter", _) => {
            if let Some(key) = focused.and_then(|at| model.openable(at)) {
                event.prevent_default();
                if navigator.object.with_untracked(|object| object.as_ref() == Some(&key)) {
                    focus::to(".drawer [role=tab][aria-selected=true]");
                } else {
                    navigator.go(|route| route.object = Some(key));
                }
            }
            return;
        }
        // The code of the marks handles this key first, once it has loaded.
        (" ", visible_focus) => {
            let at = visible_focus.unwrap_or(sight.start);
            if let Some(key) = model.openable(at) {
                mark_early(model, key);
            }
            at
        }
        _ => return,
    };
    event.prevent_default();
    if !focus::is_in(".grid") || on_button {
        focus::table();
    }
    model.order_freeze().renew();
    let target = target.min(last);
    model.focus(Some(target));
    model.reveal(target);
}
