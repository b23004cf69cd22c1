//! Keys and clicks that mark rows, as in k9s and in file managers.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, MouseEvent};

use super::list::MarkList;
use crate::capture::Capture;
use crate::focus;
use crate::layers;
use crate::route::Screen;

/// Parts of the page in which these keys have another meaning, or none.
const OTHER_KEY_AREAS: &str = ".bar, .navigation, .drawer";

/// Width of the area at the start of a row whose click marks the row, in pixels. The style has the same padding there.
const MARK_WIDTH: f64 = 28.0;

/// Listens before the rows do, until the owner is cleaned up. `open` is the menu of the marks.
pub(super) fn listen(marks: MarkList, open: RwSignal<bool>) {
    let key = Capture::listen("keydown", move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && !event.default_prevented()
            && !focus::is_below_dialog()
            && !focus::is_typing()
            && !focus::is_in(OTHER_KEY_AREAS)
            && marks.navigator.screen.get_untracked() == Screen::Table
            && on_key(event, marks, open)
        {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    let press = Capture::listen("mousedown", |event| {
        // The browser would mark text up to the row.
        if event.dyn_ref::<MouseEvent>().is_some_and(|press| press.shift_key() && pressed_row(press).is_some()) {
            event.prevent_default();
            focus::table();
        }
    });
    let click = Capture::listen("click", move |event| {
        if let Some(click) = event.dyn_ref::<MouseEvent>()
            && !event.default_prevented()
            && on_click(click, marks)
        {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    // Dropped with the owner.
    StoredValue::new_local((key, press, click));
}

/// Handles a key. Returns whether it is a key of the marks.
fn on_key(event: &KeyboardEvent, marks: MarkList, open: RwSignal<bool>) -> bool {
    let model = marks.model;
    let (command, shift) = (event.ctrl_key() || event.meta_key(), event.shift_key());
    let has_marks = model.marked.with_untracked(|marked| !marked.is_empty());
    let in_grid = !focus::is_target_in(event.target(), "button, a");
    let current = || {
        let at = model.focused.get_untracked()?;
        Some((at, model.openable(at)?))
    };
    match event.key().as_str() {
        _ if event.alt_key() => return false,
        " " if in_grid => {
            let row = current();
            if row.is_none() {
                let first = model.in_sight().start;
                model.focus(Some(first));
            }
            match row.or_else(current) {
                Some((at, key)) if command || shift => marks.mark_to(at, &key),
                Some((at, key)) => marks.toggle(at, key),
                None => {}
            }
        }
        key @ ("ArrowDown" | "ArrowUp") if shift && !command && in_grid => {
            let Some((at, key_of_row)) = current() else { return false };
            let last = model.row_count.get_untracked().unwrap_or_default().saturating_sub(1);
            let next = if key == "ArrowDown" { (at + 1).min(last) } else { at.saturating_sub(1) };
            marks.add(vec![key_of_row]);
            model.order_freeze().renew();
            model.focus(Some(next));
            model.reveal(next);
            marks.add(model.openable(next).into_iter().collect());
        }
        "a" if command && !shift && in_grid => marks.mark_all(),
        "a" if !command && !shift && has_marks => open.set(true),
        "l" if !command && !shift && has_marks && !layers::is_any_open() && marks.has_logs() => marks.logs(),
        "Escape" if untrack(|| marks.is_shown()) && !layers::is_any_open() => marks.clear(),
        _ => return false,
    }
    true
}

/// Handles a click. Returns whether it marks a row.
fn on_click(click: &MouseEvent, marks: MarkList) -> bool {
    let Some(row) = pressed_row(click) else { return false };
    // A click that a program or a screen reader makes has no position.
    let on_mark_area =
        click.detail() > 0 && f64::from(click.client_x()) < row.get_bounding_client_rect().left() + MARK_WIDTH;
    let (command, shift) = (click.ctrl_key() || click.meta_key(), click.shift_key());
    if !command && !shift && !on_mark_area {
        return false;
    }
    let index = row.get_attribute("aria-rowindex").and_then(|index| index.parse::<usize>().ok()?.checked_sub(2));
    // The row may have been removed or replaced meanwhile.
    let Some((index, key)) = index.and_then(|index| Some((index, marks.model.openable(index)?))) else { return true };
    marks.model.focus(Some(index));
    if shift {
        marks.mark_to(index, &key);
    } else {
        marks.toggle(index, key);
    }
    true
}

/// The row below the pointer, if its object is loaded.
fn pressed_row(event: &MouseEvent) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(".canvas .row[data-key]").ok().flatten()
}
