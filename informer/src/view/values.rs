//! The values of one column, each kept once.

use informer_packing::{Slots, hash};

use crate::rows::{make_room, number};
use crate::value::Value;

/// The number of the value that is missing.
pub(super) const MISSING: u32 = 0;

/// Values by number, counted: a number is used again when nobody holds it any more.
pub(super) struct Values {
    entries: Vec<Entry>,
    numbers: Slots,
    free: Vec<u32>,
}

struct Entry {
    value: Value,
    holders: u32,
}

impl Values {
    pub(super) fn new() -> Self {
        Self {
            entries: vec![Entry { value: Value::missing(), holders: 1 }],
            numbers: Slots::default(),
            free: Vec::new(),
        }
    }

    /// The number of a value, held once more.
    pub(super) fn hold(&mut self, value: Value) -> u32 {
        if value == self.entries[0].value {
            return MISSING;
        }
        let entries = &mut self.entries;
        let found = self.numbers.find(hash_of(&value), &mut |number| entries[number as usize].value == value);
        if let Some(number) = found {
            entries[number as usize].holders += 1;
            return number;
        }
        let entry = Entry { value, holders: 1 };
        let number = if let Some(number) = self.free.pop() {
            entries[number as usize] = entry;
            number
        } else {
            make_room(entries);
            entries.push(entry);
            number(entries.len() - 1)
        };
        self.numbers.insert(number, &mut |number| hash_of(&entries[number as usize].value));
        number
    }

    /// One holder less.
    pub(super) fn release(&mut self, number: u32) {
        if number == MISSING {
            return;
        }
        let entries = &mut self.entries;
        entries[number as usize].holders -= 1;
        if entries[number as usize].holders == 0 {
            self.numbers.remove(number, &mut |number| hash_of(&entries[number as usize].value));
            entries[number as usize].value = Value::missing();
            self.free.push(number);
        }
    }

    pub(super) fn get(&self, number: u32) -> &Value {
        &self.entries[number as usize].value
    }

    /// One more than the largest number.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Of each number, whether `is` says so of its value; of a number that nobody holds anything.
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
