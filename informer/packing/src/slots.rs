//! A hash table of small numbers that stand for what somebody else keeps.

use crate::seal::seal;

const EMPTY: u32 = u32::MAX;

/// Finds numbers by the hash of what they stand for. What that is, and whether it is equal, the caller knows: nothing here
/// depends on types, and four to eight bytes a number are all that it takes.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Linear probing; a power of two long, or empty.
    table: Vec<u32>,
    len: usize,
}

impl Slots {
    /// The number with this hash that `is` says yes to.
    pub fn find(&self, hash: u32, is: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        while self.table[at] != EMPTY {
            if is(self.table[at]) {
                return Some(self.table[at]);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Adds a number that is not here. `hash_of` is asked again for all of them when the table grows.
    pub fn insert(&mut self, number: u32, hash_of: &mut dyn FnMut(u32) -> u32) {
        if (self.len + 1) * 4 > self.table.len() * 3 {
            let grown = vec![EMPTY; (self.table.len() * 2).max(16)];
            let old = std::mem::replace(&mut self.table, grown);
            for number in old.into_iter().filter(|number| *number != EMPTY) {
                let hash = hash_of(number);
                self.place(number, hash);
            }
        }
        self.len += 1;
        let hash = hash_of(number);
        self.place(number, hash);
    }

    fn place(&mut self, number: u32, hash: u32) {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while self.table[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.table[at] = number;
    }

    /// Takes a number out, if it is here.
    pub fn remove(&mut self, number: u32, hash_of: &mut dyn FnMut(u32) -> u32) {
        let Some(mask) = self.table.len().checked_sub(1) else { return };
        let mut hole = hash_of(number) as usize & mask;
        while self.table[hole] != number {
            if self.table[hole] == EMPTY {
                return;
            }
            hole = (hole + 1) & mask;
        }
        self.len -= 1;
        // Who was displaced over the hole moves into it.
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            if self.table[at] == EMPTY {
                break;
            }
            let wants = hash_of(self.table[at]) as usize & mask;
            if at.wrapping_sub(wants) & mask >= at.wrapping_sub(hole) & mask {
                self.table[hole] = self.table[at];
                hole = at;
            }
        }
        self.table[hole] = EMPTY;
    }
}

/// A hash of bytes, for tables that nobody attacks: names are the cluster's own.
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
        fn it_is_a_set(ops in prop::collection::vec((0u32..60, any::<bool>()), 0..300), spread in 1u32..20) {
            // Few hashes, so that much collides.
            let mut hash_of = |number: u32| (number % spread).wrapping_mul(13);
            let (mut slots, mut model) = (Slots::default(), BTreeSet::new());
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
}
