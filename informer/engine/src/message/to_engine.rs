//! Messages from a page to the engine.

use std::ops::Range;

use informer::transport::user_headers::UserHeaders;
use serde::{Deserialize, Serialize};

use super::{
    AggregateOptions, EventHandlerOptions, InformerOptions, OrderBy, QueueCall, QueueRequest, RecordingOptions,
    SearchOptions, ServerOptions, TextsByName, ViewOptions, ViewRequest, WorkQueueOptions,
};

/// Message from a page to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToEngine {
    /// First message on a port: the apiserver, and the version of these messages. Its type is `connect`, with the URL as
    /// the only server option, or `connectAs`, with any of them, which deferred code decodes.
    Connect {
        /// [`PROTOCOL_VERSION`] of the sender.
        version: u32,
        /// The apiserver, and how to reach it.
        #[serde(flatten)]
        server: ServerOptions,
        /// Whether caches that this port starts are persisted, if the engine can; never those of sensitive resources.
        #[serde(default)]
        persist: bool,
    },
    /// Answers [`FromEngine::AskHeaders`].
    Headers {
        /// The request.
        request: u32,
        /// Headers of the request that the engine is about to send.
        #[serde(default)]
        headers: UserHeaders,
        /// Why there are none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error: Option<String>,
    },
    /// Deletes all snapshots of this origin; answered by null. Running informers are not persisted any more.
    Clear {
        /// Identifies the response.
        request: u32,
    },
    /// Requests the resources of the server; answered by a [`FromEngine::Reply`] of [`informer::ResourceInfo`]s.
    Resources {
        /// Identifies the response.
        request: u32,
    },
    /// Subscribes to the shared informer for a resource. It runs after [`ToEngine::Start`] or [`ToEngine::StartOne`].
    Informer {
        /// The page's id for it.
        informer: u32,
        /// `v1/pods`, `apps/v1/deployments`.
        resource: String,
        /// Scope and selectors.
        #[serde(default)]
        options: InformerOptions,
    },
    /// Starts all informers of this port that are not running.
    Start,
    /// Starts one informer, if it is not running.
    StartOne {
        /// Informer.
        informer: u32,
    },
    /// Releases a shared informer; its watch closes after the last release.
    Stop {
        /// Informer.
        informer: u32,
    },
    /// Reads the cache; answered by a [`FromEngine::Reply`].
    Read {
        /// Identifies the response.
        request: u32,
        /// Informer.
        informer: u32,
        /// Read.
        read: Read,
    },
    /// Requests metrics, traffic and the last protocol steps of an informer. Answered by a [`FromEngine::Reply`],
    /// also before the first list, without a request to the server.
    Inspect {
        /// Identifies the response.
        request: u32,
        /// Informer.
        informer: u32,
    },
    /// Requests the status, metrics and traffic of all informers of the apiserver, of all pages, and the use of its
    /// connections. Answered by a [`FromEngine::Reply`] without a request to the server.
    InspectAll {
        /// Identifies the response.
        request: u32,
        /// Whether to include the last protocol steps of each informer.
        history: bool,
    },
    /// Searches the cache of an informer for words; answered by a [`FromEngine::Reply`]: see [`SearchOptions`].
    Search {
        /// Identifies the response.
        request: u32,
        /// Informer.
        informer: u32,
        /// What to search for, and where.
        options: SearchOptions,
    },
    /// Adds missing indexes by JSONPath; answered by null when all are complete.
    AddIndexers {
        /// Identifies the response.
        request: u32,
        /// Informer.
        informer: u32,
        /// Their paths by name.
        indexers: TextsByName,
    },
    /// Subscribes to all changes, cached objects first.
    AddEventHandler {
        /// Informer.
        informer: u32,
        /// The page's id for the registration.
        handler: u32,
        /// Options.
        #[serde(default)]
        options: EventHandlerOptions,
    },
    /// Acknowledges one [`FromEngine::Changes`]. A few may be unacknowledged; beyond that the engine merges the
    /// waiting changes.
    Ack {
        /// Registration.
        handler: u32,
    },
    /// Ends a registration.
    RemoveEventHandler {
        /// Registration.
        handler: u32,
    },
    /// Opens a work queue: it receives the keys of all cached objects, then of each object that changes.
    OpenQueue {
        /// The page's id for it.
        queue: u32,
        /// Informer.
        informer: u32,
        /// Options.
        #[serde(default)]
        options: WorkQueueOptions,
    },
    /// Calls a work queue without a response.
    Queue {
        /// Work queue.
        queue: u32,
        /// Call.
        call: QueueCall,
    },
    /// Requests something from a work queue; answered by a [`FromEngine::Reply`].
    AskQueue {
        /// Identifies the response.
        request: u32,
        /// Work queue.
        queue: u32,
        /// Request.
        ask: QueueRequest,
    },
    /// A message that the deferred code decodes.
    Undecoded {
        /// Its JSON text.
        text: String,
    },
    /// Requests a connection slot for a request that the page sends itself; answered by null when it has one. A slot
    /// for a stream may be revoked: then the same request fails after its reply. [`ToEngine::Cancel`] returns the slot.
    Lease {
        /// Identifies the response and the slot.
        request: u32,
        /// Whether the response is a stream that stays open.
        stream: bool,
    },
    /// Cancels a [`QueueRequest::Get`]: it fails as aborted, unless its reply is on its way. Returns the slot of a
    /// [`ToEngine::Lease`], or leaves the queue for one.
    Cancel {
        /// Request to cancel.
        request: u32,
    },
    /// Opens a view; patches follow until it is closed. A view with invalid columns or an invalid selector is
    /// rejected, and no other message about it follows.
    OpenView {
        /// The page's id for it.
        view: u32,
        /// Informer.
        informer: u32,
        /// Number of the view query in `options`, answered by a [`FromEngine::QueryResult`].
        query_id: u32,
        /// Filter, order, first window.
        #[serde(default)]
        options: ViewOptions,
    },
    /// Moves the window of a view.
    SetWindow {
        /// View.
        view: u32,
        /// First row.
        start: usize,
        /// One past the last row.
        end: usize,
    },
    /// View query: replaces filter, order, facets and namespaces together, or is rejected as a whole; answered by a
    /// [`FromEngine::QueryResult`]. Visible rows stay until a patch replaces them.
    ChangeView {
        /// View.
        view: u32,
        /// Number of this view query; the page counts the queries of a view from 1.
        query_id: u32,
        /// As in [`ViewOptions::filter`].
        #[serde(default)]
        filter: String,
        /// As in [`ViewOptions::order_by`].
        #[serde(default)]
        order_by: Vec<OrderBy>,
        /// As in [`ViewOptions::facets`].
        #[serde(default)]
        facets: Vec<String>,
        /// As in [`ViewOptions::namespaces`].
        #[serde(default)]
        namespaces: Vec<String>,
        /// Window from then on, if the query is applied. Unchanged by default.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        window: Option<Range<usize>>,
    },
    /// Freezes the order of a view's rows, or unfreezes it: the pointer is on the table. Cells of frozen rows stay
    /// current; see [`Row::gone`].
    Freeze {
        /// View.
        view: u32,
        /// Whether to freeze.
        frozen: bool,
    },
    /// Requests something from a view, an aggregate or a recording; answered by a [`FromEngine::Reply`].
    AskView {
        /// Identifies the response.
        request: u32,
        /// View, aggregate or recording.
        view: u32,
        /// Request.
        ask: ViewRequest,
    },
    /// Closes a view, an aggregate or a recording.
    CloseView {
        /// View, aggregate or recording.
        view: u32,
    },
    /// Opens an aggregate. Patches follow until [`ToEngine::CloseView`], unless it is rejected.
    OpenAggregate {
        /// The page's id for it; ids of views and aggregates are distinct.
        view: u32,
        /// Informer.
        informer: u32,
        /// As in [`ToEngine::OpenView`].
        query_id: u32,
        /// Filter, groups, values.
        #[serde(default)]
        options: AggregateOptions,
    },
    /// Records the changes of an informer from its first complete list on. Patches follow until
    /// [`ToEngine::CloseView`], which also deletes the recorded changes.
    OpenRecording {
        /// The page's id for it; distinct from those of views and aggregates.
        view: u32,
        /// Informer.
        informer: u32,
        /// As in [`ToEngine::OpenView`].
        query_id: u32,
        /// Size.
        #[serde(default)]
        options: RecordingOptions,
    },
    /// Follows one object: its JSON now and after each change.
    Follow {
        /// The page's id for it.
        follow: u32,
        /// Informer.
        informer: u32,
        /// `namespace/name` or `name`.
        key: String,
    },
    /// Ends following an object.
    Unfollow {
        /// The page's id for it.
        follow: u32,
    },
    /// Retries now: the browser is online, the page became visible, or the user pressed "retry". Informers of this
    /// port skip the delay before their next attempt.
    Wake,
    /// The page became visible or hidden; it is hidden until the first such message. While a page is visible, a
    /// server that is silent for ten seconds is sent a heartbeat, so that its informers are disconnected within 15 s
    /// of its death.
    Visible {
        /// Whether it is visible.
        visible: bool,
    },
    /// The page ends: everything of this port is released.
    Close,
}

/// A read of the cache of one informer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Read {
    /// One object by its key, `namespace/name` or `name`; null if it is not cached.
    GetByKey {
        /// The key.
        key: String,
    },
    /// Objects of a lister; all by default.
    List {
        /// Namespace; empty means all.
        #[serde(default)]
        namespace: String,
        /// Label selector; empty means all.
        #[serde(default)]
        label_selector: String,
    },
    /// All keys, sorted.
    ListKeys,
    /// Objects of one index value.
    ByIndex {
        /// Name of the index.
        index: String,
        /// Its value.
        value: String,
    },
    /// Keys of one index value, sorted.
    IndexKeys {
        /// Name of the index.
        index: String,
        /// Its value.
        value: String,
    },
    /// All values of an index, sorted.
    ListIndexFuncValues {
        /// Name of the index.
        index: String,
    },
    /// The paths of all indexes by name.
    GetIndexers,
}
