//! What an informer says about itself: its phase, and how far what it shows can be trusted.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorCode, InformerError};

/// Where an informer is in the list/watch protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Not started.
    #[default]
    Idle,
    /// A list is in flight, the first one or a relist.
    Listing,
    /// A watch is open: changes arrive as they happen.
    Watching,
    /// Between two attempts, or a watch that has not been answered yet.
    Reconnecting,
    /// Ended by its user.
    Stopped,
    /// Ended by something that no retry can mend, such as a malformed selector.
    Failed,
}

impl Phase {
    /// Its name in messages and in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Listing => "listing",
            Self::Watching => "watching",
            Self::Reconnecting => "reconnecting",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// How far the rows on a screen can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// A watch is open: what is shown is what the server has, as far as it has said. (Of a cluster that was restored
    /// meanwhile it may take a minute and a half to notice.)
    Live,
    /// A request is in flight and nothing has gone wrong with it.
    #[default]
    CatchingUp,
    /// The server answers, but not with what is needed; what is shown is from [`InformerStatus::last_contact_at`].
    Stale,
    /// The server cannot be reached; what is shown is from [`InformerStatus::last_contact_at`].
    Disconnected,
}

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
    /// The last thing that went wrong; cleared by the next proof of health.
    pub last_error: Option<ErrorReport>,
}

impl Freshness {
    /// Its name in messages and in JavaScript: `catching-up`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::CatchingUp => "catching-up",
            Self::Stale => "stale",
            Self::Disconnected => "disconnected",
        }
    }

    /// The freshness that follows from a phase and the last error.
    ///
    /// No answer at all, or a proxy's answer that only says that the apiserver is away ([`ErrorCode::Network`] too), is
    /// [`Freshness::Disconnected`]; any other error is an answer, and so [`Freshness::Stale`].
    pub fn of(phase: Phase, last_error: Option<&InformerError>) -> Self {
        match (phase, last_error) {
            (Phase::Watching, None) => Self::Live,
            (Phase::Stopped | Phase::Failed, _) => Self::Stale,
            (_, None) => Self::CatchingUp,
            (_, Some(error)) => match error.code() {
                ErrorCode::Network | ErrorCode::Timeout => Self::Disconnected,
                _ => Self::Stale,
            },
        }
    }
}
