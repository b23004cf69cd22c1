//! What goes into a step and what comes out.

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
    /// The page that was asked for.
    Page(ListPage<T>),
    /// More of that page has come.
    Progress,
    /// The page or the watch that was asked for waits for a connection; or does no longer, and has been sent.
    Waiting(bool),
    /// The watch that was asked for has been accepted.
    Opened,
    /// An event of the watch, or one that could not be read.
    Event(Result<WatchEvent<T>>),
    /// The watch has ended: cleanly, or broken off.
    Ended(Option<InformerError>),
    /// The watch has ended for others to have its connection.
    Recalled,
    /// The page or the watch that was asked for was refused.
    Failed(InformerError),
    /// Time has passed; [`super::Reflector::deadline`] may be due. Harmless when it is not.
    Timer,
    /// The cache has come to take more than [`super::ReflectorOptions::max_bytes`].
    Full,
    /// There is reason to believe that the next attempt will succeed: do not wait for it. An open watch that has been
    /// silent for half a minute must give a sign of life.
    Wake,
    /// The server was seen to refuse somebody as one does that is about to go: an open watch must give a sign of life.
    Doubt,
    /// A heartbeat of the server failed: it cannot be reached, whatever the open watch looks like.
    Unreachable(InformerError),
    /// A heartbeat succeeded after one that failed.
    Reachable,
    /// Another cluster is there under the same address: everything is listed anew, and what was listed before that goes at
    /// once. Where that is not certain only what was listed before is listed anew, and nothing goes.
    Replaced {
        /// The earliest moment from which on it may have been there.
        since: Duration,
        /// Whether it is known to be another one.
        certain: bool,
    },
    /// The machine has slept: an open watch must give a sign of life, and waits are cut short.
    Slept,
    /// End.
    Stop,
}

/// What to do next. Whatever was in flight before is to be dropped first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Ask for a page.
    List(ListOptions),
    /// Open a watch.
    Watch(WatchOptions),
    /// Ask for one object of the newest list, for the sake of its version. It comes as a page.
    Probe,
    /// Do nothing until [`super::Reflector::deadline`].
    Wait,
    /// Do nothing any more.
    Halt,
}

/// What the queue is to be told: the methods of client-go's `ReflectorStore`.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreCall<T> {
    /// An object came to be.
    Add(T),
    /// An object changed.
    Update(T),
    /// An object is gone.
    Delete(T),
    /// This is all there is.
    Replace {
        /// Everything that could be read and was not cached as it is.
        items: Vec<T>,
        /// What was: these very instances.
        unchanged: Vec<Arc<T>>,
        /// The version of the list.
        resource_version: String,
        /// Keys of what is there but could not be read: it is not gone.
        unread: Vec<String>,
    },
    /// This is a part of the first list, ahead of the rest ([`super::ReflectorOptions::populate_by_page`]).
    Populate {
        /// What could be read.
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
    /// What to report to whoever handles watch errors.
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
