//! client-go's `Indexer`: the cache, by key and by index.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::error::{ErrorCode, InformerError, Result};
use crate::object::Keyed;
use crate::rows::{Rows, reserve_one};
use crate::sorted::sorted;

/// Index function: the values under which an object is indexed; any number of them. An error leaves the object out of
/// this index only; it is reported once for each state of the object.
///
/// The same object must give the same values each time: the function is called again to remove an object. It runs
/// while the cache is being written, so it must not call the informer; a panic ends the informer.
pub type IndexFunc<T> = Rc<dyn Fn(&T) -> Result<Vec<String>>>;

/// Index functions by name.
pub type Indexers<T> = BTreeMap<String, IndexFunc<T>>;

/// The built-in index.
pub const NAMESPACE_INDEX: &str = "namespace";

/// client-go's `Indexer`: a store of objects by key, with indexes that are always consistent.
///
/// Objects are shared and immutable, so a reader's object never changes, and client-go's mutation detector is not
/// needed. Reads by key are O(1). So are writes, except for each index value that changes: O(log n) of its objects,
/// whose numbers, four bytes each, move by one. Reads by index value sort their result.
pub struct Indexer<T> {
    items: Rows<T>,
    /// Sorted by name; there are few.
    indexes: Vec<(String, Index<T>)>,
    bytes: usize,
    resource_version: String,
    failures: Vec<InformerError>,
}

struct Index<T> {
    func: IndexFunc<T>,
    /// Numbers of the objects with a value, sorted. Boxed, so that the hash map is of a kind that other code uses:
    /// each kind is 2 KB of wasm.
    #[expect(clippy::box_collection, reason = "see above")]
    rows: HashMap<String, Box<Vec<u32>>>,
}

impl<T: Keyed> Index<T> {
    fn values(&self, object: &T) -> Vec<String> {
        (self.func)(object).unwrap_or_default()
    }

    fn rows_of(&self, value: &str) -> &[u32] {
        self.rows.get(value).map_or(&[], |rows| rows)
    }

    fn insert(&mut self, row: u32, values: Vec<String>) {
        for value in values {
            let rows = self.rows.entry(value).or_default();
            if let Err(place) = rows.binary_search(&row) {
                reserve_one(rows);
                rows.insert(place, row);
            }
        }
    }

    /// Values without objects are removed too: they must not accumulate over the life of a cluster (k/k 84959).
    fn remove(&mut self, row: u32, values: &[String]) {
        for value in values {
            if let Some(rows) = self.rows.get_mut(value) {
                if let Ok(place) = rows.binary_search(&row) {
                    rows.remove(place);
                }
                if rows.is_empty() {
                    self.rows.remove(value);
                }
            }
        }
    }
}

impl<T: Keyed> Default for Indexer<T> {
    fn default() -> Self {
        let by_namespace: IndexFunc<T> = Rc::new(|object: &T| Ok(vec![object.namespace().to_owned()]));
        let namespace = Index { func: by_namespace, rows: HashMap::new() };
        Self {
            items: Rows::default(),
            indexes: vec![(NAMESPACE_INDEX.to_owned(), namespace)],
            bytes: 0,
            resource_version: String::new(),
            failures: Vec::new(),
        }
    }
}

impl<T: Keyed> Indexer<T> {
    /// Creates an empty cache with the namespace index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces an object; returns the replaced one.
    pub fn update(&mut self, object: Arc<T>) -> Option<Arc<T>> {
        self.reached(object.resource_version());
        self.put_without_version(object)
    }

    /// Like [`Indexer::update`], but without setting the version of the cache.
    pub(crate) fn put_without_version(&mut self, object: Arc<T>) -> Option<Arc<T>> {
        self.bytes += object.size();
        let cached = self.items.find(object.key()).and_then(|row| self.items.get(row));
        // All functions are called before anything is written: a panic leaves the cache unchanged.
        let mut changes = Vec::with_capacity(self.indexes.len());
        for (name, index) in &self.indexes {
            let before = cached.map(|cached| index.values(cached)).unwrap_or_default();
            let after = (index.func)(&object).unwrap_or_else(|error| {
                self.failures.push(left_out(name, object.key(), &error));
                Vec::new()
            });
            changes.push((before, after));
        }
        let (row, old) = self.items.put(object);
        for ((_, index), (before, after)) in self.indexes.iter_mut().zip(changes) {
            // The usual case: a pod that changes stays on its node.
            if before != after {
                index.remove(row, &before);
                index.insert(row, after);
            }
        }
        self.bytes -= old.as_ref().map_or(0, |old| old.size());
        old
    }

    /// Removes the object with the key of this one, whose version is that of the deletion.
    pub fn delete(&mut self, object: &T) -> Option<Arc<T>> {
        self.reached(object.resource_version());
        self.delete_by_key(object.key())
    }

    /// Removes an object, without moving the version of the cache.
    pub fn delete_by_key(&mut self, key: &str) -> Option<Arc<T>> {
        let row = self.items.find(key)?;
        let old = self.items.remove(row)?;
        for (_, index) in &mut self.indexes {
            index.remove(row, &index.values(&old));
        }
        self.bytes -= old.size();
        Some(old)
    }

    /// Replaces the whole content, at a version. The informer itself applies the difference instead, which keeps the
    /// instances of unchanged objects.
    pub fn replace(&mut self, items: Vec<Arc<T>>, resource_version: &str) {
        (self.items, self.bytes) = (Rows::with_capacity(items.len()), 0);
        for (_, index) in &mut self.indexes {
            index.rows.clear();
        }
        for item in items {
            self.update(item);
        }
        resource_version.clone_into(&mut self.resource_version);
    }

    /// Takes the version of a bookmark.
    pub fn bookmark(&mut self, resource_version: &str) {
        self.reached(resource_version);
    }

    /// Clears the version: the cache is not a state of its source.
    pub(crate) fn clear_resource_version(&mut self) {
        self.resource_version.clear();
    }

    /// Returns the version of the last write (client-go's `LastStoreSyncResourceVersion`); empty at first.
    pub fn resource_version(&self) -> &str {
        &self.resource_version
    }

    fn reached(&mut self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut self.resource_version);
        }
    }

    /// Takes the failures of index functions since the last call.
    pub(crate) fn take_failures(&mut self) -> Vec<InformerError> {
        std::mem::take(&mut self.failures)
    }

    /// Returns the object with a key.
    pub fn get_by_key(&self, key: &str) -> Option<&Arc<T>> {
        self.items.get(self.items.find(key)?)
    }

    /// Returns the cached object with the key of this one.
    pub fn get(&self, object: &T) -> Option<&Arc<T>> {
        self.get_by_key(object.key())
    }

    /// Iterates over all objects, in no order.
    pub fn list(&self) -> impl ExactSizeIterator<Item = &Arc<T>> {
        self.items.iter().map(|(_, object)| object)
    }

    /// Returns all keys, sorted.
    pub fn list_keys(&self) -> Vec<String> {
        sorted(self.list().map(|object| object.key())).into_iter().map(str::to_owned).collect()
    }

    /// Returns the objects that share a value of an index with this one, each once, by key.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if the index does not exist; errors of the index function for the object.
    pub fn index(&self, name: &str, object: &T) -> Result<Vec<Arc<T>>> {
        let index = self.index_named(name)?;
        let values = (index.func)(object)?;
        Ok(self.of_keys(self.sorted_keys(values.iter().flat_map(|value| index.rows_of(value)))))
    }

    /// Returns the objects with an index value, by key.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if the index does not exist.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<T>>> {
        Ok(self.of_keys(self.keys_of(index, value)?))
    }

    /// Returns the keys with an index value, sorted.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if the index does not exist.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>> {
        Ok(self.keys_of(index, value)?.into_iter().map(str::to_owned).collect())
    }

    /// Returns the values of an index, sorted.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if the index does not exist.
    pub fn list_index_func_values(&self, index: &str) -> Result<Vec<String>> {
        Ok(sorted(self.index_named(index)?.rows.keys().map(String::as_str)).into_iter().map(str::to_owned).collect())
    }

    /// Returns the index functions by name.
    pub fn get_indexers(&self) -> Indexers<T> {
        self.indexes.iter().map(|(name, index)| (name.clone(), Rc::clone(&index.func))).collect()
    }

    /// Adds index functions and indexes the cached objects at once: O(objects) for each.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if a name is taken; nothing is added then.
    pub fn add_indexers(&mut self, indexers: Indexers<T>) -> Result<()> {
        self.add_index_funcs(indexers.into_iter().collect())
    }

    /// Like [`Indexer::add_indexers`], for names that are all different.
    pub(crate) fn add_index_funcs(&mut self, indexers: Vec<(String, IndexFunc<T>)>) -> Result<()> {
        if let Some((taken, _)) = indexers.iter().find(|(name, _)| self.indexes.iter().any(|(known, _)| known == name))
        {
            let message = format!("an index named {taken:?} already exists");
            return Err(InformerError::new(ErrorCode::BadRequest, message));
        }
        for (name, func) in indexers {
            let mut index = Index { func, rows: HashMap::new() };
            for (row, object) in self.items.iter() {
                match (index.func)(object) {
                    Ok(values) => index.insert(row, values),
                    Err(error) => self.failures.push(left_out(&name, object.key(), &error)),
                }
            }
            let place = self.indexes.partition_point(|(other, _)| *other < name);
            self.indexes.insert(place, (name, index));
        }
        Ok(())
    }

    /// Objects in the cache.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.items.len() == 0
    }

    /// Bytes of object bodies in the cache.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn keys_of(&self, index: &str, value: &str) -> Result<Vec<&str>> {
        Ok(self.sorted_keys(self.index_named(index)?.rows_of(value).iter()))
    }

    fn sorted_keys<'r>(&self, rows: impl Iterator<Item = &'r u32>) -> Vec<&str> {
        sorted(rows.filter_map(|row| self.items.get(*row)).map(|object| object.key()))
    }

    fn of_keys(&self, keys: Vec<&str>) -> Vec<Arc<T>> {
        keys.into_iter().filter_map(|key| self.get_by_key(key)).cloned().collect()
    }

    fn index_named(&self, name: &str) -> Result<&Index<T>> {
        let index = self.indexes.iter().find(|(known, _)| known == name).map(|(_, index)| index);
        index.ok_or_else(|| InformerError::new(ErrorCode::BadRequest, format!("no index is named {name:?}")))
    }
}

fn left_out(index: &str, key: &str, error: &InformerError) -> InformerError {
    InformerError::new(error.code(), format!("{key} is missing from index {index:?}: {}", error.message()))
}
