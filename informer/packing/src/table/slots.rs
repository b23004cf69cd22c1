//! Hash table of small integer ids whose values are stored elsewhere.

use crate::record::checksum;

const EMPTY: u32 = u32::MAX;

/// Finds ids by the hash of their value. The caller hashes and compares, so nothing here depends on types, and an id
/// takes five to nine bytes.
///
/// Ids must be small, such as reused row ids: the table is at least as long as the largest id.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Linear probing; the length is a power of two, or 0. Bits that no id needs store part of the hash, so that few
    /// comparisons fail: each comparison reads scattered memory.
    table: Vec<u32>,
    len: usize,
}

impl Slots {
    /// Creates an empty table with room for this many ids.
    pub fn with_capacity(numbers: usize) -> Self {
        let mut slots = Self::default();
        if numbers > 0 {
            slots.table = vec![EMPTY; (numbers * 8 / 7 + 2).next_power_of_two()];
        }
        slots
    }

    /// Finds the id with this hash for which `is` returns true.
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

    /// Adds an id that is not in the table. When the table grows, `hash_of` is called for all ids.
    pub fn insert(&mut self, number: u32, hash_of: &mut dyn FnMut(u32) -> u32) {
        // The highest id is excluded: with a hash of ones it would equal an empty entry.
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

    /// Removes an id, if it is in the table.
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
        // An entry that was displaced past the hole moves into it.
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

    /// Mask: the length minus one; `None` if the table is empty.
    fn mask(&self) -> Option<u32> {
        u32::try_from(self.table.len()).ok()?.checked_sub(1)
    }
}

/// Hash of bytes, without protection from attacks: names come from the cluster.
pub fn hash(bytes: &[u8]) -> u32 {
    (checksum(bytes) >> 32) as u32
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
            // Few different hashes, so that entries collide.
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
    fn the_requested_capacity_is_reserved() {
        for numbers in [1, 13, 14, 15, 100_000] {
            let mut slots = Slots::with_capacity(numbers);
            let length = slots.table.len();
            for number in (0..).take(numbers) {
                slots.insert(number, &mut |number| hash(&number.to_le_bytes()));
            }
            assert_eq!(slots.table.len(), length, "{numbers}");
            assert!(length <= (numbers * 3).max(16), "{numbers}");
            let mut comparisons = 0;
            for number in (0_u32..).take(numbers) {
                let found = slots.find(hash(&number.to_le_bytes()), &mut |other| {
                    comparisons += 1;
                    other == number
                });
                assert_eq!(found, Some(number));
            }
            assert!(comparisons <= numbers + numbers / 100, "{comparisons} of {numbers} were read");
        }
    }

    #[test]
    fn removing_an_absent_item_has_no_effect() {
        Slots::default().remove(0, &mut |_| 0);
        let mut slots = Slots::with_capacity(3);
        // With this hash, the highest id would equal an empty entry.
        slots.remove(7, &mut |_| u32::MAX);
        assert_eq!((slots.len, slots.find(u32::MAX, &mut |_| true)), (0, None));
    }
}
