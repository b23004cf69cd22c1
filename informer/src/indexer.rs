//! The cache: objects by key, and by whatever they are indexed by.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::error::{ErrorCode, InformerError, Result};
use crate::object::Keyed;

/// The values under which an object is found in an index; any number of them.
pub type IndexFunc<T> = Rc<dyn Fn(&T) -> Vec<String>>;

/// Index functions by name.
pub type Indexers<T> = BTreeMap<String, IndexFunc<T>>;

/// The index that every indexer has.
pub const NAMESPACE_INDEX: &str = "namespace";

/// client-go's `Indexer`: a store of objects by key, with indexes that are always right.
///
/// Objects are shared and never changed, so what a reader holds stays what it was. Reads by key are O(1); reads by
/// index value O(log values + result); a write is O(log keys) for each index value of the object.
pub struct Indexer<T> {
    items: HashMap<Rc<str>, Arc<T>>,
    indexes: BTreeMap<String, Index<T>>,
    bytes: usize,
}

struct Index<T> {
    func: IndexFunc<T>,
    keys: BTreeMap<String, BTreeSet<Rc<str>>>,
}

impl<T: Keyed> Index<T> {
    fn insert(&mut self, key: &Rc<str>, object: &T) {
        for value in (self.func)(object) {
            self.keys.entry(value).or_default().insert(Rc::clone(key));
        }
    }

    /// Values that nothing has any more go too: they must not pile up over the life of a cluster (k/k 84959).
    fn remove(&mut self, key: &str, object: &T) {
        for value in (self.func)(object) {
            if let Some(keys) = self.keys.get_mut(&value) {
                keys.remove(key);
                if keys.is_empty() {
                    self.keys.remove(&value);
                }
            }
        }
    }
}

impl<T: Keyed> Default for Indexer<T> {
    fn default() -> Self {
        let by_namespace: IndexFunc<T> = Rc::new(|object: &T| vec![object.namespace().to_owned()]);
        let namespace = Index { func: by_namespace, keys: BTreeMap::new() };
        Self { items: HashMap::new(), indexes: BTreeMap::from([(NAMESPACE_INDEX.to_owned(), namespace)]), bytes: 0 }
    }
}

impl<T: Keyed> Indexer<T> {
    /// An empty cache with the namespace index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an object in, in place of the one with its key, which is returned.
    pub fn update(&mut self, object: Arc<T>) -> Option<Arc<T>> {
        self.bytes += object.size();
        let (key, old) = match self.items.get_key_value(object.key()) {
            Some((key, old)) => (Rc::clone(key), Some(Arc::clone(old))),
            None => (Rc::from(object.key()), None),
        };
        for index in self.indexes.values_mut() {
            if let Some(old) = &old {
                index.remove(&key, old);
            }
            index.insert(&key, &object);
        }
        self.items.insert(key, object);
        self.bytes -= old.as_ref().map_or(0, |old| old.size());
        old
    }

    /// Takes an object out.
    pub fn delete(&mut self, key: &str) -> Option<Arc<T>> {
        let old = self.items.remove(key)?;
        for index in self.indexes.values_mut() {
            index.remove(key, &old);
        }
        self.bytes -= old.size();
        Some(old)
    }

    /// The object of a key.
    pub fn get_by_key(&self, key: &str) -> Option<&Arc<T>> {
        self.items.get(key)
    }

    /// All objects, in no order.
    pub fn list(&self) -> impl ExactSizeIterator<Item = &Arc<T>> {
        self.items.values()
    }

    /// All keys, sorted.
    pub fn list_keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.items.keys().map(ToString::to_string).collect();
        keys.sort_unstable();
        keys
    }

    /// The objects of an index value, by key.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<T>>> {
        let keys = self.index(index)?.keys.get(value);
        Ok(keys.into_iter().flatten().filter_map(|key| self.items.get(key)).cloned().collect())
    }

    /// The keys of an index value, sorted.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when there is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>> {
        let keys = self.index(index)?.keys.get(value);
        Ok(keys.into_iter().flatten().map(ToString::to_string).collect())
    }

    /// The values of an index, sorted.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when there is no such index.
    pub fn list_index_func_values(&self, index: &str) -> Result<Vec<String>> {
        Ok(self.index(index)?.keys.keys().cloned().collect())
    }

    /// Adds index functions; what is in the cache is indexed at once.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when a name is taken; nothing is added then.
    pub fn add_indexers(&mut self, indexers: Indexers<T>) -> Result<()> {
        if let Some(taken) = indexers.keys().find(|name| self.indexes.contains_key(*name)) {
            let message = format!("there is an index named {taken:?} already");
            return Err(InformerError::new(ErrorCode::BadRequest, message));
        }
        for (name, func) in indexers {
            let mut index = Index { func, keys: BTreeMap::new() };
            for (key, object) in &self.items {
                index.insert(key, object);
            }
            self.indexes.insert(name, index);
        }
        Ok(())
    }

    /// Objects in the cache.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Bytes of object bodies in the cache.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn index(&self, name: &str) -> Result<&Index<T>> {
        self.indexes
            .get(name)
            .ok_or_else(|| InformerError::new(ErrorCode::BadRequest, format!("there is no index named {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Thing {
        key: String,
        tags: Vec<String>,
    }

    impl Keyed for Thing {
        fn key(&self) -> &str {
            &self.key
        }
        fn resource_version(&self) -> &'static str {
            ""
        }
        fn size(&self) -> usize {
            self.tags.len()
        }
    }

    fn by_tag() -> Indexers<Thing> {
        let func: IndexFunc<Thing> = Rc::new(|thing: &Thing| thing.tags.clone());
        BTreeMap::from([("tag".to_owned(), func)])
    }

    #[test]
    fn an_unknown_index_and_a_taken_name_are_errors() {
        let mut indexer = Indexer::<Thing>::new();
        assert_eq!(indexer.by_index("tag", "x").expect_err("unknown").code(), ErrorCode::BadRequest);
        let mut two = by_tag();
        two.insert(NAMESPACE_INDEX.to_owned(), Rc::new(|_| Vec::new()));
        assert!(indexer.add_indexers(two).is_err());
        assert!(indexer.index_keys("tag", "x").is_err(), "nothing was added");
    }

    #[derive(Clone, Debug)]
    enum Op {
        Update(Thing),
        Delete(String),
        AddIndexers,
    }

    fn op() -> impl Strategy<Value = Op> {
        let key = "(n1/|n2/|)[a-d]";
        prop_oneof![
            6 => (key, prop::collection::vec("[x-z]", 0..3)).prop_map(|(key, tags)| Op::Update(Thing { key, tags })),
            2 => key.prop_map(Op::Delete),
            1 => Just(Op::AddIndexers),
        ]
    }

    proptest! {
        #[test]
        fn the_indexes_are_what_a_scan_would_find(ops in prop::collection::vec(op(), 0..60)) {
            let mut indexer = Indexer::new();
            let mut model: BTreeMap<String, Thing> = BTreeMap::new();
            let mut has_tags = false;
            for op in ops {
                match op {
                    Op::Update(thing) => {
                        let old = indexer.update(Arc::new(thing.clone()));
                        prop_assert_eq!(old.as_deref().cloned(), model.insert(thing.key.clone(), thing));
                    }
                    Op::Delete(key) => {
                        prop_assert_eq!(indexer.delete(&key).as_deref().cloned(), model.remove(&key));
                    }
                    Op::AddIndexers => {
                        prop_assert_eq!(indexer.add_indexers(by_tag()).is_ok(), !has_tags);
                        has_tags = true;
                    }
                }
                prop_assert_eq!(indexer.list_keys(), model.keys().cloned().collect::<Vec<_>>());
                prop_assert_eq!(indexer.bytes(), model.values().map(Keyed::size).sum::<usize>());
                let scan = |keep: &dyn Fn(&Thing) -> bool| -> Vec<String> {
                    model.values().filter(|thing| keep(thing)).map(|thing| thing.key.clone()).collect()
                };
                for namespace in ["n1", "n2", ""] {
                    let found = indexer.index_keys(NAMESPACE_INDEX, namespace).expect("built in");
                    prop_assert_eq!(found, scan(&|thing| thing.namespace() == namespace));
                }
                if has_tags {
                    let values: BTreeSet<String> = model.values().flat_map(|thing| thing.tags.clone()).collect();
                    prop_assert_eq!(indexer.list_index_func_values("tag").expect("added"), values.iter().cloned().collect::<Vec<_>>());
                    for value in values {
                        let found = indexer.index_keys("tag", &value).expect("added");
                        prop_assert_eq!(found, scan(&|thing| thing.tags.contains(&value)));
                    }
                }
            }
        }
    }
}
