//! Cell: a value that an object carries beside its body, so that reading it inflates nothing.
//!
//! Which cells an object has is decided above this crate: see [`ReadCells`].

use std::fmt::Debug;

use informer_packing::Outline;
use serde::{Deserialize, Serialize};

/// One value in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cell {
    /// Text, as it is; hostile text included, so it must stay text on the page.
    Text(String),
    /// A count.
    Number(f64),
    /// A moment, milliseconds since the Unix epoch; shown as an age that is computed when it is painted.
    Time(f64),
    /// A sum, and the moment of its last increase: kubectl's `3 (5m ago)`.
    Restarts(f64, Option<f64>),
    /// How long something took: from a moment to another, milliseconds since the Unix epoch, or to now while it has not
    /// ended.
    Duration(f64, Option<f64>),
    /// The object does not say: what kubectl writes as `<none>`, `<unset>`, `<unknown>` or nothing.
    None,
}

/// Reads the cells of objects while they are packed.
pub trait ReadCells: Debug {
    /// One for each column.
    fn cells(&self, object: &Outline<'_>) -> Vec<Cell>;
}
