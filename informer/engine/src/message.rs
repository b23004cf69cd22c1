//! Messages between a page and the engine.
//!
//! The engine may run in a worker, so messages are plain data. Whole objects cross as JSON text: turning each into
//! JavaScript objects through serde costs about forty times as much as `JSON.parse`. Identifiers (`informer`, `view`,
//! `follow`, `request`, `handler`) are chosen by the page and belong to its port.
//!
//! Over a port a message is `{type: "setWindow", view: 1, start: 0, end: 50}`, or the same as JSON text. The engine
//! sends text: a page decodes it with one `JSON.parse`, objects of the cluster included, and text crosses between
//! threads faster than objects. The engine needs no serde: `ToEngine::from_json`, `FromEngine::to_json`. Serde's own
//! form of these enums, `{setWindow: {view: 1, …}}` or `"wake"`, is for tests.

mod aggregate;
mod by_name;
mod change;
mod queue;
mod raw;
mod read;
mod recording;
mod search;
mod view;
mod write;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::columns::ColumnHeader;
use informer::{ErrorReport, InformerStatus};

pub use crate::order_by::OrderBy;
pub use crate::value_counts::{Facet, FacetValue, ValuesOptions};
pub use aggregate::{AggregateOp, AggregateOptions, AggregateValue};
pub use by_name::TextsByName;
pub use change::{ChangeKind, ChangeMessage, EventHandlerOptions};
pub use informer::{InformerMode, InformerOptions};
pub use queue::{QueueCall, QueueRequest, WorkQueueOptions};
pub use recording::{ChangesOptions, RecordingOptions, ViewRequest};
pub use search::SearchOptions;
pub use view::{QueryRejection, Row, ViewOptions};
pub(crate) use write::write_status;

/// Version of these messages. If two builds differ in it, the engine rejects the page.
pub const PROTOCOL_VERSION: u32 = 14;

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

/// Message from a page to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToEngine {
    /// First message on a port: the apiserver, and the version of these messages.
    Connect {
        /// [`PROTOCOL_VERSION`] of the sender.
        version: u32,
        /// Absolute URL of the apiserver or of a proxy's prefix, without a trailing slash.
        url: String,
        /// Whether caches that this port starts are persisted, if the engine can; never those of sensitive resources.
        #[serde(default)]
        persist: bool,
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

/// Message from the engine to a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FromEngine {
    /// Answers [`ToEngine::Connect`].
    Connected {
        /// [`PROTOCOL_VERSION`] of the engine.
        version: u32,
    },
    /// A request succeeded.
    Reply {
        /// Request.
        request: u32,
        /// Result as JSON text; its shape follows from the request.
        #[serde(with = "raw")]
        json: String,
    },
    /// A request failed.
    Failed {
        /// Request.
        request: u32,
        /// Error.
        error: ErrorReport,
    },
    /// An informer's status changed. Sent at most once per frame.
    Status {
        /// Informer.
        informer: u32,
        /// New status.
        status: InformerStatus,
    },
    /// Error of an informer that continues: the `error` event.
    Error {
        /// Informer.
        informer: u32,
        /// Error.
        error: ErrorReport,
    },
    /// Changes, in order, for one registration; a large batch is sent as several messages.
    Changes {
        /// Registration.
        handler: u32,
        /// Version of the cache.
        resource_version: String,
        /// Whether they come from a relist.
        relist: bool,
        /// The changes.
        changes: Vec<ChangeMessage>,
    },
    /// The registration has received all objects that were cached when it was added.
    HandlerSynced {
        /// Registration.
        handler: u32,
    },
    /// The columns of a view, before its first patch.
    Columns {
        /// View.
        view: u32,
        /// Headers, in order.
        columns: Vec<ColumnHeader>,
    },
    /// Patch of a view's window, with only the rows that differ from those sent: at most once per frame, and at once
    /// when the window moved.
    View {
        /// View.
        view: u32,
        /// The view query that the rows belong to; 0 before the first one is applied, when every row is shown.
        query_id: u32,
        /// Increases with each message of this view.
        revision: u64,
        /// Rows in the whole view.
        total: usize,
        /// Objects in scope of the view: the total without the filter.
        of: usize,
        /// Whether the first list is complete. Rows may be sent before that, and more may follow.
        synced: bool,
        /// First row of the window that this message completes.
        start: usize,
        /// One past its last row. Both sides discard rows outside.
        end: usize,
        /// New and changed rows.
        rows: Vec<Row>,
    },
    /// Value counts of a view, after a change: at most once per frame.
    Facets {
        /// View.
        view: u32,
        /// The view query that the counts belong to; 0 as in [`FromEngine::View`].
        query_id: u32,
        /// One for each of [`ViewOptions::facets`], in their order.
        facets: Vec<Facet>,
    },
    /// Patch of an aggregate or a recording: at most once per frame.
    Patch {
        /// Aggregate or recording.
        view: u32,
        /// JSON text. Of a recording: `{keptSince, count, bytes, time}`, the time from which on states are known, and
        /// the number and size of the changes. Of an aggregate: `{synced, count, total, gone, groups: [{id, key,
        /// values}], order}`. `count` is the number of groups, `total` has the values over all of them. `gone` are the
        /// ids of groups that are no longer sent; they apply before `groups`, which are the new and changed ones.
        /// `order` has the ids of all sent groups, in order; it is missing if it has not changed. Numbers have all
        /// their digits.
        #[serde(with = "raw")]
        patch: String,
    },
    /// Result of a view query: one reply per query, in order, once the columns of the view are known.
    ///
    /// The reply to an applied query follows the patch that shows it: if other rows became visible, they have been
    /// sent. (Only for a view that has just been opened, whose columns precede the reply, the rows follow.) A
    /// rejected query changes nothing: not filter, order, facets, namespaces or window. A view without an applied
    /// query shows every row by namespace and name, in the window that it was opened with.
    #[serde(rename = "result")]
    QueryResult {
        /// View.
        view: u32,
        /// Number of the view query.
        query_id: u32,
        /// The error, if the query was rejected.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        rejection: Option<QueryRejection>,
    },
    /// The followed object, or null if it was deleted or does not exist yet.
    Object {
        /// The page's id for it.
        follow: u32,
        /// JSON text.
        #[serde(with = "raw::option")]
        json: Option<String>,
    },
    /// The engine rejects this port; no message follows.
    Refused {
        /// Error.
        error: ErrorReport,
    },
}
