//! Inputs and outcomes of [`super::Reflector::step`].

use std::sync::Arc;
use std::time::Duration;

use crate::error::{InformerError, Result};
use crate::list::ListPage;
use crate::list_watch::{ListOptions, WatchOptions};
use crate::watch::WatchEvent;

/// Something that happened.
#[derive(Debug)]
pub enum Input<T> {
    /// Begin, or begin again after a stop.
    Start,
    /// The page that was requested. The response to a probe is a page, too.
    Page(ListPage<T>),
    /// More of that page has come.
    Progress,
    /// The request in flight is queued for a connection (`true`), or has left the queue and been sent (`false`).
    Queued(bool),
    /// The watch that was requested has been accepted.
    Opened,
    /// An event of the watch, or one that could not be decoded.
    Event(Result<WatchEvent<T>>),
    /// The watch has ended: cleanly, or with the error that broke it off.
    Ended(Option<InformerError>),
    /// The connection slot of the watch was revoked, so that another informer can have it.
    Revoked,
    /// The page, the watch or the probe that was requested was refused.
    Failed(InformerError),
    /// Time has passed; [`super::Reflector::deadline`] may be due. Harmless when it is not.
    Timer,
    /// The cache has come to take more than [`super::ReflectorOptions::max_bytes`].
    Full,
    /// A page became visible, or the network is back: there is reason to believe that the next attempt succeeds, so a pause
    /// is cut short. An open watch that has been silent for half a minute becomes suspect.
    Wake,
    /// Another request failed in a way that suggests the apiserver is shutting down: an open watch becomes suspect.
    OthersRefused,
    /// A heartbeat of the server failed: it cannot be reached, whatever the open watch looks like.
    Unreachable(InformerError),
    /// A heartbeat succeeded after one that failed.
    Reachable,
    /// Another cluster is there under the same address: everything is listed anew, and what was listed before is deleted at
    /// once. If that is not certain, only what was listed before is listed anew, and nothing is deleted.
    Replaced {
        /// The earliest moment from which on it may have been there.
        since: Duration,
        /// Whether it is known to be another one.
        certain: bool,
    },
    /// The machine has slept: an open watch becomes suspect, and pauses are cut short.
    Slept,
    /// End.
    Stop,
}

/// What to do next. Whatever was in flight before is to be dropped first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Request a page.
    List(ListOptions),
    /// Open a watch.
    Watch(WatchOptions),
    /// Request a list of one object of the newest state, for the sake of its version. It comes as a page.
    Probe,
    /// Do nothing until [`super::Reflector::deadline`].
    Wait,
    /// Do nothing any more: the driver ends.
    Halt,
}

/// What to tell the queue: the methods of client-go's `ReflectorStore`.
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
        /// Keys of objects that could not be decoded: they exist, and what the cache holds of them stays.
        unread: Vec<String>,
    },
    /// A part of the first list, ahead of the rest ([`super::ReflectorOptions::populate_by_page`]).
    Populate {
        /// The objects that could be decoded.
        items: Vec<T>,
        /// With the last part: the version of the list.
        resource_version: Option<String>,
    },
    /// Nothing else changed up to this version.
    Bookmark(String),
}

/// The outcome of a step.
#[derive(Debug, PartialEq)]
pub struct Step<T> {
    /// What to do, when that changes.
    pub command: Option<Command>,
    /// What to tell the queue.
    pub call: Option<StoreCall<T>>,
    /// What to report to the watch-error handler.
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
