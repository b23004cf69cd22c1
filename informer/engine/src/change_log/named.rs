//! Named values: the members of an object, or the elements of a list by their merge key.

use std::borrow::Cow;
use std::ops::Deref;

use informer_packing::{Json, Slots, hash};

/// Values by name, in the order of their names' first appearance. Not a map of the standard library: a `BTreeMap` of
/// them was 15 KB of wasm.
pub(super) struct Named<'j, N> {
    entries: Vec<(N, Json<'j>)>,
    places: Slots,
}

impl<N> Default for Named<'_, N> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: Slots::default() }
    }
}

impl<'j> Named<'j, Cow<'j, str>> {
    /// Members of an object. Of two with one name, the last one counts.
    pub(super) fn members(members: impl Iterator<Item = (Cow<'j, str>, Json<'j>)>) -> Self {
        let mut named = Self::default();
        for (name, value) in members {
            named.insert(name, value);
        }
        named
    }
}

impl<'j, N: Deref<Target = str>> Named<'j, N> {
    /// Adds a value, or replaces that of the same name. Returns whether the name is new.
    pub(super) fn insert(&mut self, name: N, value: Json<'j>) -> bool {
        if let Some(known) = self.index_of(&name) {
            self.entries[known].1 = value;
            return false;
        }
        let Ok(number) = u32::try_from(self.entries.len()) else { return false };
        self.entries.push((name, value));
        let entries = &self.entries;
        self.places.insert(number, &mut |at| hash(entries[at as usize].0.as_bytes()));
        true
    }

    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<Json<'j>> {
        Some(self.entries[self.index_of(name)?].1)
    }

    /// Names and values, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&N, Json<'j>)> {
        self.entries.iter().map(|(name, value)| (name, *value))
    }

    /// Whether the names that two share are in the same order.
    pub(super) fn has_order_of(&self, other: &Self) -> bool {
        self.shared(other).eq(other.shared(self))
    }

    fn shared<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s str> {
        self.entries.iter().map(|(name, _)| &**name).filter(|name| other.index_of(name).is_some())
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        let is = &mut |at: u32| *self.entries[at as usize].0 == *name;
        self.places.find(hash(name.as_bytes()), is).map(|at| at as usize)
    }
}
