//! Pool of the recycled row elements of the table.

use std::sync::Arc;

use leptos::prelude::*;

use crate::rows::Row;

/// Row element of the pool, and the row that it shows.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Slot {
    /// Its number in the pool.
    pub(crate) number: usize,
    /// Index in the view; `None`, and so hidden, in a short view.
    pub(crate) index: RwSignal<Option<usize>>,
    /// Row, once it is loaded; a skeleton until then.
    pub(crate) row: RwSignal<Option<Arc<Row>>>,
}

impl Slot {
    /// The id of its element.
    pub(crate) fn element_id(self) -> String {
        Self::id_of(self.number)
    }

    /// The id of the element of a slot.
    pub(crate) fn id_of(number: usize) -> String {
        format!("slot-{number}")
    }

    /// The number of the slot whose element has this id.
    pub(crate) fn number_of(id: &str) -> Option<usize> {
        id.strip_prefix("slot-")?.parse().ok()
    }
}
