//! Entry: a field as it was found on the wire.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Field, Kind, Shape};
use crate::wire::Value;

/// A field on the wire.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Index of the field in its message.
    pub(super) index: u8,
    pub(super) is_varint: bool,
    /// A varint, or the start of the bytes.
    pub(super) number: u64,
    /// End of the bytes.
    end: u32,
}

impl Entry {
    /// Returns the entry of a field, whose value ends at `at`.
    ///
    /// # Errors
    /// If the value has another wire type.
    #[inline]
    pub(super) fn of_field(index: u8, field: &Field, value: Value, at: usize) -> Result<Self> {
        let is_number = field.kind.is_number() && field.shape != Shape::Map;
        match value {
            Value::Varint(number) if is_number => Ok(Self::varint(index, number)),
            // A list of numbers may be packed.
            Value::Bytes(range) if !is_number || field.shape == Shape::List => Ok(Self::bytes(index, &range)),
            _ => Err(Error::new(ErrorKind::Mismatch, at)),
        }
    }

    /// Returns the entry of the value of a map.
    pub(super) fn of_map(kind: Kind, value: Value, at: usize) -> Result<Self> {
        match value {
            Value::Varint(number) if kind.is_number() => Ok(Self::varint(0, number)),
            Value::Bytes(range) if !kind.is_number() => Ok(Self::bytes(0, &range)),
            _ => Err(Error::new(ErrorKind::Mismatch, at)),
        }
    }

    pub(super) fn varint(index: u8, number: u64) -> Self {
        Self { index, is_varint: true, number, end: 0 }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the writer rejects messages of more than 32 bits")]
    fn bytes(index: u8, range: &Range<usize>) -> Self {
        Self { index, is_varint: false, number: range.start as u64, end: range.end as u32 }
    }

    /// The range of the bytes.
    #[expect(clippy::cast_possible_truncation, reason = "from a range")]
    pub(super) fn range(&self) -> Range<usize> {
        self.number as usize..self.end as usize
    }
}

/// Sorts entries by their field, stably, without the code of a generic sort.
pub(super) fn sort(entries: &mut [Entry]) {
    if entries.len() > MAX_INSERTED {
        return sort_many(entries);
    }
    // Most are in order, or in a few runs.
    for index in 1..entries.len() {
        let mut at = index;
        while at > 0 && entries[at - 1].index > entries[at].index {
            entries.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Number of entries from which on an insertion sort may take too long.
const MAX_INSERTED: usize = if cfg!(test) { 4 } else { 40 };

/// Counts the entries of each field first.
fn sort_many(entries: &mut [Entry]) {
    let mut next = [0_usize; 257];
    for entry in &*entries {
        next[usize::from(entry.index) + 1] += 1;
    }
    for index in 1..next.len() {
        next[index] += next[index - 1];
    }
    let unsorted = entries.to_vec();
    for entry in unsorted {
        let place = &mut next[usize::from(entry.index)];
        entries[*place] = entry;
        *place += 1;
    }
}
