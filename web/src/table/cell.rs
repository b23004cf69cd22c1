//! Table cell: text, never markup, because it comes from the cluster.
//!
//! Cells are the hot path of the page: some six hundred are visible, and one turn of the wheel changes all of them.
//! They are therefore painted directly, each only if its own text changes, and not by signals of their own.

use informer_engine::columns::Cell;
use leptos::prelude::document;
use wasm_bindgen::JsValue;

use super::columns::ShownColumn;
use crate::age::{age, moment};
use crate::text::decimal;
use crate::tone::{Tone, tone_of};
use crate::visible::visible;

/// Element of a cell, and the values last written to it.
pub(super) struct CellElement {
    element: web_sys::Element,
    node: web_sys::Text,
    column: ShownColumn,
    text: String,
    tone: Option<Tone>,
}

impl CellElement {
    /// Creates an empty cell.
    pub(super) fn new(at: usize, column: &ShownColumn) -> Result<Self, JsValue> {
        let element = document().create_element("div")?;
        element.set_attribute("role", "gridcell")?;
        element.set_class_name(if column.header.numeric { "cell numeric" } else { "cell" });
        element.set_attribute("data-column", &column.header.name)?;
        element.set_attribute("data-fold", column.fold.name())?;
        element.set_attribute("aria-colindex", &(at + 1).to_string())?;
        if let Some(usage) = column.usage {
            element.set_attribute("data-usage", usage.name())?;
        }
        if let Some(pin) = column.pin {
            element.set_attribute("data-pin", &pin.to_string())?;
        }
        let node = document().create_text_node("");
        element.append_child(&node)?;
        Ok(Self { element, node, column: column.clone(), text: String::new(), tone: None })
    }

    /// Returns its element.
    pub(super) fn element(&self) -> &web_sys::Element {
        &self.element
    }

    /// Shows the cell of a row; empty while the row is loading.
    pub(super) fn paint(&mut self, cells: Option<&[Cell]>, now: f64) {
        let text = cells
            .and_then(|cells| cells.get(self.column.cell))
            .map_or_else(String::new, |c| text_of(&self.column.header.name, c, now));
        if text == self.text {
            return;
        }
        let tone = tone_of(&self.column.header.name, &text);
        if tone != self.tone {
            // Setting an attribute whose name is a constant cannot fail.
            let _ = match tone {
                Some(tone) => self.element.set_attribute("data-tone", tone.name()),
                None => self.element.remove_attribute("data-tone"),
            };
            self.tone = tone;
        }
        self.node.set_data(&text);
        self.text = text;
    }

    /// Sets the tooltip: the full text, or the time behind an age. Computed when the pointer enters.
    pub(super) fn explain(&self, cells: &[Cell]) {
        // The code that paints usage sets its tooltip.
        if self.column.usage.is_some() {
            return;
        }
        let hint = match cells.get(self.column.cell) {
            Some(Cell::Text(text)) => visible(text).into_owned(),
            Some(Cell::Time(at) | Cell::Restarts(_, Some(at))) => js_sys::Date::new(&(*at).into()).to_string().into(),
            _ => String::new(),
        };
        let _ = self.element.set_attribute("title", &hint);
    }
}

/// Text as kubectl prints it, with hidden characters escaped.
fn text_of(column: &str, cell: &Cell, now: f64) -> String {
    match cell {
        Cell::Text(text) => visible(text).into_owned(),
        Cell::Number(number) | Cell::Restarts(number, None) => decimal(*number),
        Cell::Time(at) => moment(column, now, *at),
        Cell::Restarts(0.0, Some(_)) => "0".to_owned(),
        Cell::Duration(from, to) => age(to.unwrap_or(now), *from),
        Cell::Restarts(number, Some(at)) => format!("{} ({} ago)", decimal(*number), age(now, *at)),
        Cell::None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_as_kubectl_prints_them() {
        assert_eq!(text_of("Expires", &Cell::Time(600_000.0), 300_000.0), "in 5m");
        let cases = [
            (Cell::Text("web".to_owned()), "web"),
            (Cell::Text("a\u{202e}b\u{200b}".to_owned()), "a\\u202eb\\u200b"),
            (Cell::Number(3.0), "3"),
            (Cell::Time(0.0), "5m"),
            (Cell::Time(600_000.0), "<invalid>"),
            (Cell::Restarts(0.0, None), "0"),
            (Cell::Restarts(3.0, Some(0.0)), "3 (5m ago)"),
            (Cell::Duration(0.0, None), "5m"),
            (Cell::Duration(0.0, Some(90_000.0)), "90s"),
            (Cell::None, ""),
        ];
        for (cell, expected) in cases {
            assert_eq!(text_of("Age", &cell, 300_000.0), expected);
        }
    }
}
