//! Indexes by JSONPath or relation: what pages ask of an informer that they share.

use std::cell::RefCell;
use std::collections::BTreeMap;

use informer::{ErrorCode, IndexFunc, InformerError, NAMESPACE_INDEX, Object, Result, SharedInformer};

/// What the built-in index amounts to.
const NAMESPACE_PATH: &str = "{.metadata.namespace}";

/// The indexes of an informer by name, as the text that says what they are over: a path, or `relation:` and the name of a
/// relation. It lives as long as somebody uses the informer.
#[derive(Default)]
pub(super) struct PathIndexers(RefCell<Vec<(String, String)>>);

impl PathIndexers {
    /// Adds the indexes that are not there; `index_func` makes the function of one from its text. One that is there over the same path, letter for letter, is what was asked
    /// for: another page, or another part of this one, was first.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when a text is neither path nor relation, or a name stands for another one already;
    /// nothing is added then. [`ErrorCode::Closed`] when the informer has been stopped.
    pub(super) fn add(
        &self,
        informer: &SharedInformer<Object>,
        asked: &BTreeMap<String, String>,
        index_func: &dyn Fn(&str) -> Result<IndexFunc<Object>>,
    ) -> Result<()> {
        let (mut missing, mut funcs) = (Vec::new(), Vec::new());
        for (name, text) in asked {
            let func = index_func(text).map_err(|error| in_index(name, &error))?;
            match self.text(name) {
                None => {
                    funcs.push((name.clone(), func));
                    missing.push((name.clone(), text.clone()));
                }
                Some(known) if known == *text => {}
                Some(known) => {
                    let message = format!("it is over {known} already, and {text} was asked for");
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

    /// The paths by name, the built-in index included.
    pub(super) fn paths(&self) -> BTreeMap<String, String> {
        let mut paths = BTreeMap::new();
        paths.insert(NAMESPACE_INDEX.to_owned(), NAMESPACE_PATH.to_owned());
        for (name, text) in &*self.0.borrow() {
            paths.insert(name.clone(), text.clone());
        }
        paths
    }
}

fn in_index(name: &str, error: &InformerError) -> InformerError {
    InformerError::new(error.code(), format!("the index {name:?}: {}", error.message()))
}
