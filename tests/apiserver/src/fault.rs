//! Faults on command: their kind, target, frequency and time.
//!
//! The model is here, as `POST /admin/faults` and the Rust API take it. It acts at two seams, the request (`request`)
//! and the stream of its answer (`stream`), and on the server as a whole (`cluster`); nothing else knows of faults.

mod answer;
mod asked;
mod cluster;
mod event;
mod faults;
mod open;
mod request;
mod stream;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use faults::ActiveFault;
pub(crate) use faults::Faults;
pub(crate) use request::{Limits, ViaWebSocket, seam};

/// One thing that goes wrong, and its address: resource, verb, count and time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What goes wrong.
    #[serde(flatten)]
    pub action: FaultAction,
    /// Only requests for this resource, `pods` or `deployments.apps`; all when `None`.
    #[serde(default)]
    pub resource: Option<String>,
    /// Only requests of this kind.
    #[serde(default)]
    pub verb: FaultVerb,
    /// How many requests, or events, it lets pass before the first that it strikes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip: u32,
    /// How many requests, or events, it strikes; until cleared when `None`.
    #[serde(default)]
    pub times: Option<u32>,
    /// Milliseconds until it begins.
    #[serde(default)]
    pub after_ms: u64,
    /// Milliseconds it then lasts; until cleared when `None`.
    #[serde(default)]
    pub for_ms: Option<u64>,
}

/// The requests a fault is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultVerb {
    /// Every request to the API: discovery, reads and writes too.
    #[default]
    Any,
    /// Only lists.
    List,
    /// Only watches.
    Watch,
}

/// What a cut goes through the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inside {
    /// A line: the middle of the first event that reaches past the number of bytes.
    Line,
    /// A character: after the first byte of the first multi-byte sequence past the number of bytes.
    Utf8,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case")]
pub enum FaultAction {
    /// A request waits before it is looked at.
    Delay {
        /// Milliseconds.
        ms: u64,
    },
    /// A request waits until the fault is cleared.
    Hold,
    /// A request fails as the real server would fail it: 401, 403, 404, 410, 429, 500, 503, 504; others likewise.
    Error {
        /// The status code.
        code: u16,
        /// `Retry-After` in seconds, where the real answer has one.
        #[serde(default = "one")]
        retry_after: u32,
    },
    /// A request fails with a proxy's page of HTML and 502.
    Html,
    /// The answer ends without its last chunk after so many bytes; at once when none.
    Cut {
        /// Bytes that still arrive.
        #[serde(default)]
        bytes: u64,
        /// What to cut through, from there on.
        #[serde(default)]
        inside: Option<Inside>,
    },
    /// The answer stops after so many bytes and stays open: a half-open connection.
    Stall {
        /// Bytes that still arrive.
        #[serde(default)]
        bytes: u64,
    },
    /// The answer ends at once, empty but cleanly.
    Close,
    /// A watch begins with an ERROR event and ends cleanly.
    ErrorEvent {
        /// Code of the Status inside.
        code: u16,
    },
    /// A watch ends cleanly after so many events, as the real server cuts off a slow reader.
    SlowReader {
        /// Events that still arrive.
        #[serde(default)]
        events: u64,
    },
    /// A watch says nothing until its timeout, as one from a version of the future.
    Silence,
    /// Watches that begin with everything are gzipped, one member a flush, as Kubernetes 1.37 does.
    GzipMembers,
    /// An event comes twice.
    Duplicate,
    /// Bookmarks do not come; the one that ends the initial events does.
    DropBookmarks,
    /// The bookmark that ends the initial events does not come.
    NoEndBookmark,
    /// A line that is neither JSON nor UTF-8 comes before an event.
    Garbage,
    /// An event comes as a line of at least so many bytes.
    Oversized {
        /// Bytes of filler.
        #[serde(default = "sixteen_mebibytes")]
        bytes: usize,
    },
    /// An event has an unknown type.
    UnknownType,
    /// The object of an event comes as another kind.
    WrongKind,
    /// An event comes late, and with it all after it.
    DelayEvents {
        /// Milliseconds.
        ms: u64,
    },
    /// Watches open now end without a last chunk.
    CutOpen,
    /// Watches open now stay open and say nothing more.
    StallOpen,
    /// Watches open now end cleanly.
    EndOpen,
    /// The history is dropped: every older version answers 410.
    Compact,
    /// The server is killed and comes back with an empty watch cache: even one version back answers 410.
    Restart {
        /// Milliseconds in which the proxy cannot reach the apiserver.
        #[serde(default)]
        away_ms: u64,
    },
    /// Another cluster is there in place of this one: the same objects with new UIDs, in a new revision space.
    Replace {
        /// Where the new revisions begin.
        #[serde(default = "one_revision")]
        revision: u64,
        /// Milliseconds in which the proxy cannot reach the apiserver.
        #[serde(default)]
        away_ms: u64,
    },
    /// The server shuts down slowly: watches stay open with bookmarks but no events, new requests get the proxy's
    /// plain-text 500. Then watches end cleanly and the server is back with an empty watch cache.
    Drain {
        /// Milliseconds it takes.
        #[serde(default = "a_minute")]
        ms: u64,
    },
    /// A custom resource definition goes: its watches end, its resource is 404.
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

/// Where an action acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// On a request as it comes, and on the stream of its answer.
    Request,
    /// On one event of any open watch.
    Event,
    /// On the server, once.
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

    /// Whether it can only strike watches.
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
    /// Strikes every request at once and until cleared, by default.
    #[must_use]
    pub fn new(action: FaultAction) -> Self {
        Self { action, resource: None, verb: FaultVerb::Any, skip: 0, times: None, after_ms: 0, for_ms: None }
    }

    /// Only for this resource, `pods` or `deployments.apps`.
    #[must_use]
    pub fn on(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Only for lists.
    #[must_use]
    pub fn lists(mut self) -> Self {
        self.verb = FaultVerb::List;
        self
    }

    /// Only for watches.
    #[must_use]
    pub fn watches(mut self) -> Self {
        self.verb = FaultVerb::Watch;
        self
    }

    /// Lets so many requests, or events, pass first.
    #[must_use]
    pub fn skipping(mut self, skip: u32) -> Self {
        self.skip = skip;
        self
    }

    /// Only so many requests, or events.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Begins later.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.after_ms = milliseconds(wait);
        self
    }

    /// Lasts so long.
    #[must_use]
    pub fn lasting(mut self, period: Duration) -> Self {
        self.for_ms = Some(milliseconds(period));
        self
    }

    /// Reads the JSON of `POST /admin/faults`. A field that means nothing is an error: it would be a test of nothing.
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
    fn json_is_read_with_its_defaults_and_refused_with_strange_fields() {
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
