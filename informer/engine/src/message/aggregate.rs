//! Messages about aggregates.

use serde::{Deserialize, Serialize};

use super::by_name::TextsByName;

/// Options of an aggregate: which objects, by which columns, and what of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AggregateOptions {
    /// Columns to group by, at most two. If empty, only the total is sent.
    pub by: Vec<String>,
    /// Values of each group, in order; by default the number of objects.
    pub of: Vec<AggregateValue>,
    /// Filter, as in [`super::ViewOptions::filter`]. Empty matches all objects.
    pub filter: String,
    /// Namespaces. Empty means all.
    pub namespaces: Vec<String>,
    /// Label selector.
    pub label_selector: Option<String>,
    /// Custom columns, by name, each a JSONPath; by default the resource's own table.
    pub columns: TextsByName,
    /// Further columns after those, by name, each a JSONPath.
    pub extra_columns: TextsByName,
    /// Maximum number of groups that are sent: those with the largest first value. 0 is 1,000; at most 10,000.
    pub limit: usize,
}

/// Value of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AggregateValue {
    /// How it is computed.
    pub op: AggregateOp,
    /// Name of the column's header; case is ignored. Empty for a count.
    pub column: String,
}

/// Operation of an aggregate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AggregateOp {
    /// Number of objects.
    #[default]
    Count,
    /// Sum of a column; 0 without values.
    Sum,
    /// Smallest value of a column; null without values.
    Min,
    /// Largest value of a column; null without values.
    Max,
}
