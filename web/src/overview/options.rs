//! Options of the aggregates of a kind.

use js_sys::Array;

use super::counts::Count;
use crate::client::record::{Record, texts};
use crate::plain;

/// Options of an aggregate, over one namespace of its informer or all.
pub(super) fn options(count: &Count, namespace: Option<&str>) -> Record {
    let of = Array::new();
    of.push(&Record::new().with("op", "count"));
    for column in count.sums {
        of.push(&Record::new().with("op", "sum").with("column", *column));
    }
    let columns = count.columns.iter().map(|(name, path)| (*name, *path));
    Record::new()
        .with("by", plain::strings(count.by.iter().copied()))
        .with("of", of)
        .with("filter", count.filter)
        .with("limit", count.limit)
        .with("namespaces", plain::strings(namespace))
        .with("columns", (!count.columns.is_empty()).then(|| texts(columns)))
}
