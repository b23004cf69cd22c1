//! Where a reflector can be.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::watch_phase::GRACE;
use crate::object::Keyed;

#[derive(Debug)]
pub(super) enum State<T> {
    Idle,
    Listing(Listing<T>),
    Opening {
        sent: Duration,
        timeout: Duration,
        /// Whether the watch is to begin with all there is.
        initial_events: bool,
    },
    /// The newest version has been asked for, ahead of a watch.
    Probing {
        due: Duration,
    },
    Watching(Watching<T>),
    Waiting {
        until: Duration,
        then: Then,
    },
    Stopped,
    Failed,
}

/// What the queue has been told so far. Nothing means that the cache is empty, and the next list the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Nothing,
    /// At least a page of a list.
    Something,
}

/// What follows a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Everything anew: a list, or a watch that begins with one.
    Relist,
    /// The watch, from where it was.
    Watch,
}

/// A list in progress. Its pages are staged here, so that a list that breaks off leaves nothing behind; but for a first
/// list whose pages are to be handed on as they come.
#[derive(Debug)]
pub(super) struct Listing<T> {
    /// What the first page was asked for.
    pub(super) version: Option<String>,
    /// What the list is of; the first page says it.
    pub(super) list_version: String,
    pub(super) staged: Vec<T>,
    /// What the cache holds as it came.
    pub(super) unchanged: Vec<Arc<T>>,
    /// Whether pages are handed on as they come, and how many objects were.
    pub(super) by_page: bool,
    pub(super) handed_on: usize,
    /// What all of it will take in the cache.
    pub(super) bytes: u64,
    /// Keys of items that could not be read.
    pub(super) unread: Vec<String>,
    pub(super) begun: Duration,
    /// When the page must be there, or more of it have come.
    pub(super) page_due: Duration,
    /// When the page must be there whatever comes.
    pub(super) page_end: Duration,
    /// The token of the page that is on its way; empty for the first.
    pub(super) token: String,
    /// The whole list at once, because a page token expired.
    pub(super) unpaged: bool,
}

/// An open watch.
#[derive(Debug)]
pub(super) struct Watching<T> {
    pub(super) sent: Duration,
    pub(super) timeout: Duration,
    /// When anything came last.
    pub(super) last_sign: Duration,
    /// Until when it must give a sign of life, if there is reason to doubt that it is alive.
    pub(super) doubted: Option<Duration>,
    /// Events and bookmarks that could be read.
    pub(super) heard: u64,
    /// The version it began at.
    pub(super) from: String,
    /// While the initial events of a streaming list come; none in a plain watch.
    pub(super) staging: Option<Staging<T>>,
}

impl<T> Watching<T> {
    /// When the server should have ended it, and did not.
    pub(super) fn overdue(&self) -> Duration {
        self.sent + self.timeout + GRACE
    }
}

/// What a streaming list has brought so far. The queue sees none of it before the end bookmark.
#[derive(Debug)]
pub(super) struct Staging<T> {
    /// In the order in which they came, with gaps where one went again.
    objects: Vec<Option<T>>,
    /// Where each is among them, by key.
    places: HashMap<String, usize>,
    /// Keys of objects that could not be read: few, if any.
    unread: Vec<String>,
    /// What the objects will take in the cache.
    pub(super) bytes: u64,
    /// When the end bookmark must have come; each initial event moves it.
    pub(super) end_due: Duration,
}

impl<T: Keyed> Staging<T> {
    pub(super) fn new(end_due: Duration) -> Self {
        Self { objects: Vec::new(), places: HashMap::new(), unread: Vec::new(), bytes: 0, end_due }
    }

    pub(super) fn put(&mut self, object: T) {
        self.bytes += object.size() as u64;
        if let Some(place) = self.places.get(object.key()) {
            let old = self.objects[*place].replace(object);
            self.bytes -= old.map_or(0, |old| old.size() as u64);
        } else {
            self.places.insert(object.key().to_owned(), self.objects.len());
            self.objects.push(Some(object));
        }
    }

    pub(super) fn put_unread(&mut self, key: &str) {
        if !self.unread.iter().any(|known| known == key) {
            self.unread.push(key.to_owned());
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some(place) = self.places.remove(key) {
            let old = self.objects[place].take();
            self.bytes -= old.map_or(0, |old| old.size() as u64);
        }
        self.unread.retain(|known| known != key);
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// What could be read, and the keys of what could not.
    pub(super) fn into_parts(self) -> (Vec<T>, Vec<String>) {
        (self.objects.into_iter().flatten().collect(), self.unread)
    }
}
