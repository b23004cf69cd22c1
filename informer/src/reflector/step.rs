//! Inputs and outcomes of [`super::Reflector::step`].

use std::sync::Arc;
use std::time::Duration;

use crate::error::{InformerError, Result};
use crate::list::ListPage;
use crate::list_watch::{ListOptions, WatchOptions};
use crate::watch::WatchEvent;

/// Input of a step: an event, a response, or the passing of time.
#[derive(Debug)]
pub enum Input<T> {
    /// Start, or restart after a stop.
    Start,
    /// The requested page. The response to a probe is a page, too.
    Page(ListPage<T>),
    /// More bytes of that page have arrived.
    Progress,
    /// The request in flight is queued for a connection (`true`), or has left the queue and been sent (`false`).
    Queued(bool),
    /// The requested watch was accepted.
    Opened,
    /// An event of the watch, or one that could not be decoded.
    Event(Result<WatchEvent<T>>),
    /// The watch has ended: cleanly, or with the error that interrupted it.
    Ended(Option<InformerError>),
    /// The connection slot of the watch was revoked for another informer.
    Revoked,
    /// The requested page, watch or probe was rejected.
    Failed(InformerError),
    /// Time has passed; [`super::Reflector::deadline`] may be due. Harmless when it is not.
    Timer,
    /// The cache exceeds [`super::ReflectorOptions::max_bytes`].
    Full,
    /// A page became visible, or the network is back: the next attempt will probably succeed, so a pause ends early. An
    /// open watch that has been silent for half a minute becomes suspect.
    Wake,
    /// Another request failed in a way that suggests the apiserver is shutting down: an open watch becomes suspect.
    OthersRefused,
    /// A heartbeat of the server failed: the server is unreachable, although the watch is still open.
    Unreachable(InformerError),
    /// A heartbeat succeeded after one that failed.
    Reachable,
    /// Another cluster has the same URL: the resource is listed again, and objects listed before are deleted at once.
    /// If the replacement is not certain, only objects listed before it are listed again, and none are deleted.
    Replaced {
        /// Earliest time of the replacement.
        since: Duration,
        /// Whether the replacement is certain.
        certain: bool,
    },
    /// The machine has slept: an open watch becomes suspect, and pauses end early.
    Slept,
    /// End of the reflector.
    Stop,
}

/// Next action of the driver, which first drops the request in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Request a page.
    List(ListOptions),
    /// Open a watch.
    Watch(WatchOptions),
    /// Request a list of one object of the newest state, for its version. The response is a page.
    Probe,
    /// Do nothing until [`super::Reflector::deadline`].
    Wait,
    /// End the driver.
    Halt,
}

/// Calls of the queue: the methods of client-go's `ReflectorStore`.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreCall<T> {
    /// An object was added.
    Add(T),
    /// An object changed.
    Update(T),
    /// An object was deleted.
    Delete(T),
    /// The whole state.
    Replace {
        /// Every object that could be decoded and differs from the cached one.
        items: Vec<T>,
        /// The cached instances of the objects that do not differ.
        unchanged: Vec<Arc<T>>,
        /// The version of the list.
        resource_version: String,
        /// Keys of undecodable objects: they exist, and their cached states stay.
        unread: Vec<String>,
    },
    /// A part of the first list, ahead of the rest ([`super::ReflectorOptions::populate_by_page`]).
    Populate {
        /// The objects that could be decoded.
        items: Vec<T>,
        /// With the last part: the version of the list.
        resource_version: Option<String>,
    },
    /// Bookmark: no other change up to this version.
    Bookmark(String),
}

/// Outcome of a step.
#[derive(Debug, PartialEq)]
pub struct Step<T> {
    /// The next command, if it changes.
    pub command: Option<Command>,
    /// Call of the queue.
    pub call: Option<StoreCall<T>>,
    /// Error for the watch-error handler.
    pub report: Option<InformerError>,
}

impl<T> Step<T> {
    pub(super) fn none() -> Self {
        Self { command: None, call: None, report: None }
    }

    pub(super) fn call(call: StoreCall<T>) -> Self {
        Self { call: Some(call), ..Self::none() }
    }

    pub(super) fn command(command: Command) -> Self {
        Self { command: Some(command), ..Self::none() }
    }
}
