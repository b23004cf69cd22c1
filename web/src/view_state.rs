//! State of the table's view, shared by all parts of the page that show some of it.

use std::ops::Range;

use informer_engine::columns::ColumnHeader;
use informer_engine::message::Facet;
use leptos::prelude::*;

use crate::rows::Totals;
use crate::view::ViewSlot;

/// A filter that the engine did not take.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The filter, as far as it is finished.
    pub(crate) filter: String,
    /// What is wrong with it, in UTF-16 units; empty at 0 where it is something else that is wrong.
    pub(crate) place: Range<usize>,
    /// What is wrong, and what to do.
    pub(crate) message: String,
}

/// The values of columns, and of which rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counted {
    /// The filter that the rows pass.
    pub(crate) filter: String,
    /// What the engine said.
    pub(crate) facets: Vec<Facet>,
}

/// The state of the view. Copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct ViewState {
    /// The view itself, while there is one.
    pub(crate) view: ViewSlot,
    /// Its headers.
    pub(crate) columns: RwSignal<Vec<ColumnHeader>>,
    /// How many rows there are, once known.
    pub(crate) totals: RwSignal<Option<Totals>>,
    /// What its columns hold.
    pub(crate) counted: RwSignal<Counted>,
    /// Why the filter in the box is not the one in force.
    pub(crate) refused: RwSignal<Option<Refusal>>,
    /// The filter in the box, and where in it a value stands that suggestions may complete, in bytes.
    pub(crate) half: RwSignal<Option<(String, usize)>>,
    /// The filter in force.
    pub(crate) filter: RwSignal<String>,
    /// Whether the rows stay where they are because somebody points at them.
    pub(crate) held: RwSignal<bool>,
}

impl ViewState {
    /// Nothing is known yet.
    pub(crate) fn new() -> Self {
        Self {
            view: StoredValue::new_local(None),
            columns: RwSignal::new(Vec::new()),
            totals: RwSignal::new(None),
            counted: RwSignal::new(Counted::default()),
            refused: RwSignal::new(None),
            half: RwSignal::new(None),
            filter: RwSignal::new(String::new()),
            held: RwSignal::new(false),
        }
    }
}
