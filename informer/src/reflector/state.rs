//! State: the states of the list/watch protocol, each with its data.
//!
//! ```text
//!  Idle ─► Listing ──────────────► OpeningWatch ─► Watching ─► Probing ─► OpeningWatch …
//!     └──► OpeningStream ─► Streaming ──────────────▲
//!  A failure of any of them ─► Paused ─► Listing, OpeningStream, Probing or OpeningWatch
//!  An error that no retry can correct ─► Failed;  Input::Stop ─► Stopped
//! ```

use std::time::Duration;

use super::listing::Listing;
use super::slot::Slot;
use super::staging::Staging;
use crate::deadlines::WATCH_END_LEEWAY;

/// State of a reflector.
#[derive(Debug)]
pub(super) enum State<T> {
    /// Not started.
    Idle,
    /// A page of a list has been requested.
    Listing(Listing<T>),
    /// A streaming list has been requested and not yet accepted.
    OpeningStream(Opening),
    /// A streaming list sends its initial events.
    Streaming(Streaming<T>),
    /// The newest version has been requested, to verify the server before the watch.
    Probing(Probing),
    /// A watch has been requested and not yet accepted.
    OpeningWatch(Opening, Follows),
    /// A watch is open.
    Watching(Watching),
    /// Between two attempts.
    Paused(Pause),
    /// Stopped by its user.
    Stopped,
    /// Ended by an error that no retry can correct.
    Failed,
}

/// State that the queue has received from this reflector. Separate from [`State`], because it outlives lists and stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Baseline {
    /// Nothing: the next list is the first.
    Empty,
    /// A persisted state of an earlier run, at a version that an open watch confirms without a list.
    Restored,
    /// At least a page of a list.
    Cached {
        /// Start of the last successful list; zero before the first.
        listed_at: Duration,
        /// When it ended.
        list_ended: Duration,
    },
}

impl Baseline {
    /// The queue holds objects, and no list has succeeded.
    pub(super) const UNLISTED: Self = Self::Cached { listed_at: Duration::ZERO, list_ended: Duration::ZERO };
}

/// A watch, plain or streaming a list, that has been requested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) sent: Duration,
    /// Timeout of the watch once it is open.
    pub(super) timeout: Duration,
    pub(super) slot: Slot,
}

/// Predecessor of a watch. A watch that fails after a successful list does not work at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// A list that succeeded; the watch itself has sent no message.
    List,
    /// An earlier watch, or its own first event or bookmark.
    Watch,
}

/// A request for the newest version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probing {
    pub(super) due: Duration,
    pub(super) slot: Slot,
    pub(super) reason: ProbeReason,
}

/// Reason of a probe, which determines whether the next watch has to catch up (`liveness/catch_up.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProbeReason {
    /// The server was unreachable, or may have been. The next watch must show that it has caught up.
    Outage,
    /// No outage was detected: the watch was busy and fell silent, or a persisted state is restored. The probe
    /// suffices.
    Precaution,
}

/// The initial events of a streaming list.
#[derive(Debug)]
pub(super) struct Streaming<T> {
    pub(super) request: Opening,
    /// Number of messages that could be decoded.
    pub(super) messages: u64,
    pub(super) staging: Staging<T>,
}

/// An open watch.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) request: Opening,
    pub(super) follows: Follows,
    /// Time of the last message.
    pub(super) last_message: Duration,
    /// Deadline of the next message, if the watch is suspect.
    pub(super) message_due: Option<Duration>,
    /// Number of messages that could be decoded.
    pub(super) messages: u64,
    /// Version from which it began.
    pub(super) from: String,
}

impl Watching {
    /// Latest time at which the server should have ended it.
    pub(super) fn end_due(&self) -> Duration {
        self.request.sent + self.request.timeout + WATCH_END_LEEWAY
    }
}

/// A wait between two attempts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    pub(super) until: Duration,
    pub(super) next: Next,
}

/// Attempt after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A list, or a streaming list.
    Relist,
    /// The watch, from the last version.
    Watch,
}

impl<T> State<T> {
    /// Whether the request in flight has a connection; `None` if nothing is in flight.
    pub(super) fn slot(&self) -> Option<Slot> {
        match self {
            Self::Listing(listing) => Some(listing.slot),
            Self::OpeningStream(opening) | Self::OpeningWatch(opening, _) => Some(opening.slot),
            Self::Streaming(stream) => Some(stream.request.slot),
            Self::Watching(watch) => Some(watch.request.slot),
            Self::Probing(probing) => Some(probing.slot),
            Self::Idle | Self::Paused(_) | Self::Stopped | Self::Failed => None,
        }
    }

    /// Whether the watch after a successful list has sent no message yet.
    pub(super) fn follows_list(&self) -> bool {
        matches!(self, Self::OpeningWatch(_, Follows::List) | Self::Watching(Watching { follows: Follows::List, .. }))
    }
}
