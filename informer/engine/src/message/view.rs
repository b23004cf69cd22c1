//! Messages about views.

use serde::{Deserialize, Serialize};

use super::by_name::TextsByName;
use crate::columns::Cell;
use informer::ErrorReport;

/// Options of a view: its rows, their order, and the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ViewOptions {
    /// Filter; empty matches all rows.
    pub filter: String,
    /// Sort order, the most significant column first; ties by namespace and name.
    pub order_by: Vec<OrderBy>,
    /// Names of the columns whose values are counted: [`super::FromEngine::Facets`].
    pub facets: Vec<String>,
    /// Custom columns, by name, each a JSONPath; by default the resource's own table.
    pub columns: TextsByName,
    /// Whether rows are the objects, instead of cells.
    pub objects: bool,
    /// Label selector, applied before the filter; other objects are not counted in `of`.
    pub label_selector: Option<String>,
    /// Namespaces, applied before the filter; other objects are not counted in `of`. Empty means all.
    pub namespaces: Vec<String>,
    /// First row of the window.
    pub start: usize,
    /// One past its last row.
    pub end: usize,
}

/// Query for the values of a column, counted over the rows of another filter than the view's: the completions of a
/// term.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValuesOptions {
    /// As in [`ViewOptions::filter`].
    pub filter: String,
    /// Name of the column's header; case is ignored.
    pub column: String,
    /// Only values that contain this; case is ignored.
    pub containing: String,
}

/// Sort column and direction. Rows without a value come last in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OrderBy {
    /// Name of the column's header; case is ignored.
    pub column: String,
    /// Whether the order is reversed. Ages ascend from the youngest.
    pub descending: bool,
}

impl OrderBy {
    /// Ascending by a column.
    pub fn ascending(column: impl Into<String>) -> Self {
        Self { column: column.into(), descending: false }
    }
}

/// One row of a view's window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its position in the whole view, from 0.
    pub index: usize,
    /// `namespace/name` or `name`.
    pub key: String,
    /// Distinguishes a recreated object from its predecessor.
    pub uid: String,
    /// One cell per column; none if [`ViewOptions::objects`] is set.
    pub cells: Vec<Cell>,
    /// The object as JSON text, if requested.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::raw::option")]
    pub object: Option<String>,
    /// Whether the object has left the view, and only its place is frozen: [`super::ToEngine::Freeze`].
    #[serde(default)]
    pub gone: bool,
}

/// Rejection of a view query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryRejection {
    /// The error, with what to do. Usually a syntax error of the filter.
    pub error: ErrorReport,
    /// Position in the rejected filter, in UTF-16 units, as JavaScript counts. Both are 0 if the filter is not the
    /// problem.
    pub start: usize,
    /// One past the last unit.
    pub end: usize,
}

/// Value counts of a column, over the rows that match the filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// Name of its header.
    pub column: String,
    /// Its values, the most frequent first, then by text; at most a hundred.
    pub values: Vec<FacetValue>,
    /// Number of further values.
    pub more: usize,
}

/// A value, and its number of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    /// The displayed text; empty for rows without a value.
    pub value: String,
    /// Number of rows.
    pub count: usize,
}
