//! What a page and the engine say of a view.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::columns::Cell;
use informer::ErrorReport;

/// Which rows a view has, in which order, and how many of them are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ViewOptions {
    /// Keeps the rows that it matches; all, if it is empty.
    pub filter: String,
    /// The order: by the first, where that is equal by the second, and so on; in the end by namespace and name.
    pub order_by: Vec<OrderBy>,
    /// Names of columns whose values are counted: [`super::FromEngine::Facets`].
    pub facets: Vec<String>,
    /// Columns of the view's own, by name, each a JSONPath; the resource's own table where nothing is said.
    pub columns: BTreeMap<String, String>,
    /// Whether rows are the objects themselves, instead of cells.
    pub objects: bool,
    /// Keeps the objects whose labels it selects, before the filter and not counted in `of`.
    pub label_selector: Option<String>,
    /// Keeps the objects of these namespaces, before the filter and not counted in `of`; of all, if it is empty.
    pub namespaces: Vec<String>,
    /// First row wanted.
    pub start: usize,
    /// One past the last row wanted.
    pub end: usize,
}

/// Values of a column, counted once over the rows that another filter than the view's lets pass: what a term of a filter
/// may be completed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValuesOptions {
    /// As in [`ViewOptions::filter`].
    pub filter: String,
    /// The name of its header, in any case.
    pub column: String,
    /// Only values that contain this, in any letters.
    pub containing: String,
}

/// A column that rows are ordered by, and the direction. A row without a value comes last in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OrderBy {
    /// The name of its header, in any case.
    pub column: String,
    /// Whether the order is reversed. Ages ascend from the youngest.
    pub descending: bool,
}

impl OrderBy {
    /// By a column, ascending.
    pub fn ascending(column: impl Into<String>) -> Self {
        Self { column: column.into(), descending: false }
    }
}

/// One row of a view's window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its place in the whole view, from 0.
    pub index: usize,
    /// `namespace/name` or `name`.
    pub key: String,
    /// Tells a recreated object from its predecessor.
    pub uid: String,
    /// One for each column header; none where [`ViewOptions::objects`] are asked for.
    pub cells: Vec<Cell>,
    /// The object as JSON text, where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::raw::option")]
    pub object: Option<String>,
    /// Whether the object is gone from the view, and only its place is held: [`super::ToEngine::HoldView`].
    #[serde(default)]
    pub gone: bool,
}

/// Why a wish of a view is not granted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WishRefusal {
    /// What is wrong, and what to do about it. Most often the filter cannot be read.
    pub error: ErrorReport,
    /// Where in the filter that was wished for, in UTF-16 units, as JavaScript counts. Both are 0 where it is not the
    /// filter that is wrong.
    pub start: usize,
    /// One past the last unit.
    pub end: usize,
}

/// What a column holds, over the rows that pass the filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The name of its header.
    pub column: String,
    /// Its values, the most frequent first, equally frequent ones by their text; a hundred at the most.
    pub values: Vec<FacetValue>,
    /// How many more values there are.
    pub more: usize,
}

/// A value, and how many rows have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    /// As it is shown; empty for rows without a value.
    pub value: String,
    /// So many rows have it.
    pub count: usize,
}
