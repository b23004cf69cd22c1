//! Distinct values of one column, with counts.

use informer_packing::{Slots, hash};

use crate::value::Value;
use informer::rows::number;

/// The number of the value that is missing.
pub(super) const MISSING: u32 = 0;

/// Values by number, counted: a number is reused when nothing refers to it.
pub(super) struct Values {
    entries: Entries,
    numbers: Slots,
    free: Vec<u32>,
}

struct Entry {
    value: Value,
    holders: u32,
}

/// Entries in pieces: what grows as one is in memory twice when it does, and where it was before nothing fits.
struct Entries(Vec<Vec<Entry>>);

/// Entries in a piece.
const PIECE: usize = 256;

impl Entries {
    fn at(&self, number: u32) -> &Entry {
        &self.0[number as usize / PIECE][number as usize % PIECE]
    }

    fn at_mut(&mut self, number: u32) -> &mut Entry {
        &mut self.0[number as usize / PIECE][number as usize % PIECE]
    }

    fn push(&mut self, entry: Entry) {
        // The first grows as others do: most columns have few values.
        if self.0.last().is_none_or(|piece| piece.len() == PIECE) {
            self.0.push(Vec::with_capacity(PIECE));
        }
        if let Some(piece) = self.0.last_mut() {
            piece.push(entry);
        }
    }

    fn len(&self) -> usize {
        let last = self.0.last().map_or(0, Vec::len);
        self.0.len().saturating_sub(1) * PIECE + last
    }

    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().flatten()
    }
}

impl Values {
    pub(super) fn new() -> Self {
        Self {
            entries: Entries(vec![vec![Entry { value: Value::missing(), holders: 1 }]]),
            numbers: Slots::default(),
            free: Vec::new(),
        }
    }

    /// The number of a value, held once more.
    pub(super) fn hold(&mut self, value: Value) -> u32 {
        if value == *self.get(MISSING) {
            return MISSING;
        }
        let entries = &mut self.entries;
        let found = self.numbers.find(hash_of(&value), &mut |number| entries.at(number).value == value);
        if let Some(number) = found {
            entries.at_mut(number).holders += 1;
            return number;
        }
        let entry = Entry { value, holders: 1 };
        let number = if let Some(number) = self.free.pop() {
            *entries.at_mut(number) = entry;
            number
        } else {
            entries.push(entry);
            number(entries.len() - 1)
        };
        self.numbers.insert(number, &mut |number| hash_of(&entries.at(number).value));
        number
    }

    /// One holder less.
    pub(super) fn release(&mut self, number: u32) {
        if number == MISSING {
            return;
        }
        let entries = &mut self.entries;
        let entry = entries.at_mut(number);
        entry.holders -= 1;
        if entry.holders == 0 {
            self.numbers.remove(number, &mut |number| hash_of(&entries.at(number).value));
            entries.at_mut(number).value = Value::missing();
            self.free.push(number);
        }
    }

    pub(super) fn get(&self, number: u32) -> &Value {
        &self.entries.at(number).value
    }

    /// One more than the largest number.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Of each number, whether `is` says so of its value; of an unused number anything.
    pub(super) fn mark(&self, is: impl Fn(&Value) -> bool) -> Vec<u8> {
        self.entries.iter().map(|entry| u8::from(is(&entry.value))).collect()
    }

    /// The numbers that are held, but for the missing value.
    pub(super) fn held(&self) -> impl Iterator<Item = u32> {
        let held = self.entries.iter().zip(0..).skip(1).filter(|(entry, _)| entry.holders > 0);
        held.map(|(_, number)| number)
    }
}

fn hash_of(value: &Value) -> u32 {
    hash(value.text.as_bytes()) ^ hash(&value.number.to_bits().to_le_bytes())
}
