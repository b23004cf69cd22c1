//! Cells of usage in the document: a number, and a bar below it.
//!
//! A row slot has empty cells for these columns (`table/cell.rs`). Each is painted only if what it shows changes.

use std::collections::HashMap;

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::reading::Reading;
use crate::layout::Usage;

/// Column of usage, and its index among the columns of the table.
pub(super) type UsageColumn = (usize, Usage);

/// A painted cell.
struct PaintedCell {
    cell: Element,
    used: HtmlElement,
    number: Element,
    bar: HtmlElement,
    spoken: Element,
    shown: Option<Reading>,
}

/// The painted cells, by the number of their slot and their index in it.
#[derive(Default)]
pub(super) struct Cells(HashMap<(usize, usize), PaintedCell>);

impl Cells {
    /// Shows a reading in a cell of a slot, or nothing.
    pub(super) fn paint(&mut self, slot: usize, element: &Element, (at, usage): UsageColumn, reading: Option<Reading>) {
        let cell = u32::try_from(at).ok().and_then(|at| element.children().item(at));
        // The slot may still have the cells of other columns: it is painted again in the next frame.
        let is_of = |cell: &Element| cell.get_attribute("data-usage").as_deref() == Some(usage.name());
        let Some(cell) = cell.filter(is_of) else { return };
        let key = (slot, at);
        if self.0.get(&key).is_none_or(|painted| painted.cell != cell) {
            let Some(painted) = PaintedCell::new(cell) else { return };
            self.0.insert(key, painted);
        }
        if let Some(painted) = self.0.get_mut(&key) {
            painted.show(reading);
        }
    }
}

impl PaintedCell {
    fn new(cell: Element) -> Option<Self> {
        let make = |class: &str, parent: &Element| {
            let element = document().create_element("span").ok()?;
            element.set_class_name(class);
            parent.append_child(&element).ok()?;
            Some(element)
        };
        let used = make("used", &cell)?;
        let number = make("number", &used)?;
        let spoken = make("visually-hidden", &used)?;
        let gauge = make("gauge", &used)?;
        gauge.set_attribute("aria-hidden", "true").ok()?;
        let bar = make("", &gauge)?.dyn_into().ok()?;
        let used: HtmlElement = used.dyn_into().ok()?;
        used.set_hidden(true);
        Some(Self { cell, used, number, bar, spoken, shown: None })
    }

    fn show(&mut self, reading: Option<Reading>) {
        if self.shown == reading {
            return;
        }
        self.used.set_hidden(reading.is_none());
        if let Some(reading) = &reading {
            self.number.set_text_content(Some(&reading.text));
            self.spoken.set_text_content(Some(&[", ", &reading.title].concat()));
            // Attributes and properties with constant names cannot fail.
            let _ = self.used.set_attribute("title", &reading.title);
            for (name, is) in
                [("over", reading.is_over), ("old", reading.is_old), ("unbounded", reading.width.is_none())]
            {
                let _ = self.used.class_list().toggle_with_force(name, is);
            }
            let _ = self.bar.style().set_property("width", &format!("{}%", reading.width.unwrap_or_default()));
        }
        self.shown = reading;
    }
}
