//! Lazy loader of the deferred code and of the extras.
//!
//! [`Deferred`] and [`Extras`] are the interfaces of that code. `deferred.rs` and `extras.rs` list it, and `entries.rs`
//! registers its loaders with [`install`]. With the feature `split` each is a wasm file of its own; without it the code
//! is linked in.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{AbortHandle, LocalBoxFuture, ready};
use informer::clock::Clock;
use informer::list_watch::fallback::Part;
use informer::transport::Transport;
#[cfg(target_arch = "wasm32")]
use informer::transport::{Request, Response};
use informer::{
    ErrorCode, GroupVersionResource, IndexFunc, InformerError, InformerKey, Object, ResourceListerWatcher, Result,
    Runtime, SharedInformer, Spawn,
};

use super::cluster::Cluster;
use super::header_pages::HeaderPages;
use super::key_queue::KeyQueue;
use super::persistence::Snapshots;
use super::snapshot_storage::SnapshotStorage;
use crate::columns::ViewColumns;
use crate::message::{
    AggregateOptions, RecordingOptions, SearchOptions, ServerOptions, ToEngine, ViewOptions, WorkQueueOptions,
};
use crate::view::{LiveView, Rejection};

/// View, aggregate or recording to open. The last two are extras.
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

    /// Creates an empty view of a resource, with these columns or its own. A view whose query is rejected is returned
    /// with the rejection: it shows every row.
    ///
    /// # Errors
    /// If the columns or the label selector are invalid.
    fn new_view(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: ViewOptions,
        now: f64,
    ) -> std::result::Result<(Box<dyn LiveView>, Option<Rejection>), Rejection>;

    /// Requests the resources and replies with them as JSON: see [`informer::ResourceInfo`].
    fn resources(&self, cluster: Rc<Cluster>, reply: Box<dyn FnOnce(Result<String>)>);

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

    /// Creates the collection of pages that provide the headers of one user.
    fn header_pages(&self, clock: &Rc<dyn Clock>) -> Rc<dyn HeaderPages>;

    /// Adds the headers that these pages provide, or else those of the options, to the requests of a transport.
    fn authenticated(
        &self,
        server: &ServerOptions,
        pages: Option<&Rc<dyn HeaderPages>>,
        transport: Rc<dyn Transport>,
        clock: &Rc<dyn Clock>,
    ) -> Rc<dyn Transport>;

    /// Decodes a message that only this code handles.
    fn decode(&self, text: &str) -> Result<ToEngine>;

    /// Waits for a connection slot for a page's own request; aborting returns it.
    fn lease(&self, cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle;

    /// Probes an apiserver, its health and identity, while there is reason to.
    fn start_probing(&self, cluster: &Rc<Cluster>);

    /// Checks whether the namespace of an informer without objects exists.
    fn check_namespace(&self, cluster: &Cluster, informer: &SharedInformer<Object>, key: &InformerKey);

    /// Sends a heartbeat to an apiserver. Returns the minimum pause before the next one.
    fn send_heartbeat<'c>(&self, cluster: &'c Rc<Cluster>) -> LocalBoxFuture<'c, Duration>;
}

/// Interface of the extras: code for features that a page may never use. Where they are loaded, the deferred code is,
/// too.
pub(super) trait Extras {
    /// Creates an empty aggregate of a resource, with these columns or its own.
    ///
    /// # Errors
    /// If any option is invalid.
    fn new_aggregate(
        &self,
        columns: ViewColumns,
        resource: &GroupVersionResource,
        options: AggregateOptions,
    ) -> std::result::Result<Box<dyn LiveView>, Rejection>;

    /// Creates a recording of a resource.
    fn new_recording(&self, resource: &GroupVersionResource, options: &RecordingOptions) -> Box<dyn LiveView>;

    /// Returns the index function of a path or a relation.
    fn index_func(&self, text: &str) -> Result<IndexFunc<Object>>;

    /// Creates a work queue.
    fn new_queue(&self, options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue>;

    /// Returns the metrics and history of an informer, as JSON.
    fn inspect(&self, informer: &SharedInformer<Object>) -> String;

    /// Returns the state of all informers of an apiserver, with or without their history, and the use of its
    /// connections, as JSON.
    fn inspect_all(&self, cluster: &Cluster, history: bool) -> String;

    /// Searches the cache of an informer; returns the matches as JSON.
    fn search(&self, informer: &SharedInformer<Object>, key: &InformerKey, options: &SearchOptions) -> String;
}

/// Load function of code. A failed load is retried at the next call.
///
/// # Errors
/// [`ErrorCode::Internal`] if the file cannot be loaded.
pub(super) type Load<T> = fn() -> LocalBoxFuture<'static, Result<&'static T>>;

/// Code that is loaded on demand: once it is loaded, its interface.
struct Loadable<T: ?Sized + 'static> {
    loaded: Cell<Option<&'static T>>,
    load: Cell<Load<T>>,
}

thread_local! {
    static DEFERRED: Loadable<dyn Deferred> =
        const { Loadable { loaded: Cell::new(None), load: Cell::new(|| Box::pin(ready(Err(load_error())))) } };
    static EXTRAS: Loadable<dyn Extras> =
        const { Loadable { loaded: Cell::new(None), load: Cell::new(|| Box::pin(ready(Err(extras_load_error())))) } };
}

/// Sets the sources of the code.
pub(super) fn install(deferred: Load<dyn Deferred>, extras: Load<dyn Extras>) {
    DEFERRED.with(|code| code.load.set(deferred));
    EXTRAS.with(|code| code.load.set(extras));
}

/// Stores the loaded code.
pub(super) fn set_loaded(deferred: &'static dyn Deferred) {
    DEFERRED.with(|code| code.loaded.set(Some(deferred)));
}

/// Stores the loaded extras.
pub(super) fn set_extras(extras: &'static dyn Extras) {
    EXTRAS.with(|code| code.loaded.set(Some(extras)));
}

/// Returns the code, if it is loaded.
pub(super) fn loaded() -> Option<&'static dyn Deferred> {
    DEFERRED.with(|code| code.loaded.get())
}

/// Returns the extras, if they are loaded.
pub(super) fn extras() -> Option<&'static dyn Extras> {
    EXTRAS.with(|code| code.loaded.get())
}

/// Loads the code: see [`Load`].
pub(super) fn load() -> LocalBoxFuture<'static, Result<&'static dyn Deferred>> {
    DEFERRED.with(|code| code.load.get()())
}

/// Loads the extras: see [`Load`].
pub(super) fn load_extras() -> LocalBoxFuture<'static, Result<&'static dyn Extras>> {
    EXTRAS.with(|code| code.load.get()())
}

/// Loads the code and passes it on, or the error.
pub(super) fn when_loaded(spawn: &Spawn, then: Box<dyn FnOnce(Result<&'static dyn Deferred>)>) {
    spawn(async move { then(load().await) }.boxed_local());
}

/// Error of a failed load.
pub(super) fn load_error() -> InformerError {
    let message = "deferred.wasm could not be loaded. Views, snapshots, discovery, the client's requests, extras.wasm and \
                   protobuf.wasm need it: check that it is served beside informer.wasm, and see the worker's console for the \
                   cause";
    InformerError::new(ErrorCode::Internal, message)
}

/// Error of a failed load of the extras.
pub(super) fn extras_load_error() -> InformerError {
    let message = "extras.wasm could not be loaded. Aggregates, recordings, work queues, indexes over paths, searches and \
                   inspections need it: check that it is served beside informer.wasm, and see the worker's console for the cause";
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
