//! State of the table's view, shared by all parts of the page that show some of it.

use std::ops::Range;

use informer_engine::Facet;
use informer_engine::columns::ColumnHeader;
use leptos::prelude::*;

use crate::rows::Totals;
use crate::view::ViewSlot;

/// Filter that the engine rejected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// Filter, as far as it is complete.
    pub(crate) filter: String,
    /// Invalid part, in UTF-16 units; 0 to 0 if the error is not in the filter.
    pub(crate) place: Range<usize>,
    /// Error, and what to do.
    pub(crate) message: String,
}

/// Counted values of columns, with the filter of the counted rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counted {
    /// The filter that the rows pass.
    pub(crate) filter: String,
    /// Counts by column.
    pub(crate) facets: Vec<Facet>,
}

/// State of the view. Copies share their state.
#[derive(Clone, Copy)]
pub(crate) struct ViewState {
    /// View, while there is one.
    pub(crate) view: ViewSlot,
    /// Headers: those of the kind, then those of the columns that the user has defined.
    pub(crate) columns: RwSignal<Vec<ColumnHeader>>,
    /// How many of the last headers the user has defined.
    pub(crate) own: RwSignal<usize>,
    /// Row counts, once known.
    pub(crate) totals: RwSignal<Option<Totals>>,
    /// Counted values.
    pub(crate) counted: RwSignal<Counted>,
    /// Reason why the filter in the box is not applied.
    pub(crate) refused: RwSignal<Option<Refusal>>,
    /// Filter in the box, and the position of a value in it that suggestions may complete, in bytes.
    pub(crate) half: RwSignal<Option<(String, usize)>>,
    /// Applied filter.
    pub(crate) filter: RwSignal<String>,
    /// Whether the order of the rows is frozen because the pointer is on them.
    pub(crate) held: RwSignal<bool>,
}

impl ViewState {
    /// Starts empty.
    pub(crate) fn new() -> Self {
        Self {
            view: StoredValue::new_local(None),
            columns: RwSignal::new(Vec::new()),
            own: RwSignal::new(0),
            totals: RwSignal::new(None),
            counted: RwSignal::new(Counted::default()),
            refused: RwSignal::new(None),
            half: RwSignal::new(None),
            filter: RwSignal::new(String::new()),
            held: RwSignal::new(false),
        }
    }
}
