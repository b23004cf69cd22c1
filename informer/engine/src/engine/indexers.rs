//! Indexes by JSONPath or relation that pages add to a shared informer.

use std::cell::RefCell;

use crate::message::TextsByName;
use informer::{ErrorCode, IndexFunc, InformerError, NAMESPACE_INDEX, Object, Result, SharedInformer};

/// Path of the built-in index.
const NAMESPACE_PATH: &str = "{.metadata.namespace}";

/// Indexes of an informer: name, and a path or `relation:` with the name of a relation. It lives as long as the
/// informer is in use.
#[derive(Default)]
pub(super) struct PathIndexers(RefCell<Vec<(String, String)>>);

impl PathIndexers {
    /// Adds missing indexes. An existing one with the same path, compared as text, is accepted: another user was
    /// first.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] if a text is neither a path nor a relation, or a name has another one already;
    /// nothing is added then. [`ErrorCode::Closed`] if the informer has been stopped.
    pub(super) fn add(
        &self,
        informer: &SharedInformer<Object>,
        requested: &TextsByName,
        index_func: &dyn Fn(&str) -> Result<IndexFunc<Object>>,
    ) -> Result<()> {
        let (mut missing, mut funcs) = (Vec::new(), Vec::new());
        for (name, text) in requested.iter() {
            let func = index_func(text).map_err(|error| in_index(name, &error))?;
            match self.text(name) {
                None => {
                    funcs.push((name.clone(), func));
                    missing.push((name.clone(), text.clone()));
                }
                Some(known) if known == *text => {}
                Some(known) => {
                    let message = format!("it already exists with path {known}; requested: {text}");
                    return Err(in_index(name, &InformerError::new(ErrorCode::BadRequest, message)));
                }
            }
        }
        informer.add_index_funcs(funcs)?;
        self.0.borrow_mut().extend(missing);
        Ok(())
    }

    fn text(&self, name: &str) -> Option<String> {
        let added = self.0.borrow();
        let added = added.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
        added.or_else(|| (name == NAMESPACE_INDEX).then(|| NAMESPACE_PATH.to_owned()))
    }

    /// Paths by name, including the built-in index.
    pub(super) fn paths(&self) -> TextsByName {
        let mut paths = TextsByName::default();
        paths.insert(NAMESPACE_INDEX.to_owned(), NAMESPACE_PATH.to_owned());
        for (name, text) in &*self.0.borrow() {
            paths.insert(name.clone(), text.clone());
        }
        paths
    }
}

fn in_index(name: &str, error: &InformerError) -> InformerError {
    InformerError::new(error.code(), format!("index {name:?}: {}", error.message()))
}
