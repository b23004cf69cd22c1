//! Hash table of small numbers that refer to values stored elsewhere.

use crate::record::seal;

const EMPTY: u32 = u32::MAX;

/// Finds numbers by the hash of what they stand for. What that is, and whether it is equal, the caller knows: nothing here
/// depends on types, and five to nine bytes a number are all that it takes.
///
/// Numbers are small: those of places that are used again. The table is never shorter than the largest is large.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Linear probing; a power of two long, or empty. The bits of an entry that no number needs are those of its hash, so
    /// that hardly anybody is asked in vain: to ask is to read what stands anywhere in memory.
    table: Vec<u32>,
    len: usize,
}

impl Slots {
    /// No numbers, and room for so many.
    pub fn with_capacity(numbers: usize) -> Self {
        let mut slots = Self::default();
        if numbers > 0 {
            slots.table = vec![EMPTY; (numbers * 8 / 7 + 2).next_power_of_two()];
        }
        slots
    }

    /// The number with this hash that `is` says yes to.
    pub fn find(&self, hash: u32, is: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.mask()?;
        let mut at = hash & mask;
        loop {
            let entry = self.table[at as usize];
            if entry == EMPTY {
                return None;
            }
            if (entry ^ hash) & !mask == 0 && is(entry & mask) {
                return Some(entry & mask);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a number that is not here. `hash_of` is asked again for all of them when the table grows.
    pub fn insert(&mut self, number: u32, hash_of: &mut dyn FnMut(u32) -> u32) {
        // The last number of all is left out: with a hash of ones it would be what is empty.
        let is_full = |length: usize| (self.len + 1) * 8 > length * 7 || number as usize + 1 >= length;
        if is_full(self.table.len()) {
            let mut length = (self.table.len() * 2).max(16);
            while is_full(length) {
                length *= 2;
            }
            let before = self.mask().unwrap_or_default();
            let old = std::mem::replace(&mut self.table, vec![EMPTY; length]);
            for entry in old.into_iter().filter(|entry| *entry != EMPTY) {
                let number = entry & before;
                self.place(number, hash_of(number));
            }
        }
        self.len += 1;
        self.place(number, hash_of(number));
    }

    fn place(&mut self, number: u32, hash: u32) {
        let Some(mask) = self.mask() else { return };
        let mut at = hash & mask;
        while self.table[at as usize] != EMPTY {
            at = (at + 1) & mask;
        }
        self.table[at as usize] = number | hash & !mask;
    }

    /// Takes a number out, if it is here.
    pub fn remove(&mut self, number: u32, hash_of: &mut dyn FnMut(u32) -> u32) {
        let Some(mask) = self.mask().filter(|mask| number < *mask) else { return };
        let hash = hash_of(number);
        let entry = number | hash & !mask;
        let mut hole = hash & mask;
        while self.table[hole as usize] != entry {
            if self.table[hole as usize] == EMPTY {
                return;
            }
            hole = (hole + 1) & mask;
        }
        self.len -= 1;
        // Who was displaced over the hole moves into it.
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let entry = self.table[at as usize];
            if entry == EMPTY {
                break;
            }
            let wants = hash_of(entry & mask) & mask;
            if at.wrapping_sub(wants) & mask >= at.wrapping_sub(hole) & mask {
                self.table[hole as usize] = entry;
                hole = at;
            }
        }
        self.table[hole as usize] = EMPTY;
    }

    /// One less than the length, which fits a number; `None` where the table is empty.
    fn mask(&self) -> Option<u32> {
        u32::try_from(self.table.len()).ok()?.checked_sub(1)
    }
}

/// A hash of bytes, for tables that need no protection from attacks: names are the cluster's own.
pub fn hash(bytes: &[u8]) -> u32 {
    (seal(bytes) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(
            ops in prop::collection::vec((0u32..60, any::<bool>()), 0..300),
            spread in 1u32..20,
            factor in prop::sample::select(vec![13, 0x0100_0000, 0xFFFF_FFFF]),
            room in 0usize..70,
        ) {
            // Few hashes, so that much collides, where they begin or where they end.
            let mut hash_of = |number: u32| (number % spread).wrapping_mul(factor);
            let (mut slots, mut model) = (Slots::with_capacity(room), BTreeSet::new());
            for (number, insert) in ops {
                if insert && model.insert(number) {
                    slots.insert(number, &mut hash_of);
                } else if !insert {
                    model.remove(&number);
                    slots.remove(number, &mut hash_of);
                }
                for number in 0..60 {
                    let found = slots.find(hash_of(number), &mut |other| other == number);
                    prop_assert_eq!(found.is_some(), model.contains(&number));
                }
            }
        }
    }

    #[test]
    fn room_is_what_was_asked_for() {
        for numbers in [1, 13, 14, 15, 100_000] {
            let mut slots = Slots::with_capacity(numbers);
            let length = slots.table.len();
            for number in (0..).take(numbers) {
                slots.insert(number, &mut |number| hash(&number.to_le_bytes()));
            }
            assert_eq!(slots.table.len(), length, "{numbers}");
            assert!(length <= (numbers * 3).max(16), "{numbers}");
            let mut asked = 0;
            for number in (0_u32..).take(numbers) {
                let found = slots.find(hash(&number.to_le_bytes()), &mut |other| {
                    asked += 1;
                    other == number
                });
                assert_eq!(found, Some(number));
            }
            assert!(asked <= numbers + numbers / 100, "{asked} of {numbers} were read");
        }
    }

    #[test]
    fn what_is_not_here_can_be_taken_out() {
        Slots::default().remove(0, &mut |_| 0);
        let mut slots = Slots::with_capacity(3);
        // With this hash the last number would be what is empty.
        slots.remove(7, &mut |_| u32::MAX);
        assert_eq!((slots.len, slots.find(u32::MAX, &mut |_| true)), (0, None));
    }
}
