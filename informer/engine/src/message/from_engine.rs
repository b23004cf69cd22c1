//! Messages from the engine to a page.

use informer::{ErrorReport, InformerStatus};
use serde::{Deserialize, Serialize};

use super::{ChangeMessage, ColumnHeader, Facet, QueryRejection, Row, raw};

/// Message from the engine to a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FromEngine {
    /// Answers [`ToEngine::Connect`].
    Connected {
        /// [`PROTOCOL_VERSION`] of the engine.
        version: u32,
    },
    /// Asks the page for the headers of a request to the apiserver; answered by [`ToEngine::Headers`].
    AskHeaders {
        /// Identifies the answer.
        request: u32,
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
