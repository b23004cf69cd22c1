//! Staging: the initial events of a streaming list, until its end bookmark. The queue sees none of them before.

use std::collections::HashMap;
use std::time::Duration;

use crate::object::Keyed;

/// Initial events received so far.
#[derive(Debug)]
pub(super) struct Staging<T> {
    /// In the order of arrival, with gaps where an object was deleted.
    objects: Vec<Option<T>>,
    /// The index of each object, by key.
    places: HashMap<String, usize>,
    /// Keys of objects that could not be decoded: few, if any.
    undecodable: Vec<String>,
    /// Size of the objects in the cache, in bytes.
    pub(super) bytes: u64,
    /// Deadline of the end bookmark; each initial event extends it.
    pub(super) end_due: Duration,
}

impl<T: Keyed> Staging<T> {
    pub(super) fn new(end_due: Duration) -> Self {
        Self { objects: Vec::new(), places: HashMap::new(), undecodable: Vec::new(), bytes: 0, end_due }
    }

    pub(super) fn put(&mut self, object: T) {
        self.bytes += object.size() as u64;
        if let Some(place) = self.places.get(object.key()) {
            let old = self.objects[*place].replace(object);
            self.bytes -= old.map_or(0, |old| old.size() as u64);
        } else {
            self.places.insert(object.key().to_owned(), self.objects.len());
            self.objects.push(Some(object));
        }
    }

    pub(super) fn put_undecodable(&mut self, key: &str) {
        if !self.undecodable.iter().any(|known| known == key) {
            self.undecodable.push(key.to_owned());
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some(place) = self.places.remove(key) {
            let old = self.objects[place].take();
            self.bytes -= old.map_or(0, |old| old.size() as u64);
        }
        self.undecodable.retain(|known| known != key);
    }

    /// The objects, and the keys of those that could not be decoded.
    pub(super) fn take_parts(&mut self) -> (Vec<T>, Vec<String>) {
        self.places.clear();
        (std::mem::take(&mut self.objects).into_iter().flatten().collect(), std::mem::take(&mut self.undecodable))
    }
}

impl<T> Staging<T> {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}
