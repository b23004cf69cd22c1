//! Reads of a cache, answered as JSON text.

use std::sync::Arc;

use super::subscriptions::HeldInformer;
use crate::error::{ErrorCode, InformerError, Result};
use crate::message::Read;
use crate::object::Object;

/// The answer to a read.
pub(super) fn read(held: &HeldInformer, read: &Read) -> Result<String> {
    let indexer = held.informer.indexer();
    match read {
        Read::GetByKey { key } => {
            Ok(indexer.get_by_key(key).map_or_else(|| "null".to_owned(), |o| o.json().into_owned()))
        }
        Read::List { namespace, label_selector } => {
            let selector = label_selector.parse()?;
            Ok(objects(held.informer.lister().namespace(namespace).list(&selector).iter()))
        }
        Read::ListKeys => text(&indexer.list_keys()),
        Read::ByIndex { index, value } => Ok(objects(indexer.by_index(index, value)?.iter())),
        Read::IndexKeys { index, value } => text(&indexer.index_keys(index, value)?),
        Read::ListIndexFuncValues { index } => text(&indexer.list_index_func_values(index)?),
        Read::GetIndexers => text(&held.indexers.paths()),
    }
}

/// Bodies are JSON already: an array of them is a matter of commas.
fn objects<'a>(objects: impl Iterator<Item = &'a Arc<Object>>) -> String {
    let mut text = String::from("[");
    for object in objects {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&object.json());
    }
    text.push(']');
    text
}

/// Plain data as JSON text.
pub(super) fn text<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| InformerError::new(ErrorCode::Internal, error.to_string()))
}
