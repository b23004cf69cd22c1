//! Status of an informer.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorCode, InformerError};
use crate::freshness::Freshness;
use crate::phase::Phase;

/// Error as it is sent to a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReport {
    /// The kind of error.
    pub code: ErrorCode,
    /// Message for users.
    pub message: String,
    /// HTTP status, if there was a response.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// Method and path, never headers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request: Option<String>,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

impl From<&InformerError> for ErrorReport {
    fn from(error: &InformerError) -> Self {
        Self {
            code: error.code(),
            message: error.message().to_owned(),
            status: error.status(),
            request: error.request().map(str::to_owned),
            retryable: error.is_retryable(),
        }
    }
}

/// Status of one informer. Times are milliseconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InformerStatus {
    /// Phase of the list/watch protocol.
    pub phase: Phase,
    /// How far the cache can be trusted.
    pub freshness: Freshness,
    /// Whether the first list is in the cache (client-go's `HasSynced`).
    pub has_synced: bool,
    /// The cached namespaces, if all were requested and the user may list only some of them. Empty otherwise.
    pub namespaces: Vec<String>,
    /// Whether the requested namespace does not exist, if the server lets the user check. While there are no
    /// objects, the engine checks until it exists.
    #[serde(default)]
    pub namespace_missing: bool,
    /// The version that a watch would resume from; opaque.
    pub resource_version: String,
    /// Objects in the cache.
    pub objects: u64,
    /// Bytes of object bodies in the cache.
    pub bytes: u64,
    /// Objects received so far by the list in flight.
    pub listed: u64,
    /// Time of the last event.
    pub last_event_at: Option<f64>,
    /// Time of the last bookmark.
    pub last_bookmark_at: Option<f64>,
    /// Time of the last contact with the server: an accepted watch, an event, a bookmark, a list.
    pub last_contact_at: Option<f64>,
    /// Time of the next attempt, if one is scheduled.
    pub next_retry_at: Option<f64>,
    /// Lists begun.
    pub lists: u64,
    /// Watches begun.
    pub watches: u64,
    /// Lists begun after the first success.
    pub relists: u64,
    /// Events applied.
    pub events: u64,
    /// Events that could not be decoded and were skipped.
    pub dropped_events: u64,
    /// Entries waiting in the queue.
    pub queue_depth: u64,
    /// The last error; cleared when the informer is healthy again. While [`Freshness::Polling`], the reason why there
    /// is no watch.
    pub last_error: Option<ErrorReport>,
}
