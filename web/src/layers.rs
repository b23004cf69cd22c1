//! Layers: panels and lists above the page. Escape, or a click outside, closes the one that opened last.
//!
//! A click that closes a layer does not open the table row below it. A click on another control works at once. A double
//! click on an option of a list chooses once: the second press hits the element below the list, and is ignored.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlElement, MouseEvent};

use crate::capture::Capture;
use crate::focus;

/// Open layer.
struct Layer {
    open: RwSignal<bool>,
    /// CSS selector of the layer and of the control that opens it.
    area: &'static str,
    /// The element that had the focus when the layer opened.
    opener: Option<HtmlElement>,
}

thread_local! {
    static LAYERS: RefCell<Vec<Layer>> = const { RefCell::new(Vec::new()) };
    /// Whether the click after the current press is ignored.
    static SUPPRESSES_CLICK: Cell<bool> = const { Cell::new(false) };
    /// Whether the first press of the current click, double click or triple click was on an option of a list.
    static ON_OPTION: Cell<bool> = const { Cell::new(false) };
}

/// Registers the panel of `open` as a layer. When it closes, the focus returns to the element that had it before.
pub(crate) fn register(open: RwSignal<bool>, area: &'static str) {
    Effect::new(move || {
        let layer = remove(open);
        if open.get() {
            let opener = layer.map_or_else(focus::current, |layer| layer.opener);
            LAYERS.with_borrow_mut(|layers| layers.push(Layer { open, area, opener }));
        } else if let Some(layer) = layer
            && (focus::current().is_none() || focus::is_in(area))
        {
            focus::back_to(layer.opener.as_ref());
        }
    });
    on_cleanup(move || drop(remove(open)));
}

fn remove(open: RwSignal<bool>) -> Option<Layer> {
    LAYERS.with_borrow_mut(|layers| {
        let at = layers.iter().position(|layer| layer.open == open)?;
        Some(layers.remove(at))
    })
}

/// Whether a layer is open.
pub(crate) fn is_any_open() -> bool {
    LAYERS.with_borrow(|layers| !layers.is_empty())
}

/// Closes the layer that opened last. Returns whether there was one.
pub(crate) fn close_last() -> bool {
    let last = LAYERS.with_borrow(|layers| layers.last().map(|layer| layer.open));
    last.is_some_and(|open| open.try_set(false).is_none())
}

/// Closes layers on a press outside. Listens before the parts of the page do.
pub(crate) fn close_on_press_outside() {
    let press = Capture::listen("mousedown", |event| {
        if is_repeated_choice(event) {
            SUPPRESSES_CLICK.set(true);
            return suppress_click(event);
        }
        let on_row = focus::is_target_in(event.target(), ".canvas");
        let closes = close_outside(event) | (on_row && close_list());
        SUPPRESSES_CLICK.set(closes && on_row);
        if closes && on_row {
            suppress_click(event);
        }
    });
    let click = Capture::listen("click", |event| {
        if SUPPRESSES_CLICK.take() {
            suppress_click(event);
        }
    });
    // Both live as long as the page.
    std::mem::forget((press, click));
}

/// Whether a press is a further one of a double click that began on an option.
fn is_repeated_choice(event: &Event) -> bool {
    let is_further = event.dyn_ref::<MouseEvent>().is_some_and(|press| press.detail() > 1);
    if !is_further {
        ON_OPTION.set(focus::is_target_in(event.target(), "[role=option]"));
    }
    is_further && ON_OPTION.get()
}

fn close_outside(event: &Event) -> bool {
    let outside = LAYERS.with_borrow(|layers| {
        layers.last().filter(|layer| !focus::is_target_in(event.target(), layer.area)).map(|layer| layer.open)
    });
    outside.is_some_and(|open| open.try_set(false).is_none())
}

/// Closes the list below a text box by taking the focus from the box.
fn close_list() -> bool {
    let is_open = focus::is_in("[role=combobox][aria-expanded=true]");
    if is_open {
        focus::table();
    }
    is_open
}

fn suppress_click(event: &Event) {
    event.prevent_default();
    event.stop_propagation();
}
