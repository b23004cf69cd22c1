//! Distinct values of one column, with counts.

use informer_packing::{Slots, hash};

use crate::value::Value;
use informer::rows::row_id;

/// Id of the missing value.
pub(super) const MISSING: u32 = 0;

/// Reference-counted values by id. An id is reused after its last release.
pub(super) struct Values {
    entries: Entries,
    ids: Slots,
    free: Vec<u32>,
}

struct Entry {
    value: Value,
    references: u32,
}

/// Entries in chunks. Growing one large vector would copy it and leave a hole in memory that nothing else fits.
struct Entries(Vec<Vec<Entry>>);

/// Entries per chunk.
const CHUNK: usize = 256;

impl Entries {
    fn at(&self, number: u32) -> &Entry {
        &self.0[number as usize / CHUNK][number as usize % CHUNK]
    }

    fn at_mut(&mut self, number: u32) -> &mut Entry {
        &mut self.0[number as usize / CHUNK][number as usize % CHUNK]
    }

    fn push(&mut self, entry: Entry) {
        // The first chunk grows by doubling, because most columns have few values.
        if self.0.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.0.push(Vec::with_capacity(CHUNK));
        }
        if let Some(piece) = self.0.last_mut() {
            piece.push(entry);
        }
    }

    fn len(&self) -> usize {
        let last = self.0.last().map_or(0, Vec::len);
        self.0.len().saturating_sub(1) * CHUNK + last
    }

    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().flatten()
    }
}

impl Values {
    pub(super) fn new() -> Self {
        Self {
            entries: Entries(vec![vec![Entry { value: Value::missing(), references: 1 }]]),
            ids: Slots::default(),
            free: Vec::new(),
        }
    }

    /// Adds a reference to a value. Returns its id.
    pub(super) fn acquire(&mut self, value: Value) -> u32 {
        if value == *self.get(MISSING) {
            return MISSING;
        }
        let entries = &mut self.entries;
        let found = self.ids.find(hash_of(&value), &mut |number| entries.at(number).value == value);
        if let Some(number) = found {
            entries.at_mut(number).references += 1;
            return number;
        }
        let entry = Entry { value, references: 1 };
        let number = if let Some(number) = self.free.pop() {
            *entries.at_mut(number) = entry;
            number
        } else {
            entries.push(entry);
            row_id(entries.len() - 1)
        };
        self.ids.insert(number, &mut |number| hash_of(&entries.at(number).value));
        number
    }

    /// Drops a reference.
    pub(super) fn release(&mut self, number: u32) {
        if number == MISSING {
            return;
        }
        let entries = &mut self.entries;
        let entry = entries.at_mut(number);
        entry.references -= 1;
        if entry.references == 0 {
            self.ids.remove(number, &mut |number| hash_of(&entries.at(number).value));
            entries.at_mut(number).value = Value::missing();
            self.free.push(number);
        }
    }

    pub(super) fn get(&self, number: u32) -> &Value {
        &self.entries.at(number).value
    }

    /// One more than the largest id.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tests the value of each id. Unused ids have an arbitrary result.
    pub(super) fn mark(&self, is: impl Fn(&Value) -> bool) -> Vec<u8> {
        self.entries.iter().map(|entry| u8::from(is(&entry.value))).collect()
    }

    /// Returns the ids in use, except for the missing value.
    pub(super) fn used_ids(&self) -> impl Iterator<Item = u32> {
        let used = self.entries.iter().zip(0..).skip(1).filter(|(entry, _)| entry.references > 0);
        used.map(|(_, number)| number)
    }
}

fn hash_of(value: &Value) -> u32 {
    hash(value.text.as_bytes()) ^ hash(&value.number.to_bits().to_le_bytes())
}
