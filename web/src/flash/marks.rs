//! Marks of changed rows in the document. An animation of the style fades them: there is no timer.
//!
//! A mark is an attribute with one of two values, whose animations have different names: the other value starts it again.

use std::collections::HashMap;

use leptos::prelude::document;
use web_sys::Element;

use super::changes::Change;
use crate::table::columns::ShownColumn;
use crate::table::pool::Slot;

/// Attribute of rows and cells.
const MARK: &str = "data-flash";

/// Marked slots: the key of their row, and whether the mark has the second value.
#[derive(Default)]
pub(super) struct Marks(HashMap<usize, (String, bool)>);

impl Marks {
    /// Removes the marks of slots that show another row: a hidden element that is shown again would fade once more.
    pub(super) fn clear_others(&mut self, key_of: impl Fn(usize) -> Option<String>) {
        self.0.retain(|slot, (key, _)| {
            let stays = key_of(*slot).as_ref() == Some(key);
            if !stays && let Some(row) = element_of(*slot) {
                clear(&row);
            }
            stays
        });
    }

    /// Marks a row and its changed cells.
    pub(super) fn mark(&mut self, slot: usize, key: &str, change: &Change, columns: &[ShownColumn]) {
        let Some(row) = element_of(slot) else { return };
        let is_second = self.0.get(&slot).is_some_and(|(known, is_second)| known == key && !is_second);
        let value = if is_second { "b" } else { "a" };
        // An attribute with a constant name cannot fail.
        let _ = row.set_attribute(MARK, &[if *change == Change::New { "new-" } else { "row-" }, value].concat());
        let cells = match change {
            Change::New => &[][..],
            Change::Cells(cells) => cells,
        };
        for (at, column) in columns.iter().enumerate().filter(|(_, column)| cells.contains(&column.cell)) {
            let cell = u32::try_from(at).ok().and_then(|at| row.children().item(at));
            if let Some(cell) =
                cell.filter(|cell| cell.get_attribute("data-column").as_ref() == Some(&column.header.name))
            {
                let _ = cell.set_attribute(MARK, &["cell-", value].concat());
            }
        }
        self.0.insert(slot, (key.to_owned(), is_second));
    }
}

fn element_of(slot: usize) -> Option<Element> {
    document().get_element_by_id(&Slot::id_of(slot))
}

fn clear(row: &Element) {
    // Removing an attribute cannot fail.
    let _ = row.remove_attribute(MARK);
    let cells = row.children();
    for cell in (0..cells.length()).filter_map(|at| cells.item(at)) {
        let _ = cell.remove_attribute(MARK);
    }
}
