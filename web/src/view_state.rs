//! State of the table's view, shared by all parts of the page that show some of it.

use std::ops::Range;

use informer_engine::Facet;
use informer_engine::columns::ColumnHeader;
use leptos::prelude::*;

use crate::rows::Totals;
use crate::view::ViewSlot;

/// Filter that the engine rejected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rejection {
    /// Filter, as far as it is complete.
    pub(crate) filter: String,
    /// Invalid part, in UTF-16 units; 0 to 0 if the error is not in the filter.
    pub(crate) range: Range<usize>,
    /// Error message with advice.
    pub(crate) message: String,
}

/// Counted values of columns, with the filter of the counted rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ValueCounts {
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
    pub(crate) custom_count: RwSignal<usize>,
    /// Row counts, once known.
    pub(crate) totals: RwSignal<Option<Totals>>,
    /// Counted values.
    pub(crate) value_counts: RwSignal<ValueCounts>,
    /// Reason why the filter in the box is not applied.
    pub(crate) rejection: RwSignal<Option<Rejection>>,
    /// Filter in the box, and the position of a value in it that suggestions may complete, in bytes.
    pub(crate) incomplete_value: RwSignal<Option<(String, usize)>>,
    /// Applied filter.
    pub(crate) filter: RwSignal<String>,
    /// Whether the order of the rows is frozen because the pointer is on them.
    pub(crate) order_frozen: RwSignal<bool>,
}

impl ViewState {
    /// Starts empty.
    pub(crate) fn new() -> Self {
        Self {
            view: StoredValue::new_local(None),
            columns: RwSignal::new(Vec::new()),
            custom_count: RwSignal::new(0),
            totals: RwSignal::new(None),
            value_counts: RwSignal::new(ValueCounts::default()),
            rejection: RwSignal::new(None),
            incomplete_value: RwSignal::new(None),
            filter: RwSignal::new(String::new()),
            order_frozen: RwSignal::new(false),
        }
    }
}
