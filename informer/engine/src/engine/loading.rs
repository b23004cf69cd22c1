//! Lazy loader of the deferred code.
//!
//! [`Deferred`] is the interface of that code. `deferred.rs` lists the code and registers its source with [`install`].
//! With the feature `split` the source is a second wasm file; without it the code is linked in.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, LocalBoxFuture, ready};
use informer::clock::Clock;
use informer::list_watch::fallback::Part;
#[cfg(target_arch = "wasm32")]
use informer::transport::{Request, Response, Transport};
use informer::{
    ErrorCode, GroupVersionResource, IndexFunc, InformerError, InformerKey, Object, ResourceListerWatcher, Result,
    Runtime, SharedInformer, Spawn,
};

use super::cluster::Cluster;
use super::key_queue::KeyQueue;
use super::persistence::Snapshots;
use super::snapshot_storage::SnapshotStorage;
use crate::columns::ViewColumns;
use crate::message::{AggregateOptions, RecordingOptions, SearchOptions, ToEngine, ViewOptions, WorkQueueOptions};
use crate::view::{LiveView, Rejection};

/// View, aggregate or recording to open.
pub(super) enum ViewKind {
    View(ViewOptions),
    Aggregate(AggregateOptions),
    Recording(RecordingOptions),
}

impl ViewKind {
    /// Whether it needs the columns of the resource: it defines none itself, and has rows or groups.
    pub(super) fn needs_columns(&self) -> bool {
        match self {
            Self::View(options) => options.columns.is_empty(),
            Self::Aggregate(options) => options.columns.is_empty(),
            Self::Recording(_) => false,
        }
    }
}

/// Interface of the deferred code; other modules call it only through this.
pub(super) trait Deferred {
    /// Returns the columns of a resource; for a custom resource, requests its definition.
    fn columns<'t>(
        &'t self,
        cluster: &'t Cluster,
        resource: &'t GroupVersionResource,
    ) -> LocalBoxFuture<'t, ViewColumns>;

    /// Creates an empty view, aggregate or recording of a resource, with these columns or its own. A view whose query is rejected
    /// is returned with the rejection: it shows every row.
    ///
    /// # Errors
    /// If the columns or the label selector are invalid, or any option of an aggregate.
    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        kind: ViewKind,
        now: f64,
    ) -> std::result::Result<(Box<dyn LiveView>, Option<Rejection>), Rejection>;

    /// Returns the index function of a path or a relation.
    fn index_func(&self, text: &str) -> Result<IndexFunc<Object>>;

    /// Requests the resources and replies with them as JSON: see [`informer::ResourceInfo`].
    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>);

    /// Creates a work queue.
    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue>;

    /// Creates the WebSocket transport of an apiserver, by its URL.
    #[cfg(target_arch = "wasm32")]
    fn sockets(&self, url: &str) -> Box<dyn Transport>;

    /// Creates the snapshots of an apiserver, by its URL.
    fn snapshots(&self, runtime: &Runtime, storage: &SnapshotStorage, url: &str) -> Rc<dyn Snapshots>;

    /// Returns a lister-watcher over the permitted namespaces, in place of `whole`.
    fn namespaces(
        &self,
        resource: &GroupVersionResource,
        whole: Rc<ResourceListerWatcher<Object>>,
    ) -> Result<Part<Object>>;

    /// Decodes a message that only this code handles.
    fn decode(&self, text: &str) -> Result<ToEngine>;

    /// Waits for a connection slot for a page's own request; aborting returns it.
    fn lease(&self, cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle;

    /// Returns the metrics and history of an informer, as JSON.
    fn inspect(&self, informer: &SharedInformer<Object>) -> String;

    /// Searches the cache of an informer; returns the matches as JSON.
    fn search(&self, informer: &SharedInformer<Object>, key: &InformerKey, options: &SearchOptions) -> String;

    /// Probes an apiserver, its health and identity, while there is reason to.
    fn keep_probing(&self, cluster: &Rc<Cluster>);

    /// Checks whether the namespace of an informer without objects exists.
    fn look_for_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey);

    /// Sends a heartbeat to an apiserver. Returns the minimum pause before the next one.
    fn beat<'c>(&self, cluster: &'c Rc<Cluster>) -> LocalBoxFuture<'c, Duration>;
}

/// Load function of the deferred code. A failed load is retried at the next call.
///
/// # Errors
/// [`ErrorCode::Internal`] if the file cannot be loaded.
pub(super) type Load = fn() -> LocalBoxFuture<'static, Result<&'static dyn Deferred>>;

thread_local! {
    static LOADED: Cell<Option<&'static dyn Deferred>> = const { Cell::new(None) };
    static LOAD: Cell<Load> = const { Cell::new(|| Box::pin(ready(Err(load_error())))) };
}

/// Sets the source of the code.
pub(super) fn install(load: Load) {
    LOAD.set(load);
}

/// Stores the loaded code.
pub(super) fn set_loaded(code: &'static dyn Deferred) {
    LOADED.set(Some(code));
}

/// Returns the code, if it is loaded.
pub(super) fn loaded() -> Option<&'static dyn Deferred> {
    LOADED.get()
}

/// Loads the code: see [`Load`].
pub(super) fn load() -> LocalBoxFuture<'static, Result<&'static dyn Deferred>> {
    (LOAD.get())()
}

/// Loads the code and passes it on, or the error.
pub(super) fn when_loaded(spawn: &Spawn, then: Box<dyn FnOnce(Result<&'static dyn Deferred>)>) {
    spawn(async move { then(load().await) }.boxed_local());
}

/// Error of a failed load.
pub(super) fn load_error() -> InformerError {
    let message = "deferred.wasm could not be loaded, which views, aggregates, work queues, indexes over paths, snapshots, discovery and \
                   the client's requests need: check that it is served beside informer.wasm, and see the worker's console for the cause";
    InformerError::new(ErrorCode::Internal, message)
}

/// WebSocket transport whose code is loaded with the deferred code: most pages never need it.
#[cfg(target_arch = "wasm32")]
pub(crate) struct LazySocketTransport(pub(crate) Rc<str>);

#[cfg(target_arch = "wasm32")]
impl Transport for LazySocketTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let url = Rc::clone(&self.0);
        Box::pin(async move { load().await?.sockets(&url).send(request).await })
    }
}
