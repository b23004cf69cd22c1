//! Messages about views.

use serde::{Deserialize, Serialize};

use super::by_name::TextsByName;
use crate::columns::Cell;
use crate::order_by::OrderBy;
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
    /// Custom columns after those of the resource's own table, by name, each a JSONPath. Not with `columns`.
    pub extra_columns: TextsByName,
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
