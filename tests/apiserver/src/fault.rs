//! Faults on command: kind, target, frequency and time.
//!
//! This file has the model of `POST /admin/faults` and of the Rust API. Faults act at two places, the request
//! (`request`) and the stream of its response (`stream`), and on the server as a whole (`cluster`). No other module
//! handles faults.

mod cluster;
mod error_response;
mod event;
mod event_kind;
mod faults;
mod frame;
mod line;
mod open;
mod request;
mod request_target;
mod stream;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use faults::ActiveFault;
pub(crate) use faults::Faults;
#[cfg(feature = "sockets")]
pub(crate) use request::ViaWebSocket;
pub(crate) use request::{Limits, middleware};

/// Fault: an action with its target: resource, verb, count and time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Action.
    #[serde(flatten)]
    pub action: FaultAction,
    /// Only requests for this resource, `pods`, `deployments.apps` or `pods/log`; all when `None`.
    #[serde(default)]
    pub resource: Option<String>,
    /// Only requests of this kind.
    #[serde(default)]
    pub verb: FaultVerb,
    /// Number of requests, or events, that pass first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip: u32,
    /// Number of affected requests, or events; until cleared if `None`.
    #[serde(default)]
    pub times: Option<u32>,
    /// Milliseconds until it begins.
    #[serde(default)]
    pub after_ms: u64,
    /// Its duration in milliseconds; until cleared if `None`.
    #[serde(default)]
    pub for_ms: Option<u64>,
}

/// Verbs that a fault applies to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultVerb {
    /// Every request to the API, also discovery, reads and writes.
    #[default]
    Any,
    /// Only lists.
    List,
    /// Only watches.
    Watch,
}

/// Unit that a cut splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inside {
    /// A line, or a frame of protobuf: the first event that exceeds the number of bytes is cut in its middle. Of a list, a chunk
    /// is cut, so probably an item.
    Line,
    /// A character: the cut follows the first byte of the first multi-byte sequence after the number of bytes. In protobuf, a
    /// length may look like one.
    Utf8,
}

/// Action of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case")]
pub enum FaultAction {
    /// Delays a request before it is processed.
    Delay {
        /// Milliseconds.
        ms: u64,
    },
    /// Holds a request until the fault is cleared.
    Hold,
    /// Fails a request like the real server: 401, 403, 404, 410, 429, 500, 503, 504; others likewise.
    Error {
        /// The status code.
        code: u16,
        /// `Retry-After` in seconds, if the real response has one.
        #[serde(default = "one")]
        retry_after: u32,
    },
    /// Fails a request with a proxy's HTML page and 502.
    Html,
    /// Ends the response without its last chunk after this many bytes; at once if 0.
    Cut {
        /// Bytes that still arrive.
        #[serde(default)]
        bytes: u64,
        /// Unit that the cut splits, from there on.
        #[serde(default)]
        inside: Option<Inside>,
    },
    /// Stops the response after this many bytes and keeps it open: a half-open connection.
    Stall {
        /// Bytes that still arrive.
        #[serde(default)]
        bytes: u64,
    },
    /// Ends the response at once, empty but cleanly.
    Close,
    /// Begins a watch with an ERROR event, then ends it cleanly.
    ErrorEvent {
        /// Code of the Status inside.
        code: u16,
    },
    /// Ends a watch cleanly after this many events, as the real server does for a slow reader.
    SlowReader {
        /// Events that still arrive.
        #[serde(default)]
        events: u64,
    },
    /// Sends nothing on a watch until its timeout, as for one from a future version.
    Silence,
    /// Compresses watches that begin with all objects, one gzip member per flush, as Kubernetes 1.37 does.
    GzipMembers,
    /// Sends an event twice.
    Duplicate,
    /// Drops bookmarks, except for the one that ends the initial events.
    DropBookmarks,
    /// Drops the bookmark that ends the initial events.
    NoEndBookmark,
    /// Sends a line that is neither JSON nor UTF-8 before an event. In protobuf, it is read as a frame of 2 GB.
    Garbage,
    /// Sends an event as a line, or a frame, of at least this many bytes.
    Oversized {
        /// Bytes of filler.
        #[serde(default = "sixteen_mebibytes")]
        bytes: usize,
    },
    /// Sends an event with an unknown type.
    UnknownType,
    /// Sends the object of an event as another kind.
    WrongKind,
    /// Delays an event, and all after it.
    DelayEvents {
        /// Milliseconds.
        ms: u64,
    },
    /// Ends open watches without a last chunk.
    CutOpen,
    /// Keeps open watches open, without further data.
    StallOpen,
    /// Ends open watches cleanly.
    EndOpen,
    /// Drops the history: every older version gets a 410.
    Compact,
    /// Kills the server and restarts it with an empty watch cache: even the previous version gets a 410.
    Restart {
        /// Milliseconds during which the proxy cannot reach the apiserver.
        #[serde(default)]
        away_ms: u64,
    },
    /// Replaces the cluster by another one: the same objects with new UIDs and new revisions.
    Replace {
        /// First of the new revisions.
        #[serde(default = "one_revision")]
        revision: u64,
        /// Milliseconds during which the proxy cannot reach the apiserver.
        #[serde(default)]
        away_ms: u64,
    },
    /// Shuts the server down slowly: watches stay open with bookmarks but no events, and new requests get the proxy's
    /// plain-text 500. Then watches end cleanly, and the server restarts with an empty watch cache.
    Drain {
        /// Duration in milliseconds.
        #[serde(default = "a_minute")]
        ms: u64,
    },
    /// Removes a custom resource definition: its watches end, its resource is 404.
    RemoveCrd {
        /// Name of the definition.
        name: String,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn one() -> u32 {
    1
}

fn one_revision() -> u64 {
    1
}

fn a_minute() -> u64 {
    60_000
}

fn sixteen_mebibytes() -> usize {
    16 * 1024 * 1024
}

/// Where an action applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// To a request on arrival, and to the stream of its response.
    Request,
    /// To one event of any open watch.
    Event,
    /// To the server, once.
    Server,
}

impl FaultAction {
    pub(crate) fn scope(&self) -> Scope {
        match self {
            Self::Delay { .. }
            | Self::Hold
            | Self::Error { .. }
            | Self::Html
            | Self::Cut { .. }
            | Self::Stall { .. }
            | Self::Close
            | Self::ErrorEvent { .. }
            | Self::SlowReader { .. }
            | Self::Silence
            | Self::GzipMembers => Scope::Request,
            Self::Duplicate
            | Self::DropBookmarks
            | Self::NoEndBookmark
            | Self::Garbage
            | Self::Oversized { .. }
            | Self::UnknownType
            | Self::WrongKind
            | Self::DelayEvents { .. } => Scope::Event,
            Self::CutOpen
            | Self::StallOpen
            | Self::EndOpen
            | Self::Compact
            | Self::Restart { .. }
            | Self::Replace { .. }
            | Self::Drain { .. }
            | Self::RemoveCrd { .. } => Scope::Server,
        }
    }

    /// Whether it can affect watches only.
    pub(crate) fn is_of_watches(&self) -> bool {
        matches!(self, Self::ErrorEvent { .. } | Self::SlowReader { .. } | Self::Silence | Self::GzipMembers)
    }
}

impl From<FaultAction> for Fault {
    fn from(action: FaultAction) -> Self {
        Self::new(action)
    }
}

impl Fault {
    /// Creates a fault that affects every request at once, until cleared.
    #[must_use]
    pub fn new(action: FaultAction) -> Self {
        Self { action, resource: None, verb: FaultVerb::Any, skip: 0, times: None, after_ms: 0, for_ms: None }
    }

    /// Limits it to this resource, `pods` or `deployments.apps`.
    #[must_use]
    pub fn on(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Limits it to lists.
    #[must_use]
    pub fn lists(mut self) -> Self {
        self.verb = FaultVerb::List;
        self
    }

    /// Limits it to watches.
    #[must_use]
    pub fn watches(mut self) -> Self {
        self.verb = FaultVerb::Watch;
        self
    }

    /// Lets this many requests, or events, pass first.
    #[must_use]
    pub fn skipping(mut self, skip: u32) -> Self {
        self.skip = skip;
        self
    }

    /// Limits it to this many requests, or events.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Delays its beginning.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.after_ms = milliseconds(wait);
        self
    }

    /// Limits its duration.
    #[must_use]
    pub fn lasting(mut self, period: Duration) -> Self {
        self.for_ms = Some(milliseconds(period));
        self
    }

    /// Decodes the JSON of `POST /admin/faults`. An unknown field is an error, because the test would test nothing.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let given: serde_json::Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let fault: Self = serde_json::from_value(given.clone()).map_err(|error| error.to_string())?;
        let known = serde_json::to_value(&fault).map_err(|error| error.to_string())?;
        let fields = given.as_object().into_iter().flatten();
        match fields.map(|(name, _)| name).find(|name| known.get(name.as_str()).is_none()) {
            Some(unknown) => Err(format!("the fault has no field `{unknown}`")),
            None => Ok(fault),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_decoded_with_defaults_and_rejected_with_unknown_fields() {
        let fault = Fault::from_json(br#"{"fault":"cut","bytes":7,"inside":"utf8","resource":"pods","verb":"watch"}"#);
        let cut = FaultAction::Cut { bytes: 7, inside: Some(Inside::Utf8) };
        assert_eq!(fault, Ok(Fault::new(cut).on("pods").watches()));
        let fault = Fault::from_json(br#"{"fault":"error","code":429,"times":2,"after_ms":5,"for_ms":9}"#);
        let error = Fault::new(FaultAction::Error { code: 429, retry_after: 1 }).times(2);
        assert_eq!(fault, Ok(error.after(Duration::from_millis(5)).lasting(Duration::from_millis(9))));
        let strange = Fault::from_json(br#"{"fault":"html","time":1}"#);
        assert_eq!(strange, Err("the fault has no field `time`".to_owned()));
        assert!(Fault::from_json(br#"{"fault":"earthquake"}"#).is_err());
    }
}
