//! Cell: a value that is stored beside an object's body, so that reading it decompresses nothing.
//!
//! The crate above decides which cells an object has: see [`ReadCells`].

use std::fmt::Debug;

use informer_packing::Outline;
use serde::{Deserialize, Serialize};

/// Cell of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cell {
    /// Text, unchanged; possibly hostile, so the page must treat it as text.
    Text(String),
    /// A count.
    Number(f64),
    /// Time in milliseconds since the Unix epoch; shown as an age, computed when it is painted.
    Time(f64),
    /// A sum, and the time of its last increase: kubectl's `3 (5m ago)`.
    Restarts(f64, Option<f64>),
    /// Duration: its start in milliseconds since the Unix epoch, and its end; without an end it lasts until now.
    Duration(f64, Option<f64>),
    /// No value: kubectl prints `<none>`, `<unset>`, `<unknown>` or nothing.
    None,
}

/// Reader of the cells of objects, called while they are packed.
pub trait ReadCells: Debug {
    /// Returns one cell for each column.
    fn cells(&self, object: &Outline<'_>) -> Vec<Cell>;
}
