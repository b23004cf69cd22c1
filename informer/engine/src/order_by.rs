//! Order of rows: a column and a direction.

use serde::{Deserialize, Serialize};

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
