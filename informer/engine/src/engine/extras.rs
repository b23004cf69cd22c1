//! Extras: code for features that a page may never use, loaded when one of them is first used. They are aggregates,
//! recordings of changes, indexes over bodies and relations, work queues, searches and inspections.
//!
//! With the feature `split` they are the third wasm file, which needs the second one (`deferred.rs`); without the
//! feature they are linked in. Other code reaches them through [`Extras`] alone, which `loading` provides. A direct
//! call of `aggregate`, `change_log`, `relations`, `search` or `workqueue` from another module would pull them back
//! into an earlier file: `make size` would show it, and `tests/it/architecture.rs` rejects it.

use std::rc::Rc;

use informer::clock::Clock;
use informer::syntax_error::syntax_error;
use informer::{GroupVersionResource, IndexFunc, InformerKey, JsonPath, Object, Result, SharedInformer};

use super::cluster::Cluster;
use super::deferred::{cells, selector};
use super::inspection::{inspection, inspection_of_all};
use super::key_queue::{KeyQueue, new_queue};
use super::loading::Extras;
use crate::aggregate::Aggregate;
use crate::change_log::Recording;
use crate::columns::ViewColumns;
use crate::message::{AggregateOptions, RecordingOptions, SearchOptions, WorkQueueOptions};
use crate::relations;
use crate::search::search;
use crate::view::{LiveView, Rejection, Rewindable};

struct Code;

impl Extras for Code {
    fn new_aggregate(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: AggregateOptions,
    ) -> std::result::Result<Box<dyn LiveView>, Rejection> {
        let selector = selector(options.label_selector.as_deref())?;
        let cells = cells(columns, resource, &options.columns, &options.extra_columns)?;
        Ok(Box::new(Rewindable::new(Box::new(Aggregate::new(cells, options, selector)?))))
    }

    fn new_recording(&self, resource: &GroupVersionResource, options: &RecordingOptions) -> Box<dyn LiveView> {
        let is_secret = resource.group.is_empty() && resource.resource == "secrets";
        Box::new(Recording::new(options, is_secret))
    }

    fn index_func(&self, text: &str) -> Result<IndexFunc<Object>> {
        if let Some(relation) = text.strip_prefix(relations::PREFIX) {
            let reason = || format!("the relations are {}", relations::RELATIONS.join(", "));
            return relations::index_func(relation)
                .ok_or_else(|| syntax_error("relation", text, relations::PREFIX.len(), reason()));
        }
        // A template without a path is valid, but an index over it never finds anything: the braces are missing.
        if !text.contains('{') {
            return Err(syntax_error("JSONPath", text, 0, "write the path in braces, for example {.spec.nodeName}"));
        }
        let path = JsonPath::parse(text)?;
        Ok(Rc::new(move |object: &Object| Ok(path.values(&object.json())?.into_iter().map(Into::into).collect())))
    }

    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue> {
        new_queue(options, clock)
    }

    fn inspect(&self, informer: &SharedInformer<Object>) -> String {
        inspection(informer)
    }

    fn inspect_all(&self, cluster: &Cluster, history: bool) -> String {
        inspection_of_all(cluster, history)
    }

    fn search(&self, informer: &SharedInformer<Object>, key: &InformerKey, options: &SearchOptions) -> String {
        search(&informer.indexer(), &key.resource, options)
    }
}

/// Makes the extras available.
pub(super) fn provide() -> &'static dyn Extras {
    super::loading::set_extras(&Code);
    &Code
}
