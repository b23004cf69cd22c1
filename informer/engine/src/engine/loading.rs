//! Late loading: brings code that is not there from the start, once, and hands it over.
//!
//! What that code does is [`Deferred`]; which code it is, and where it comes from, is `deferred.rs`, which says so with
//! [`install`]. With the feature `split` that is a second wasm file; else it is simply there.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use informer::clock::Clock;
use informer::list_watch::fallback::Part;
#[cfg(target_arch = "wasm32")]
use informer::transport::{Request, Response, Transport};
use informer::{
    ErrorCode, GroupVersionResource, IndexFunc, InformerError, InformerKey, Object, ResourceListerWatcher, Result,
    Runtime, SharedInformer, Spawn,
};

use super::cluster::Cluster;
use super::kept::Kept;
use super::key_queue::KeyQueue;
use super::persistence::Snapshots;
use crate::columns::ViewColumns;
use crate::message::{ViewOptions, WorkQueueOptions};
use crate::view::LiveView;

/// What the deferred code does.
pub(super) trait Deferred {
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

/// Brings the code. After a failure the next call tries again.
///
/// # Errors
/// [`ErrorCode::Internal`] if the file cannot be loaded.
pub(super) type Load = fn() -> LocalBoxFuture<'static, Result<&'static dyn Deferred>>;

thread_local! {
    static LOADED: Cell<Option<&'static dyn Deferred>> = const { Cell::new(None) };
    static LOAD: Cell<Load> = const { Cell::new(|| Box::pin(ready(Err(missing())))) };
}

/// Sets where the code comes from.
pub(super) fn install(load: Load) {
    LOAD.set(load);
}

/// The code has come.
pub(super) fn arrived(code: &'static dyn Deferred) {
    LOADED.set(Some(code));
}

/// The code, if it is there.
pub(super) fn loaded() -> Option<&'static dyn Deferred> {
    LOADED.get()
}

/// Brings the code: see [`Load`].
pub(super) fn load() -> LocalBoxFuture<'static, Result<&'static dyn Deferred>> {
    (LOAD.get())()
}

/// Brings the code and hands it over, or why it is not to be had.
pub(super) fn when_loaded(spawn: &Spawn, then: Box<dyn FnOnce(Result<&'static dyn Deferred>)>) {
    spawn(async move { then(load().await) }.boxed_local());
}

/// Why the code is not there, if it is not.
pub(super) fn unavailable() -> Option<InformerError> {
    loaded().is_none().then(missing)
}

/// Error if the code cannot be loaded.
pub(super) fn missing() -> InformerError {
    let message = "deferred.wasm could not be loaded, which views, work queues and indexes over paths need: \
                   the console of the worker says why";
    InformerError::new(ErrorCode::Internal, message)
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
