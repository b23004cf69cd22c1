//! Code that is loaded when it is first needed: views, with their columns and filters, indexes over what bodies say, work
//! queues, discovery, WebSockets for those who find no connection, snapshots, several namespaces as one, and what an
//! inspector wants to know.
//!
//! It is nearly half of the engine, and a page that keeps to listers and handlers of a few informers, without snapshots,
//! never wants it. With the feature `split`, which the npm package is built with, it is a second wasm file, which shares
//! memory and tables with the first one; else it is simply there. What stands on this side of the line reaches it by
//! [`Deferred`] alone: a direct call of `view`, `query`, `columns`, `json_path`, `relations`, `discovery` or `workqueue`
//! from anywhere else would pull them back into the first file, which `make size` would show, and
//! `tests/it/architecture.rs` refuses.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer_packing::{ArrayWriter, Outline};

use super::health_probe::keep_probing;
use super::heartbeat::beat;
use super::inspection::inspection;
use super::key_queue::{KeyQueue, new_queue};
use super::missing_namespace::look_for_namespace;
use super::persistence::{Snapshots, new_snapshots};
use super::read::texts;
use super::{Cluster, Kept};
use crate::columns::{Column, columns_of, printer_columns, well_known};
use crate::message::{ViewOptions, WorkQueueOptions};
use crate::relations;
use crate::view::{Cells, LiveView, View};
use informer::clock::Clock;
use informer::list_watch::fallback::Part;
use informer::list_watch::namespaces::NamespacesListerWatcher;
use informer::syntax_error::syntax_error;
use informer::transport::Transport;
#[cfg(target_arch = "wasm32")]
use informer::transport::{Request, Response};
use informer::{
    GroupVersionResource, IndexFunc, InformerKey, JsonPath, LabelSelector, Object, ResourceInfo, ResourceListerWatcher,
    Result, Runtime, SharedInformer, Spawn, discover,
};

/// The columns of a view.
pub(super) type ViewColumns = Vec<Rc<Column>>;

/// What the deferred code does.
pub(super) trait Deferred {
    /// The columns of a kind that kubectl knows; `None` of others.
    fn well_known(&self, resource: &GroupVersionResource, namespaced: bool) -> Option<ViewColumns>;

    /// The columns of any kind: of one that kubectl does not know, name and age.
    fn columns_of(&self, resource: &GroupVersionResource, namespaced: bool) -> ViewColumns;

    /// The columns of a version of a custom resource, by the JSON of its definition.
    fn printer_columns(&self, definition: &str, version: &str) -> Option<ViewColumns>;

    /// The columns of a resource; the definition of a custom one is asked for them.
    fn columns<'t>(
        &'t self,
        cluster: &'t Cluster,
        resource: &'t GroupVersionResource,
    ) -> LocalBoxFuture<'t, ViewColumns>;

    /// An empty view of a resource, with these columns or with its own.
    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: &ViewOptions,
    ) -> Result<Box<dyn LiveView>>;

    /// The function of an index over a path, or by a relation.
    fn index_func(&self, text: &str) -> Result<IndexFunc<Object>>;

    /// What an apiserver has.
    fn discover<'t>(&self, transport: &'t Rc<dyn Transport>) -> LocalBoxFuture<'t, Result<Vec<ResourceInfo>>>;

    /// Answers with the same as JSON: see [`ResourceInfo`].
    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>);

    /// A work queue.
    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue>;

    /// The WebSockets of an apiserver, by its URL.
    #[cfg(target_arch = "wasm32")]
    fn sockets(&self, url: &str) -> Box<dyn Transport>;

    /// The snapshots of an apiserver, by its URL.
    fn snapshots(&self, runtime: &Runtime, storage: &Kept, url: &str) -> Rc<dyn Snapshots>;

    /// What is `whole`, of the namespaces that the user may list it in.
    fn namespaces(
        &self,
        resource: &GroupVersionResource,
        whole: Rc<ResourceListerWatcher<Object>>,
    ) -> Result<Part<Object>>;

    /// What an informer has done, as JSON.
    fn inspect(&self, informer: &SharedInformer<Object>) -> String;

    /// Asks an apiserver whether it is there, and the same, as long as there is reason to.
    fn keep_probing(&self, cluster: &Rc<Cluster>);

    /// Asks whether the namespace of an informer without objects exists.
    fn look_for_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey);

    /// Sends a heartbeat to an apiserver; the answer is the least pause before the next one.
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
            let reason = || format!("the relations are {}", relations::RELATIONS.join(", "));
            return relations::index_func(relation)
                .ok_or_else(|| syntax_error("relation", text, relations::PREFIX.len(), reason()));
        }
        // A template without a path is valid, and an index over it finds nothing, ever: somebody forgot the braces.
        if !text.contains('{') {
            return Err(syntax_error("JSONPath", text, 0, "a path stands in braces, as in {.spec.nodeName}"));
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
        Box::new(informer::transport::socket::SocketTransport::new(url))
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

    fn keep_probing(&self, cluster: &Rc<Cluster>) {
        keep_probing(cluster);
    }

    fn look_for_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey) {
        if let Some(namespace) = &key.options.namespace {
            // What comes of it is no news of the server, and asks nothing more.
            let transport = Rc::clone(&cluster.health_probe.transport);
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

/// The WebSockets of an apiserver, of which most pages open none.
#[cfg(target_arch = "wasm32")]
pub(crate) struct LateSockets(pub(crate) Rc<str>);

#[cfg(target_arch = "wasm32")]
impl Transport for LateSockets {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let url = Rc::clone(&self.0);
        Box::pin(async move { load().await?.sockets(&url).send(request).await })
    }
}

pub(super) use place::{carry_what_is_there, load, loaded, unavailable};

/// Brings the code and hands it over, or why it is not to be had.
pub(super) fn when_loaded(spawn: &Spawn, then: Box<dyn FnOnce(Result<&'static dyn Deferred>)>) {
    spawn(async move { then(load().await) }.boxed_local());
}

#[cfg(not(feature = "split"))]
mod place {
    use informer::{InformerError, carry_cells};

    use super::{Code, Deferred, Result};
    use crate::columns::carried;

    /// From now on objects carry the cells of their columns.
    pub(in crate::engine) fn carry_what_is_there() {
        carry_cells(carried);
    }

    /// The code, if it is there.
    #[expect(clippy::unnecessary_wraps, reason = "it may not be, where it is split off")]
    pub(in crate::engine) fn loaded() -> Option<&'static dyn Deferred> {
        Some(&Code)
    }

    /// Brings the code.
    pub(in crate::engine) async fn load() -> Result<&'static dyn Deferred> {
        Ok(&Code)
    }

    /// Why the code is not there, if it is not.
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
    use informer::carry_cells;
    use informer::{ErrorCode, InformerError};

    thread_local! {
        static LOADED: Cell<Option<&'static dyn Deferred>> = const { Cell::new(None) };
    }

    /// Objects carry no cells before the code for them is loaded.
    pub(in crate::engine) fn carry_what_is_there() {}

    /// The code, if it is there.
    pub(in crate::engine) fn loaded() -> Option<&'static dyn Deferred> {
        LOADED.get()
    }

    /// Brings the code. After a failure the next one tries again.
    ///
    /// # Errors
    /// [`ErrorCode::Internal`] when the file cannot be had.
    pub(in crate::engine) async fn load() -> Result<&'static dyn Deferred> {
        let loaded = code().await.map_err(|_: SplitLoaderError| missing())?;
        LOADED.set(Some(loaded));
        Ok(loaded)
    }

    /// Why the code is not there, if it is not.
    pub(in crate::engine) fn unavailable() -> Option<InformerError> {
        loaded().is_none().then(missing)
    }

    fn missing() -> InformerError {
        let message = "deferred.wasm could not be loaded, which views, work queues and indexes over paths need: \
                       the console of the worker says why";
        InformerError::new(ErrorCode::Internal, message)
    }

    /// The one way in: what only this reaches is in the other file.
    #[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
    #[allow(clippy::unnecessary_wraps, reason = "that it could not be loaded comes in by the macro")]
    #[wasm_split(deferred, fallible)]
    fn code() -> std::result::Result<&'static dyn Deferred, SplitLoaderError> {
        carry_cells(carried);
        Ok(&Code)
    }
}
