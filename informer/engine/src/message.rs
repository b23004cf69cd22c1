//! What a page and the engine say to each other.
//!
//! The engine may live in a worker, so everything here is plain data. Whole objects cross as JSON text: turning each
//! into JavaScript objects through serde costs some forty times as much as `JSON.parse`. Identifiers (`informer`,
//! `view`, `follow`, `request`, `handler`) are chosen by the page and belong to its port. `js/wire.rs` says what a message
//! looks like in JavaScript.

mod queue;
mod raw;
mod read;
mod view;
mod write;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::columns::ColumnHeader;
use informer::{ErrorReport, InformerStatus};

pub use informer::{InformerMode, InformerOptions};
pub use queue::{QueueAsk, QueueCall, WorkQueueOptions};
pub use view::{Facet, FacetValue, OrderBy, Row, ValuesOptions, ViewOptions, WishRefusal};

/// The version of these messages. Two builds that differ in it do not talk past each other: the engine refuses.
pub const PROTOCOL_VERSION: u32 = 7;

/// A read of the cache of one informer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Read {
    /// One object by its key, `namespace/name` or `name`; null where there is none.
    GetByKey {
        /// The key.
        key: String,
    },
    /// The objects that a lister gives: all of them, unless something is said.
    List {
        /// Of one namespace; of all, if it is empty.
        #[serde(default)]
        namespace: String,
        /// Those that it selects; all, if it is empty.
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

/// How a page's handler wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventHandlerOptions {
    /// Whether it is told of what was there in the beginning. Else nothing of that is sent.
    pub replay: bool,
    /// Milliseconds between resyncs; 0 is never, nothing is as the informer does. The informer has its say:
    /// [`informer::HandlerOptions::resync_period`].
    pub resync_period: Option<u32>,
}

impl Default for EventHandlerOptions {
    fn default() -> Self {
        Self { replay: true, resync_period: None }
    }
}

/// From a page to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToEngine {
    /// The first message on a port: which apiserver, and which version of these messages.
    Connect {
        /// [`PROTOCOL_VERSION`] of the sender.
        version: u32,
        /// Absolute URL of the apiserver or of a proxy's prefix, without a trailing slash.
        url: String,
        /// Whether caches that this port starts are kept beyond a reload, where the engine can: never of what is sensitive.
        #[serde(default)]
        persist: bool,
    },
    /// Removes everything that was kept beyond a reload, for this origin; answered by null. What runs now is not kept any
    /// more.
    Forget {
        /// Identifies the answer.
        request: u32,
    },
    /// Asks for the resources that the server has; answered by a [`FromEngine::Reply`] of [`informer::ResourceInfo`]s.
    Resources {
        /// Identifies the answer.
        request: u32,
    },
    /// Takes part in the shared informer for a resource. It runs once [`ToEngine::Start`] came.
    Informer {
        /// The page's name for it.
        informer: u32,
        /// `v1/pods`, `apps/v1/deployments`.
        resource: String,
        /// Scope and selectors.
        #[serde(default)]
        options: InformerOptions,
    },
    /// Starts every informer of this port that is not started.
    Start,
    /// Leaves a shared informer; its watch closes when the last user has left.
    Stop {
        /// Which.
        informer: u32,
    },
    /// Reads the cache; answered by a [`FromEngine::Reply`].
    Read {
        /// Identifies the answer.
        request: u32,
        /// Of which informer.
        informer: u32,
        /// What.
        read: Read,
    },
    /// Asks what an informer has done and what became of it: metrics, traffic and the last steps of its protocol, as of
    /// now. Answered by a [`FromEngine::Reply`], also before the first list; the server is not asked.
    Inspect {
        /// Identifies the answer.
        request: u32,
        /// Which informer.
        informer: u32,
    },
    /// Adds indexes by JSONPath, those that are missing; answered by null when all are there.
    AddIndexers {
        /// Identifies the answer.
        request: u32,
        /// To which informer.
        informer: u32,
        /// Their paths by name.
        indexers: BTreeMap<String, String>,
    },
    /// Asks for every change, cached objects first.
    AddEventHandler {
        /// Of which informer.
        informer: u32,
        /// The page's name for the registration.
        handler: u32,
        /// How it wants to be told.
        #[serde(default)]
        options: EventHandlerOptions,
    },
    /// A handler is through with a [`FromEngine::Changes`]. The engine sends a few ahead; to a page that does not say so it
    /// sends no more, and coalesces what waits.
    Took {
        /// The page's name for the registration.
        handler: u32,
    },
    /// Ends a registration.
    RemoveEventHandler {
        /// The page's name for the registration.
        handler: u32,
    },
    /// Opens a work queue: from now on it is given the key of each object that changes, and of those that are cached.
    OpenQueue {
        /// The page's name for it.
        queue: u32,
        /// Whose changes.
        informer: u32,
        /// How it works.
        #[serde(default)]
        options: WorkQueueOptions,
    },
    /// Does something to a work queue.
    Queue {
        /// Which.
        queue: u32,
        /// What.
        call: QueueCall,
    },
    /// Asks a work queue; answered by a [`FromEngine::Reply`].
    AskQueue {
        /// Identifies the answer.
        request: u32,
        /// Which.
        queue: u32,
        /// What.
        ask: QueueAsk,
    },
    /// Nobody waits any more for the answer to a [`QueueAsk::Get`]: it fails as aborted, unless it is on its way.
    Cancel {
        /// Which.
        request: u32,
    },
    /// Opens a view; patches follow until it is closed. A view that cannot be at all, as its columns or its selector
    /// cannot be read, is refused, and nothing more is said of it.
    OpenView {
        /// The page's name for it.
        view: u32,
        /// Over which informer.
        informer: u32,
        /// The number of what is wished of it with `options`, answered by a [`FromEngine::Answered`].
        wish: u32,
        /// Filter, order, first window.
        #[serde(default)]
        options: ViewOptions,
    },
    /// Moves the window of a view.
    SetWindow {
        /// Which view.
        view: u32,
        /// First row wanted.
        start: usize,
        /// One past the last row wanted.
        end: usize,
    },
    /// Gives a view another filter, order, facets and namespaces, or nothing of it; answered by a
    /// [`FromEngine::Answered`]. What is in sight stays until a patch replaces it.
    ChangeView {
        /// Which view.
        view: u32,
        /// The number of this wish. The page counts what it wishes of a view, from 1.
        wish: u32,
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
        /// Where the window is to be from then on, if the wish is granted. It stays where it is if nothing is said.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        window: Option<Range<usize>>,
    },
    /// Holds the rows of a view where they are, or lets them go: the pointer is on the table. What is painted in held
    /// places goes on being true: see [`Row::gone`].
    HoldView {
        /// Which view.
        view: u32,
        /// Whether to hold.
        hold: bool,
    },
    /// Asks for the values of a column of a view; answered by a [`FromEngine::Reply`] of a [`Facet`].
    Values {
        /// Identifies the answer.
        request: u32,
        /// Which view.
        view: u32,
        /// Which values, and of which rows.
        options: ValuesOptions,
    },
    /// Closes a view.
    CloseView {
        /// Which view.
        view: u32,
    },
    /// Follows one object: its JSON now and after each change.
    Follow {
        /// The page's name for it.
        follow: u32,
        /// In which informer.
        informer: u32,
        /// `namespace/name` or `name`.
        key: String,
    },
    /// Stops following.
    Unfollow {
        /// Which.
        follow: u32,
    },
    /// There is reason to try again now: the browser is online, the page is looked at, somebody pressed "retry".
    /// Informers of this port that wait for their next attempt make it at once.
    Wake,
    /// The page has become visible, or hidden; a page that does not say so is hidden. While one is visible, a server that
    /// is silent for ten seconds is sent a heartbeat, so that its informers are disconnected within 15 s of its death.
    Visible {
        /// Whether it is visible.
        visible: bool,
    },
    /// The page goes: everything of this port is let go.
    Close,
}

/// One change of an object, as handlers see it. Objects are JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeMessage {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: ChangeKind,
    /// The object's key.
    pub key: String,
    /// The object, or its last known state.
    #[serde(with = "raw")]
    pub object: String,
    /// What was known before an update; none in a resync, where it is the same object.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "raw::option")]
    pub previous: Option<String>,
    /// Whether an addition belongs to what was there when the handler was added.
    pub is_in_initial_list: bool,
    /// Whether the state in a deletion is only what was last seen: the deletion itself was missed.
    pub final_state_unknown: bool,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// It was not known before.
    Add,
    /// It was known.
    Update,
    /// It is gone.
    Delete,
}

/// From the engine to a page.
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
        /// Which.
        request: u32,
        /// The answer as JSON text; its shape follows from the request.
        #[serde(with = "raw")]
        json: String,
    },
    /// A request failed.
    Failed {
        /// Which.
        request: u32,
        /// Why.
        error: ErrorReport,
    },
    /// An informer's status changed. Sent at most once a frame.
    Status {
        /// Which.
        informer: u32,
        /// The new one.
        status: InformerStatus,
    },
    /// Something went wrong in an informer that goes on: the `error` event.
    Error {
        /// Which.
        informer: u32,
        /// What.
        error: ErrorReport,
    },
    /// Changes, in order, for one registration; many that belong together come as several messages.
    Changes {
        /// Which registration.
        handler: u32,
        /// The version that the cache is at.
        resource_version: String,
        /// Whether they come from a relist.
        relist: bool,
        /// The changes.
        changes: Vec<ChangeMessage>,
    },
    /// The registration has been given everything that was there when it was added.
    HandlerSynced {
        /// Which registration.
        handler: u32,
    },
    /// The columns of a view, before its first patch.
    Columns {
        /// Which view.
        view: u32,
        /// The headers, in order.
        columns: Vec<ColumnHeader>,
    },
    /// What changed in a view's window, only rows that differ from what was sent: at most once a frame, and at once
    /// when the window moved.
    View {
        /// Which view.
        view: u32,
        /// The wish that its rows are as; 0 while none has been granted, and every row is shown.
        wish: u32,
        /// Grows with each message of this view.
        revision: u64,
        /// Rows in the whole view.
        total: usize,
        /// Objects that the view is of: how many there would be without the filter.
        of: usize,
        /// Whether the first list is complete. Rows may come before it is, and then there may be more.
        synced: bool,
        /// The window that this message completes: first row.
        start: usize,
        /// One past its last row. Rows outside are forgotten by both sides.
        end: usize,
        /// The rows that are new or changed.
        rows: Vec<Row>,
    },
    /// What the columns that a view counts hold, when it changed: at most once a frame.
    Facets {
        /// Which view.
        view: u32,
        /// The wish that the rows are as that were counted; 0 as in [`FromEngine::View`].
        wish: u32,
        /// One for each of [`ViewOptions::facets`], in their order.
        facets: Vec<Facet>,
    },
    /// What became of a wish: one answer to each, in the order of the wishes. It comes once the wish could be judged,
    /// which takes the columns of the view.
    ///
    /// A wish that is granted is answered behind the patch that shows it: where another row is in sight, it has been sent
    /// by then. (Only of a view that has just been opened, whose columns come before the answer, the rows come later.)
    /// After a wish that is refused everything is as before: filter, order, facets, namespaces, window. A view of which
    /// nothing was granted yet shows every row by namespace and name, in the window that it was opened with.
    Answered {
        /// Which view.
        view: u32,
        /// The number of the wish.
        wish: u32,
        /// Why it is not granted, if it is not.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        refusal: Option<WishRefusal>,
    },
    /// The followed object, or null when it is gone or not there yet.
    Object {
        /// Which.
        follow: u32,
        /// JSON text.
        #[serde(with = "raw::option")]
        json: Option<String>,
    },
    /// The engine cannot serve this port; nothing more will come.
    Refused {
        /// Why.
        error: ErrorReport,
    },
}
