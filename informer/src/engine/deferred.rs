//! Deferred code: loaded on first use. It contains views with their columns and filters, indexes by path, work queues,
//! discovery, WebSockets for watches without a connection, snapshots, several namespaces as one source, and inspections.
//!
//! It is nearly half of the engine. A page that uses only listers and handlers of a few informers, without snapshots, never
//! loads it. With the feature `split`, which the npm package is built with, it is a second wasm file that shares memory and
//! tables with the first one; otherwise it is part of the only file. Code of the first file reaches it through [`Deferred`]
//! alone. A direct call of `view`, `query`, `columns`, `json_path`, `relations`, `discovery` or `workqueue` from anywhere else
//! would pull them into the first file; `make size` would show that, and `tests/it/architecture.rs` rejects it.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer_packing::{ArrayWriter, Outline};

use super::heartbeat::beat;
use super::inspection::inspection;
use super::key_queue::{KeyQueue, new_queue};
use super::missing_namespace::look_for_namespace;
use super::outage::keep_asking;
use super::persistence::{Snapshots, new_snapshots};
use super::read::texts;
use super::{Cluster, Kept};
use crate::clock::Clock;
use crate::columns::{Column, columns_of, printer_columns, well_known};
use crate::discovery::discover;
use crate::error::Result;
use crate::indexer::IndexFunc;
use crate::json_path::JsonPath;
use crate::label_selector::LabelSelector;
use crate::list_watch::ResourceListerWatcher;
use crate::list_watch::fallback::Part;
use crate::list_watch::namespaces::NamespacesListerWatcher;
use crate::message::{ViewOptions, WorkQueueOptions};
use crate::object::Object;
use crate::relations;
use crate::resource::{GroupVersionResource, ResourceInfo};
use crate::runtime::{Runtime, Spawn};
use crate::shared_informer::SharedInformer;
use crate::shared_informer_factory::InformerKey;
use crate::syntax_error::syntax_error;
use crate::transport::Transport;
#[cfg(target_arch = "wasm32")]
use crate::transport::{Request, Response};
use crate::view::{Cells, LiveView, View};

/// The columns of a view.
pub(super) type ViewColumns = Vec<Rc<Column>>;

/// Functions of the deferred code.
pub(super) trait Deferred {
    /// Columns of a kind that kubectl knows; `None` for others.
    fn well_known(&self, resource: &GroupVersionResource, namespaced: bool) -> Option<ViewColumns>;

    /// Columns of any kind: of one that kubectl does not know, name and age.
    fn columns_of(&self, resource: &GroupVersionResource, namespaced: bool) -> ViewColumns;

    /// Columns of a version of a custom resource, from the JSON of its definition.
    fn printer_columns(&self, definition: &str, version: &str) -> Option<ViewColumns>;

    /// Columns of a resource; those of a custom one are requested from its definition.
    fn columns<'t>(
        &'t self,
        cluster: &'t Cluster,
        resource: &'t GroupVersionResource,
    ) -> LocalBoxFuture<'t, ViewColumns>;

    /// Creates an empty view of a resource, with these columns or its own.
    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: &ViewOptions,
    ) -> Result<Box<dyn LiveView>>;

    /// Index function for a path or a relation.
    fn index_func(&self, text: &str) -> Result<IndexFunc<Object>>;

    /// Resources of an apiserver.
    fn discover<'t>(&self, transport: &'t Rc<dyn Transport>) -> LocalBoxFuture<'t, Result<Vec<ResourceInfo>>>;

    /// Resources of an apiserver as JSON: see [`ResourceInfo`].
    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>);

    /// Creates a work queue.
    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue>;

    /// WebSockets of an apiserver, by its URL.
    #[cfg(target_arch = "wasm32")]
    fn sockets(&self, url: &str) -> Box<dyn Transport>;

    /// Snapshots of an apiserver, by its URL.
    fn snapshots(&self, runtime: &Runtime, storage: &Kept, url: &str) -> Rc<dyn Snapshots>;

    /// A source like `whole`, restricted to the permitted namespaces.
    fn namespaces(
        &self,
        resource: &GroupVersionResource,
        whole: Rc<ResourceListerWatcher<Object>>,
    ) -> Result<Part<Object>>;

    /// Inspection of an informer, as JSON.
    fn inspect(&self, informer: &SharedInformer<Object>) -> String;

    /// Probes an apiserver's health and identity, as long as there is a reason to.
    fn keep_asking(&self, cluster: &Rc<Cluster>);

    /// Checks whether the namespace of an empty informer exists.
    fn look_for_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey);

    /// Sends a heartbeat to an apiserver; returns the minimum pause before the next one.
    fn beat<'c>(&self, cluster: &'c Rc<Cluster>) -> LocalBoxFuture<'c, Duration>;
}

struct Code;

impl Deferred for Code {
    fn well_known(&self, resource: &GroupVersionResource, namespaced: bool) -> Option<ViewColumns> {
        well_known(resource, namespaced)
    }

    fn columns_of(&self, resource: &GroupVersionResource, namespaced: bool) -> ViewColumns {
        columns_of(resource, namespaced)
    }

    fn printer_columns(&self, definition: &str, version: &str) -> Option<ViewColumns> {
        printer_columns(&Outline::parse(definition).ok()?, version)
    }

    fn columns<'t>(
        &'t self,
        cluster: &'t Cluster,
        resource: &'t GroupVersionResource,
    ) -> LocalBoxFuture<'t, ViewColumns> {
        Box::pin(cluster.columns(resource, self))
    }

    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: &ViewOptions,
    ) -> Result<Box<dyn LiveView>> {
        let selector = options.label_selector.as_deref().filter(|text| !text.is_empty());
        let selector = selector.map(str::parse::<LabelSelector>).transpose()?;
        let own = &options.columns;
        let cells = if own.is_empty() { Cells::of_table(columns, resource) } else { Cells::of_paths(own)? };
        Ok(Box::new(View::new(cells, options.objects, selector)))
    }

    fn index_func(&self, text: &str) -> Result<IndexFunc<Object>> {
        if let Some(relation) = text.strip_prefix(relations::PREFIX) {
            let reason = || format!("no such relation; the relations are {}", relations::RELATIONS.join(", "));
            return relations::index_func(relation)
                .ok_or_else(|| syntax_error("relation", text, relations::PREFIX.len(), reason()));
        }
        // A template without a path is valid, but its index stays empty: probably the braces are missing.
        if !text.contains('{') {
            return Err(syntax_error("JSONPath", text, 0, "expected a path in braces, for example {.spec.nodeName}"));
        }
        let path = JsonPath::parse(text)?;
        Ok(Rc::new(move |object: &Object| Ok(path.values(&object.json())?.into_iter().map(Into::into).collect())))
    }

    fn discover<'t>(&self, transport: &'t Rc<dyn Transport>) -> LocalBoxFuture<'t, Result<Vec<ResourceInfo>>> {
        Box::pin(discover(transport))
    }

    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>) {
        let spawn = Rc::clone(&cluster.runtime.spawn);
        let task = async move { reply(cluster.discover(&Self).await.map(|found| resources_json(&found))) };
        spawn(task.boxed_local());
    }

    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue> {
        new_queue(options, clock)
    }

    #[cfg(target_arch = "wasm32")]
    fn sockets(&self, url: &str) -> Box<dyn Transport> {
        Box::new(crate::transport::socket::SocketTransport::new(url))
    }

    fn snapshots(&self, runtime: &Runtime, storage: &Kept, url: &str) -> Rc<dyn Snapshots> {
        new_snapshots(runtime.clone(), storage, url)
    }

    fn namespaces(
        &self,
        resource: &GroupVersionResource,
        whole: Rc<ResourceListerWatcher<Object>>,
    ) -> Result<Part<Object>> {
        Ok(Rc::new(NamespacesListerWatcher::new(resource, whole)?))
    }

    fn inspect(&self, informer: &SharedInformer<Object>) -> String {
        inspection(informer)
    }

    fn keep_asking(&self, cluster: &Rc<Cluster>) {
        keep_asking(cluster);
    }

    fn look_for_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey) {
        if let Some(namespace) = &key.options.namespace {
            // Its result says nothing new about the server, and triggers no probe.
            let transport = Rc::clone(&cluster.outage.transport);
            let runtime = Runtime { transport, ..cluster.runtime.clone() };
            look_for_namespace(&runtime, informer, namespace);
        }
    }

    fn beat<'c>(&self, cluster: &'c Rc<Cluster>) -> LocalBoxFuture<'c, Duration> {
        beat(cluster)
    }
}

fn resources_json(resources: &[ResourceInfo]) -> String {
    let mut json = String::new();
    let mut list = ArrayWriter::new(&mut json);
    for info in resources {
        let mut object = list.object();
        object.text("group", &info.group).text("version", &info.version).text("resource", &info.resource);
        object.text("kind", &info.kind).bool("namespaced", info.namespaced);
        object.raw("verbs", &texts(&info.verbs)).raw("shortNames", &texts(&info.short_names));
    }
    drop(list);
    json
}

/// WebSockets of an apiserver, which most pages never open.
#[cfg(target_arch = "wasm32")]
pub(crate) struct LateSockets(pub(crate) Rc<str>);

#[cfg(target_arch = "wasm32")]
impl Transport for LateSockets {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let url = Rc::clone(&self.0);
        Box::pin(async move { load().await?.sockets(&url).send(request).await })
    }
}

pub(super) use place::{load, loaded, unavailable};

/// Loads the deferred code, or returns the reason why it cannot.
pub(super) fn when_loaded(spawn: &Spawn, then: Box<dyn FnOnce(Result<&'static dyn Deferred>)>) {
    spawn(async move { then(load().await) }.boxed_local());
}

#[cfg(not(feature = "split"))]
mod place {
    use super::{Code, Deferred, Result};
    use crate::error::InformerError;

    /// The code, if it is loaded.
    #[expect(clippy::unnecessary_wraps, reason = "it may not be, where it is split off")]
    pub(in crate::engine) fn loaded() -> Option<&'static dyn Deferred> {
        Some(&Code)
    }

    /// Loads the code.
    pub(in crate::engine) async fn load() -> Result<&'static dyn Deferred> {
        Ok(&Code)
    }

    /// The reason why the code is not loaded.
    pub(in crate::engine) fn unavailable() -> Option<InformerError> {
        None
    }
}

#[cfg(feature = "split")]
mod place {
    use std::cell::Cell;

    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::{Code, Deferred, Result};
    use crate::columns::carried;
    use crate::error::{ErrorCode, InformerError};
    use crate::packer::carry;

    thread_local! {
        static LOADED: Cell<Option<&'static dyn Deferred>> = const { Cell::new(None) };
    }

    /// The code, if it is loaded.
    pub(in crate::engine) fn loaded() -> Option<&'static dyn Deferred> {
        LOADED.get()
    }

    /// Loads the code. After a failure, the next call retries.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] if the file cannot be loaded.
    pub(in crate::engine) async fn load() -> Result<&'static dyn Deferred> {
        let loaded = code().await.map_err(|_: SplitLoaderError| missing())?;
        LOADED.set(Some(loaded));
        Ok(loaded)
    }

    /// The reason why the code is not loaded.
    pub(in crate::engine) fn unavailable() -> Option<InformerError> {
        loaded().is_none().then(missing)
    }

    fn missing() -> InformerError {
        let message = "cannot load deferred.wasm, which views, work queues and indexes over paths require; see the \
                       worker's console for the reason";
        InformerError::new(ErrorCode::Internal, message)
    }

    /// The only entry: code that is reachable only through it is in the second file.
    #[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
    #[allow(clippy::unnecessary_wraps, reason = "that it could not be loaded comes in by the macro")]
    #[wasm_split(deferred, fallible)]
    fn code() -> std::result::Result<&'static dyn Deferred, SplitLoaderError> {
        carry(carried);
        Ok(&Code)
    }
}
