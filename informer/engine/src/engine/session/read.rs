//! Reads of a cache, as JSON text.

use std::sync::Arc;

use informer_packing::ObjectWriter;

use super::subscriptions::PageInformer;
use crate::engine::json_text::texts;
use crate::message::{Read, TextsByName};
use informer::{Object, Result};

/// Performs a read.
pub(super) fn read(entry: &PageInformer, read: &Read) -> Result<String> {
    let indexer = entry.informer.indexer();
    match read {
        Read::GetByKey { key } => {
            Ok(indexer.get_by_key(key).map_or_else(|| "null".to_owned(), |o| o.json().into_owned()))
        }
        Read::List { namespace, label_selector } => {
            let selector = label_selector.parse()?;
            Ok(objects(entry.informer.lister().namespace(namespace).list(&selector).iter()))
        }
        Read::ListKeys => Ok(texts(&indexer.list_keys())),
        Read::ByIndex { index, value } => Ok(objects(indexer.by_index(index, value)?.iter())),
        Read::IndexKeys { index, value } => Ok(texts(&indexer.index_keys(index, value)?)),
        Read::ListIndexFuncValues { index } => Ok(texts(&indexer.list_index_func_values(index)?)),
        Read::GetIndexers => Ok(texts_by_name(&entry.informer_use.indexers.paths())),
    }
}

/// Joins bodies, which are JSON already, into an array.
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

fn texts_by_name(texts: &TextsByName) -> String {
    let mut json = String::new();
    let mut object = ObjectWriter::new(&mut json);
    for (name, text) in texts.iter() {
        object.text(name, text);
    }
    drop(object);
    json
}
