//! client-go's lister: reads of the cache by name, namespace and labels.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::{ErrorCode, InformerError, Result};
use crate::indexer::{Indexer, NAMESPACE_INDEX};
use crate::key::meta_namespace_key;
use crate::label_selector::LabelSelector;
use crate::object::Keyed;

/// client-go's lister: all namespaces at once.
pub struct Lister<T> {
    indexer: Rc<RefCell<Indexer<T>>>,
    resource: String,
}

/// client-go's `NamespaceLister`: one namespace.
pub struct NamespaceLister<T> {
    lister: Lister<T>,
    namespace: String,
}

impl<T> Clone for Lister<T> {
    fn clone(&self) -> Self {
        Self { indexer: Rc::clone(&self.indexer), resource: self.resource.clone() }
    }
}

impl<T> Clone for NamespaceLister<T> {
    fn clone(&self) -> Self {
        Self { lister: self.lister.clone(), namespace: self.namespace.clone() }
    }
}

impl<T: Keyed> Lister<T> {
    pub(crate) fn new(indexer: Rc<RefCell<Indexer<T>>>, resource: String) -> Self {
        Self { indexer, resource }
    }

    /// The lister of one namespace; of all, if the name is empty.
    pub fn namespace(&self, namespace: impl Into<String>) -> NamespaceLister<T> {
        NamespaceLister { lister: self.clone(), namespace: namespace.into() }
    }

    /// Returns a cluster-scoped object by its name: O(1).
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`].
    pub fn get(&self, name: &str) -> Result<Arc<T>> {
        self.get_by_key(name)
    }

    fn get_by_key(&self, key: &str) -> Result<Arc<T>> {
        let found = self.indexer.borrow().get_by_key(key).cloned();
        found.ok_or_else(|| {
            let message = format!("{} {key:?} not found in the cache", self.resource);
            InformerError::new(ErrorCode::NotFound, message)
        })
    }

    /// Returns the objects that match a selector, unordered: O(objects). An empty selector reads no labels.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<T>> {
        if selector.is_nothing() {
            return Vec::new();
        }
        let indexer = self.indexer.borrow();
        indexer.list().filter(|object| selects(selector, object)).cloned().collect()
    }
}

impl<T: Keyed> NamespaceLister<T> {
    /// Returns an object by its name: O(1).
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`].
    pub fn get(&self, name: &str) -> Result<Arc<T>> {
        self.lister.get_by_key(&meta_namespace_key(&self.namespace, name))
    }

    /// Returns the objects of the namespace that match a selector, sorted by key: O(n log n) of the namespace's objects. For
    /// all namespaces they are unordered: O(objects).
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<T>> {
        if self.namespace.is_empty() || selector.is_nothing() {
            return self.lister.list(selector);
        }
        // The namespace index is built in, so the error cannot happen.
        let mut objects = self.lister.indexer.borrow().by_index(NAMESPACE_INDEX, &self.namespace).unwrap_or_default();
        objects.retain(|object| selects(selector, object));
        objects
    }
}

fn selects<T: Keyed>(selector: &LabelSelector, object: &Arc<T>) -> bool {
    selector.is_empty() || selector.matches(&object.labels())
}
