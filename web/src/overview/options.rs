//! Options of the aggregates of a kind.

use js_sys::Array;

use super::counts::Count;
use crate::client::record::{Record, texts};
use crate::namespaces::names;
use crate::plain;

/// Options of an aggregate, over some namespaces of its informer; all without a name.
pub(super) fn options(count: &Count, namespaces: &str) -> Record {
    let measures = Array::new();
    measures.push(&Record::new().with("op", "count"));
    for column in count.sums {
        measures.push(&Record::new().with("op", "sum").with("column", *column));
    }
    let columns = count.columns.iter().map(|(name, path)| (*name, *path));
    Record::new()
        .with("by", plain::strings(count.by.iter().copied()))
        .with("of", measures)
        .with("filter", count.filter)
        .with("limit", count.limit)
        .with("namespaces", plain::strings(names(namespaces)))
        .with("columns", (!count.columns.is_empty()).then(|| texts(columns)))
}
