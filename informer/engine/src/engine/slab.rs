//! Slab of the values of a page, by the ids that the page chose.

use std::iter::Map;
use std::slice::{Iter, IterMut};

/// Slab as a small vector. A page has a few dozen values of each kind: linear search is as fast as hashing, and each
/// hash map type adds 2 KB of wasm.
pub(super) struct Slab<T>(Vec<(u32, T)>);

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as the maps of the standard library have it")]
impl<T> Slab<T> {
    fn index_of(&self, number: u32) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == number)
    }

    pub(super) fn get(&self, number: &u32) -> Option<&T> {
        self.index_of(*number).map(|index| &self.0[index].1)
    }

    pub(super) fn get_mut(&mut self, number: &u32) -> Option<&mut T> {
        self.index_of(*number).map(|index| &mut self.0[index].1)
    }

    /// Adds or replaces the value of an id.
    pub(super) fn insert(&mut self, number: u32, value: T) -> Option<T> {
        let replaced = self.remove(&number);
        self.0.push((number, value));
        replaced
    }

    pub(super) fn remove(&mut self, number: &u32) -> Option<T> {
        self.index_of(*number).map(|index| self.0.remove(index).1)
    }

    /// Removes all matching values.
    pub(super) fn take(&mut self, matches: impl Fn(&T) -> bool) -> Vec<T> {
        let mut taken = Vec::new();
        while let Some(index) = self.0.iter().position(|(_, value)| matches(value)) {
            taken.push(self.0.remove(index).1);
        }
        taken
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &u32> {
        self.0.iter().map(|(number, _)| number)
    }
}

impl<'a, T> IntoIterator for &'a Slab<T> {
    type Item = (&'a u32, &'a T);
    type IntoIter = Map<Iter<'a, (u32, T)>, fn(&'a (u32, T)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(number, value)| (number, value))
    }
}

impl<'a, T> IntoIterator for &'a mut Slab<T> {
    type Item = (&'a u32, &'a mut T);
    type IntoIter = Map<IterMut<'a, (u32, T)>, fn(&'a mut (u32, T)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut().map(|(number, value)| (&*number, value))
    }
}
