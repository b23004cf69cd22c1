//! Indexes by JSONPath: what pages ask of an informer that they share.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::{ErrorCode, InformerError, Result};
use crate::indexer::{IndexFunc, NAMESPACE_INDEX};
use crate::json_path::JsonPath;
use crate::object::Object;
use crate::shared_informer::SharedInformer;
use crate::syntax_error::syntax_error;

/// What the built-in index amounts to.
const NAMESPACE_PATH: &str = "{.metadata.namespace}";

/// The indexes of an informer by name, as paths. It lives as long as somebody uses the informer.
#[derive(Default)]
pub(super) struct PathIndexers(RefCell<Vec<(String, Rc<JsonPath>)>>);

impl PathIndexers {
    /// Adds the indexes that are not there. One that is there over the same path, letter for letter, is what was asked
    /// for: another page, or another part of this one, was first.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`] when a text is no path, or a name stands for another path already; nothing is added
    /// then. [`ErrorCode::Closed`] when the informer has been stopped.
    pub(super) fn add(&self, informer: &SharedInformer<Object>, asked: &BTreeMap<String, String>) -> Result<()> {
        let (mut missing, mut funcs) = (Vec::new(), Vec::new());
        for (name, text) in asked {
            let path = compile(text).map_err(|error| in_index(name, &error))?;
            match self.text(name) {
                None => {
                    let path = Rc::new(path);
                    funcs.push((name.clone(), index_func(Rc::clone(&path))));
                    missing.push((name.clone(), path));
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
        let added = added.iter().find(|(known, _)| known == name).map(|(_, path)| path.text().to_owned());
        added.or_else(|| (name == NAMESPACE_INDEX).then(|| NAMESPACE_PATH.to_owned()))
    }

    /// The paths by name, the built-in index included.
    pub(super) fn paths(&self) -> BTreeMap<String, String> {
        let mut paths = BTreeMap::new();
        paths.insert(NAMESPACE_INDEX.to_owned(), NAMESPACE_PATH.to_owned());
        for (name, path) in &*self.0.borrow() {
            paths.insert(name.clone(), path.text().to_owned());
        }
        paths
    }
}

/// A template without a path is valid, and an index over it finds nothing, ever: somebody forgot the braces.
fn compile(text: &str) -> Result<JsonPath> {
    if text.contains('{') {
        JsonPath::parse(text)
    } else {
        Err(syntax_error("JSONPath", text, 0, "a path stands in braces, as in {.spec.nodeName}"))
    }
}

fn index_func(path: Rc<JsonPath>) -> IndexFunc<Object> {
    Rc::new(move |object: &Object| Ok(path.values(&object.json())?.into_iter().map(Cow::into_owned).collect()))
}

fn in_index(name: &str, error: &InformerError) -> InformerError {
    InformerError::new(error.code(), format!("the index {name:?}: {}", error.message()))
}
