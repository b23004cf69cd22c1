//! Deferred code: code that is loaded when it is first needed. It contains views with their columns and filters, aggregates, recordings,
//! indexes over bodies, work queues, discovery, WebSockets as fallback for missing connections, snapshots, informers
//! over several namespaces, leases for the requests of pages, probes, heartbeats, and inspection.
//!
//! It is nearly half of the engine. A page that uses only listers and handlers of a few informers, without snapshots,
//! loads it after ten silent seconds while it is visible, after trouble, or for an empty namespace. With the feature `split`, which the npm package is built with, it is a second wasm file, which
//! shares memory and tables with the first one; without the feature it is linked in. Other code reaches it through
//! [`Deferred`] alone, which `loading` provides. A direct call of `aggregate`, `change_log`, `view`, `query`, `columns`, `json_path`, `relations`,
//! `discovery` or `workqueue` from another module would pull them back into the first file: `make size` would show it,
//! and `tests/it/architecture.rs` rejects it.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, LocalBoxFuture};
use informer::clock::Clock;
use informer::list_watch::fallback::Part;
use informer::list_watch::namespaces::NamespacesListerWatcher;
use informer::syntax_error::syntax_error;
#[cfg(target_arch = "wasm32")]
use informer::transport::Transport;
use informer::{
    GroupVersionResource, IndexFunc, InformerError, InformerKey, JsonPath, LabelSelector, Object,
    ResourceListerWatcher, Result, Runtime, SharedInformer,
};

use super::cluster::Cluster;
use super::health_probe::keep_probing;
use super::heartbeat::beat;
use super::inspection::inspection;
use super::key_queue::{KeyQueue, new_queue};
use super::leases::lease;
use super::loading::{self, Deferred, ViewKind};
use super::missing_namespace::look_for_namespace;
use super::persistence::{Snapshots, new_snapshots};
use super::resources::resources_json;
use super::snapshot_storage::SnapshotStorage;
use crate::aggregate::Aggregate;
use crate::change_log::Recording;
use crate::columns::ViewColumns;
use crate::message::{SearchOptions, TextsByName, ToEngine, ViewOptions, WorkQueueOptions};
use crate::relations;
use crate::search::search;
use crate::view::{Cells, LiveView, Rejection, View, ViewQuery};

struct Code;

impl Deferred for Code {
    fn columns<'t>(
        &'t self,
        cluster: &'t Cluster,
        resource: &'t GroupVersionResource,
    ) -> LocalBoxFuture<'t, ViewColumns> {
        Box::pin(cluster.columns(resource))
    }

    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        kind: ViewKind,
        now: f64,
    ) -> std::result::Result<(Box<dyn LiveView>, Option<Rejection>), Rejection> {
        let elsewhere = |error: InformerError| Rejection::elsewhere(error.message().to_owned());
        let cells = |own: &TextsByName, extra: &TextsByName| {
            let cells = if own.is_empty() { Ok(Cells::of_table(columns, resource)) } else { Cells::of_paths(own) };
            cells.and_then(|cells| cells.with_extra(extra)).map_err(elsewhere)
        };
        let selector = |text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty());
            text.map(str::parse::<LabelSelector>).transpose().map_err(elsewhere)
        };
        match kind {
            ViewKind::View(options) => {
                let selector = selector(&options.label_selector)?;
                let mut view = View::new(cells(&options.columns, &options.extra_columns)?, options.objects, selector);
                let ViewOptions { filter, order_by, facets, namespaces, start, end, .. } = options;
                view.set_window(start, end);
                let rejected = view.change(&ViewQuery { filter, order_by, facets, namespaces }, now).err();
                Ok((Box::new(view), rejected))
            }
            ViewKind::Recording(options) => {
                let is_secret = resource.group.is_empty() && resource.resource == "secrets";
                Ok((Box::new(Recording::new(&options, is_secret)), None))
            }
            ViewKind::Aggregate(options) => {
                let selector = selector(&options.label_selector)?;
                Ok((
                    Box::new(Aggregate::new(cells(&options.columns, &options.extra_columns)?, options, selector)?),
                    None,
                ))
            }
        }
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

    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>) {
        let spawn = Rc::clone(&cluster.runtime.spawn);
        let task = async move { reply(cluster.discover().await.map(|found| resources_json(&found))) };
        spawn(task.boxed_local());
    }

    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue> {
        new_queue(options, clock)
    }

    #[cfg(target_arch = "wasm32")]
    fn sockets(&self, url: &str) -> Box<dyn Transport> {
        Box::new(informer::transport::socket::SocketTransport::new(url))
    }

    fn snapshots(&self, runtime: &Runtime, storage: &SnapshotStorage, url: &str) -> Rc<dyn Snapshots> {
        new_snapshots(runtime.clone(), storage, url)
    }

    fn namespaces(
        &self,
        resource: &GroupVersionResource,
        whole: Rc<ResourceListerWatcher<Object>>,
    ) -> Result<Part<Object>> {
        Ok(Rc::new(NamespacesListerWatcher::new(resource, whole)?))
    }

    fn decode(&self, text: &str) -> Result<ToEngine> {
        ToEngine::decode(text)
    }

    fn lease(&self, cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle {
        lease(cluster, stream, reply)
    }

    fn inspect(&self, informer: &SharedInformer<Object>) -> String {
        inspection(informer)
    }

    fn search(&self, informer: &SharedInformer<Object>, key: &InformerKey, options: &SearchOptions) -> String {
        search(&informer.indexer(), &key.resource, options)
    }

    fn keep_probing(&self, cluster: &Rc<Cluster>) {
        keep_probing(cluster);
    }

    fn look_for_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey) {
        if let Some(namespace) = &key.options.namespace {
            // Its outcome is no sign of the server's health, and triggers no further probe.
            let transport = Rc::clone(&cluster.health_probe.transport);
            let runtime = Runtime { transport, ..cluster.runtime.clone() };
            look_for_namespace(&runtime, informer, namespace);
        }
    }

    fn beat<'c>(&self, cluster: &'c Rc<Cluster>) -> LocalBoxFuture<'c, Duration> {
        beat(cluster)
    }
}

pub(super) use place::install;

#[cfg(not(feature = "split"))]
mod place {
    use futures::FutureExt;
    use futures::future::ready;
    use informer::carry_cells;

    use super::{Code, loading};
    use crate::columns::carried;

    /// Installs the code. It is linked in, so objects carry the cells of their columns from the start.
    pub(in crate::engine) fn install() {
        carry_cells(carried);
        loading::set_loaded(&Code);
        loading::install(|| ready(Ok(&Code as _)).boxed_local());
    }
}

#[cfg(feature = "split")]
mod place {
    use informer::carry_cells;
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::{Code, Deferred, loading};
    use crate::columns::carried;

    /// Installs the loader of the code in the other file. Until it is loaded, objects carry no cells.
    pub(in crate::engine) fn install() {
        loading::install(|| Box::pin(async { code().await.map_err(|_: SplitLoaderError| loading::load_error()) }));
    }

    /// The only entry point: code that is reachable only from here goes into the other file.
    #[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
    #[allow(clippy::unnecessary_wraps, reason = "that it could not be loaded comes in by the macro")]
    #[wasm_split(deferred, fallible)]
    fn code() -> std::result::Result<&'static dyn Deferred, SplitLoaderError> {
        carry_cells(carried);
        loading::set_loaded(&Code);
        Ok(&Code)
    }
}
