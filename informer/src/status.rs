//! Status of an informer.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorCode, InformerError};
use crate::freshness::Freshness;
use crate::phase::Phase;

/// An error as it crosses to a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReport {
    /// The kind of error.
    pub code: ErrorCode,
    /// The sentence for people.
    pub message: String,
    /// The HTTP status, where there was an answer.
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

/// A snapshot of one informer. Times are milliseconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InformerStatus {
    /// Where it is in the protocol.
    pub phase: Phase,
    /// How far what it shows can be trusted.
    pub freshness: Freshness,
    /// Whether the first list has been processed: `HasSynced` of client-go.
    pub has_synced: bool,
    /// The namespaces that it holds, where it was to hold all and the user may list only some; else none.
    pub namespaces: Vec<String>,
    /// Whether the namespace that it was asked for does not exist, as far as the server lets one know. The engine asks
    /// while there are no objects.
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
    /// When the last event arrived.
    pub last_event_at: Option<f64>,
    /// When the last bookmark arrived.
    pub last_bookmark_at: Option<f64>,
    /// When the server last said anything: an accepted watch, an event, a bookmark, a list.
    pub last_contact_at: Option<f64>,
    /// When the next attempt is due, while it waits for one.
    pub next_retry_at: Option<f64>,
    /// Lists begun.
    pub lists: u64,
    /// Watches begun.
    pub watches: u64,
    /// Lists begun after the first success.
    pub relists: u64,
    /// Events applied.
    pub events: u64,
    /// Events that could not be read and were left out.
    pub dropped_events: u64,
    /// Keys that wait in the queue.
    pub queue_depth: u64,
    /// The last thing that went wrong; cleared by the next proof of health. While [`Freshness::Polling`], why there is no watch.
    pub last_error: Option<ErrorReport>,
}
