//! Headers: moving columns and changing their widths, by pointer and keyboard.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, PointerEvent};

use super::editor::{Column, Editor};
use crate::capture::Capture;
use crate::focus;
use crate::keys::is_modified;
use crate::layout::WIDTHS;

/// Change of a width by one key press, in pixels.
const KEY_STEP: i32 = 20;

/// Movement in pixels from which on a press is a drag, not a click.
const DRAG_THRESHOLD: i32 = 6;

/// Element that the pointer drags.
enum Drag {
    /// The edge of a column: where it was pressed, and the width then.
    Edge(Column, i32, i32),
    /// A header, which has moved far enough or not yet.
    Header(Column, i32, bool),
}

/// Listens to events on the headers until the owner is cleaned up.
pub(super) fn listen(editor: Editor) {
    let drag = Rc::new(RefCell::new(None::<Drag>));
    let suppresses_click = Rc::new(Cell::new(false));
    let pointer = |name, on: Rc<dyn Fn(&PointerEvent)>| {
        Capture::listen(name, move |event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                on(event);
            }
        })
    };
    let down = {
        let (drag, suppresses_click) = (Rc::clone(&drag), Rc::clone(&suppresses_click));
        pointer(
            "pointerdown",
            Rc::new(move |event| {
                suppresses_click.set(false);
                drag.replace(start_drag(event));
            }),
        )
    };
    let moved = {
        let drag = Rc::clone(&drag);
        pointer(
            "pointermove",
            Rc::new(move |event| {
                if let Some(drag) = drag.borrow_mut().as_mut() {
                    drag_to(editor, drag, event);
                }
            }),
        )
    };
    let up = {
        let (drag, suppresses_click) = (Rc::clone(&drag), Rc::clone(&suppresses_click));
        pointer(
            "pointerup",
            Rc::new(move |event| {
                if let Some(drag) = drag.take() {
                    suppresses_click.set(finish_drag(editor, drag, event));
                }
            }),
        )
    };
    let cancelled = {
        let drag = Rc::clone(&drag);
        pointer(
            "pointercancel",
            Rc::new(move |_| {
                if drag.take().is_some() {
                    editor.tools.layouts.preview(None);
                    mark(None, false);
                }
            }),
        )
    };
    let click = Capture::listen("click", move |event| {
        // The press that moved a header does not sort by it.
        if suppresses_click.take() {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    let double = Capture::listen("dblclick", move |event| {
        if let Some((_, column)) = header_at(event.target(), ".edge") {
            editor.set_width(&column, None);
        }
    });
    let key = Capture::listen("keydown", move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && !is_modified(event)
            && let Some((header, column)) = header_at(event.target(), "button")
            && on_key(editor, &header, &column, &event.key())
        {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    StoredValue::new_local((down, moved, up, cancelled, click, double, key));
}

/// The header of an event on a part of it, and its column.
fn header_at(target: Option<web_sys::EventTarget>, part: &str) -> Option<(HtmlElement, Column)> {
    let part = target?.dyn_into::<Element>().ok()?.closest(part).ok()??;
    let header = part.closest(".head [data-header]").ok()??.dyn_into::<HtmlElement>().ok()?;
    let column = column_of(&header)?;
    Some((header, column))
}

fn column_of(header: &Element) -> Option<Column> {
    Some(Column { name: header.get_attribute("data-header")?, is_custom: header.has_attribute("data-own") })
}

fn start_drag(event: &PointerEvent) -> Option<Drag> {
    if event.button() != 0 {
        return None;
    }
    if let Some((header, column)) = header_at(event.target(), ".edge") {
        event.prevent_default();
        return Some(Drag::Edge(column, event.client_x(), header.offset_width()));
    }
    // A finger scrolls.
    let (_, column) = header_at(event.target(), "button").filter(|_| event.pointer_type() != "touch")?;
    Some(Drag::Header(column, event.client_x(), false))
}

fn drag_to(editor: Editor, drag: &mut Drag, event: &PointerEvent) {
    match drag {
        Drag::Edge(column, from, width) => {
            editor.preview_width(column, clamped_width(*width + event.client_x() - *from));
        }
        Drag::Header(column, from, has_moved) => {
            *has_moved |= (event.client_x() - *from).abs() > DRAG_THRESHOLD;
            if *has_moved {
                let target = header_below(event).filter(|(_, target)| target != column);
                mark(target.as_ref().map(|(header, _)| header), event.client_x() > *from);
            }
        }
    }
}

/// Ends a drag. Returns whether the click that follows belongs to it.
fn finish_drag(editor: Editor, drag: Drag, event: &PointerEvent) -> bool {
    mark(None, false);
    match drag {
        Drag::Edge(column, from, width) if from != event.client_x() => {
            editor.set_width(&column, Some(clamped_width(width + event.client_x() - from)));
            true
        }
        Drag::Header(column, _, true) => {
            if let Some((_, target)) = header_below(event) {
                editor.move_to(&column, &target);
            }
            true
        }
        Drag::Edge(..) => true,
        Drag::Header(..) => false,
    }
}

/// The header at the pointer's horizontal position.
fn header_below(event: &PointerEvent) -> Option<(HtmlElement, Column)> {
    let x = f64::from(event.client_x());
    let is_below = |header: &HtmlElement| {
        let rectangle = header.get_bounding_client_rect();
        rectangle.left() <= x && x < rectangle.right() + 16.0
    };
    let header = headers().into_iter().find(is_below)?;
    let column = column_of(&header)?;
    Some((header, column))
}

/// Marks where a dragged header would go.
fn mark(target: Option<&HtmlElement>, after: bool) {
    for header in headers() {
        let is_target = Some(&header) == target;
        let classes = header.class_list();
        // A class with a constant name is valid.
        let _ = classes.toggle_with_force("drop-after", is_target && after);
        let _ = classes.toggle_with_force("drop-before", is_target && !after);
    }
}

fn headers() -> Vec<HtmlElement> {
    let found = document().query_selector_all(".head [data-header]").ok();
    let header = |at| found.as_ref()?.item(at)?.dyn_into().ok();
    (0..found.as_ref().map_or(0, web_sys::NodeList::length)).filter_map(header).collect()
}

/// A width within the limits.
fn clamped_width(width: i32) -> u16 {
    u16::try_from(width.max(0)).unwrap_or(u16::MAX).clamp(*WIDTHS.start(), *WIDTHS.end())
}

/// Handles a key on a header. Returns whether it is one.
fn on_key(editor: Editor, header: &HtmlElement, column: &Column, key: &str) -> bool {
    match key {
        "<" | ">" => {
            editor.move_by(column, key == ">");
            // The headers are rendered again in another order.
            let column = column.clone();
            request_animation_frame(move || refocus(&column));
        }
        "-" | "+" | "=" => {
            let by = if key == "-" { -KEY_STEP } else { KEY_STEP };
            editor.set_width(column, Some(clamped_width(header.offset_width() + by)));
        }
        "0" => editor.set_width(column, None),
        _ => return false,
    }
    true
}

fn refocus(column: &Column) {
    let header = headers().into_iter().find(|header| column_of(header).as_ref() == Some(column));
    let button = header.and_then(|header| header.query_selector("button").ok().flatten());
    focus::back_to(button.and_then(|button| button.dyn_into().ok()).as_ref());
}
