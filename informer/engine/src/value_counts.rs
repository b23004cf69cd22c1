//! Value counts: how many rows have each value of a column, and the query for them.

use serde::{Deserialize, Serialize};

/// Query for the values of a column, counted over the rows of another filter than the view's: the completions of a
/// term.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValuesOptions {
    /// Filter, in the language of [`crate::Query`].
    pub filter: String,
    /// Name of the column's header; case is ignored.
    pub column: String,
    /// Only values that contain this; case is ignored.
    pub containing: String,
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
