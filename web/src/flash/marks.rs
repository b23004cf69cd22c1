//! Marks of changed rows in the document, which fade in steps.
//!
//! A step is an attribute of the row. An animation would render sixty frames a second while any row changes: at a
//! thousand changes a second, changes were on screen 7 ms later (median), and the main thread's tasks took twice the
//! time.

use std::collections::HashMap;

use leptos::prelude::document;
use web_sys::Element;

use super::changes::Change;
use crate::table::columns::ShownColumn;
use crate::table::pool::Slot;

/// Attribute of rows and cells.
const MARK: &str = "data-flash";

/// Attribute of a marked row: the number of steps since the mark, from 1.
const STEP: &str = "data-flash-step";

/// Number of steps after which a mark is removed.
const STEPS: u8 = 4;

/// Marked slots.
#[derive(Default)]
pub(super) struct Marks(HashMap<usize, Mark>);

struct Mark {
    /// Key of the row.
    key: String,
    /// Steps since the mark.
    step: u8,
}

impl Marks {
    /// Removes the marks of slots that show another row.
    pub(super) fn clear_others(&mut self, key_of: impl Fn(usize) -> Option<String>) {
        self.0.retain(|slot, mark| {
            let stays = key_of(*slot).as_ref() == Some(&mark.key);
            if !stays {
                clear(*slot);
            }
            stays
        });
    }

    /// Marks a row and its changed cells, in place of an earlier mark.
    pub(super) fn mark(&mut self, slot: usize, key: &str, change: &Change, columns: &[ShownColumn]) {
        let Some(row) = element_of(slot) else { return };
        if self.0.insert(slot, Mark { key: key.to_owned(), step: 0 }).is_some() {
            clear(slot);
        }
        // An attribute with a constant name cannot fail.
        let _ = row.set_attribute(MARK, if *change == Change::New { "new" } else { "row" });
        let cells = match change {
            Change::New => &[][..],
            Change::Cells(cells) => cells,
        };
        for (at, column) in columns.iter().enumerate().filter(|(_, column)| cells.contains(&column.cell)) {
            let cell = u32::try_from(at).ok().and_then(|at| row.children().item(at));
            if let Some(cell) =
                cell.filter(|cell| cell.get_attribute("data-column").as_ref() == Some(&column.header.name))
            {
                let _ = cell.set_attribute(MARK, "cell");
            }
        }
    }

    /// Fades all marks by a step, and removes those that have faded. Returns whether any is left.
    pub(super) fn fade(&mut self) -> bool {
        self.0.retain(|slot, mark| {
            mark.step += 1;
            if mark.step == STEPS {
                clear(*slot);
                return false;
            }
            if let Some(row) = element_of(*slot) {
                let _ = row.set_attribute(STEP, &mark.step.to_string());
            }
            true
        });
        !self.0.is_empty()
    }

    /// Whether no row is marked.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn element_of(slot: usize) -> Option<Element> {
    document().get_element_by_id(&Slot::id_of(slot))
}

fn clear(slot: usize) {
    let Some(row) = element_of(slot) else { return };
    // Removing an attribute cannot fail.
    let _ = row.remove_attribute(MARK);
    let _ = row.remove_attribute(STEP);
    let cells = row.children();
    for cell in (0..cells.length()).filter_map(|at| cells.item(at)) {
        let _ = cell.remove_attribute(MARK);
    }
}
