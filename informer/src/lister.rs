//! Reads of the cache in the words of people.

use std::sync::Arc;

use crate::error::{ErrorCode, InformerError, Result};
use crate::indexer::NAMESPACE_INDEX;
use crate::object::Keyed;
use crate::shared_informer::SharedInformer;

/// client-go's lister: all namespaces at once, or one of them.
#[derive(Clone)]
pub struct Lister<T> {
    informer: SharedInformer<T>,
    namespace: Option<String>,
}

impl<T: Keyed> Lister<T> {
    pub(crate) fn new(informer: SharedInformer<T>) -> Self {
        Self { informer, namespace: None }
    }

    /// The lister of one namespace (client-go's `NamespaceLister`).
    #[must_use]
    pub fn namespace(&self, namespace: impl Into<String>) -> Self {
        Self { informer: self.informer.clone(), namespace: Some(namespace.into()) }
    }

    /// Everything, or everything in the namespace: O(result).
    pub fn list(&self) -> Vec<Arc<T>> {
        let indexer = self.informer.indexer();
        match &self.namespace {
            None => indexer.list().cloned().collect(),
            // The namespace index is built in, so the error cannot happen.
            Some(namespace) => indexer.by_index(NAMESPACE_INDEX, namespace).unwrap_or_default(),
        }
    }

    /// One object by its name: O(1).
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`].
    pub fn get(&self, name: &str) -> Result<Arc<T>> {
        let key = match &self.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        };
        let found = self.informer.indexer().get_by_key(&key).cloned();
        found.ok_or_else(|| InformerError::new(ErrorCode::NotFound, format!("there is no {key:?} in the cache")))
    }
}
