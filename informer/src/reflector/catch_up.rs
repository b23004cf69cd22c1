//! Catching up after an outage: a watch is live only when it has come as far as the probe showed.
//!
//! The probe in `proof.rs` says which version the server has, not what a watch has brought. On a slow line the events of
//! the outage, or the 410 that says that the version is gone, may arrive minutes after the watch was accepted. If the
//! probe showed another version than ours, the next watch is therefore a short one of [`SHORT`]. Three things prove that
//! it has caught up, and none of them reads a version as a number:
//!
//! - an event or a bookmark at the very version that the probe showed;
//! - any bookmark, because the server makes it after the probe, behind all events before it. An apiserver sends one two
//!   seconds before the deadline of a watch (`cacher.go`: `nextBookmarkTime`), so a short watch brings one after a second;
//! - its end on time, because a response that ends cleanly is complete. Servers without bookmarks prove it this way.
//!
//! A short watch that proves nothing in time is followed by a list of the newest. A watch that was only suspected of being dead, or that
//! resumes a snapshot, is believed behind the probe: no outage was seen, and the user would wait for each of them.

use std::time::Duration;

use super::state::{State, Watching};
use super::{Reflector, Step};
use crate::object::Keyed;

/// The timeout of a watch that must prove that it has caught up. The bookmark comes two seconds before.
pub(super) const SHORT: Duration = Duration::from_secs(3);

/// How much earlier than its timeout a watch may end and still be on time: clocks are coarse.
const COARSE: Duration = Duration::from_millis(100);

/// How far the next watch, or the open one, has to come.
#[derive(Debug, Default)]
pub(super) struct CatchUp {
    /// The version that the probe showed, until it is reached.
    target: Option<String>,
    /// The next probe is not behind an outage.
    lenient: bool,
}

impl CatchUp {
    /// Whether the watch has yet to show that it has caught up.
    pub(super) fn is_pending(&self) -> bool {
        self.target.is_some()
    }

    /// The watch is left although no outage was seen: it resumes a snapshot, or it is suspected of being dead.
    pub(super) fn be_lenient(&mut self) {
        self.lenient = self.target.is_none();
    }

    /// The server was away, so the next probe must be reached.
    pub(super) fn be_strict(&mut self) {
        self.lenient = false;
    }

    /// A probe showed this version; the watch would resume from `from`.
    pub(super) fn probed(&mut self, version: &str, from: &str) {
        let lenient = std::mem::take(&mut self.lenient);
        self.target = (!lenient && version != from).then(|| version.to_owned());
    }

    /// The watch has come as far as this version.
    pub(super) fn reached(&mut self, version: &str) {
        self.target.take_if(|target| target == version);
    }

    /// A list is there. Only one of the newest is certain to be as new as the probe: a list of "at least" a version comes
    /// from a watch cache, which may be behind.
    pub(super) fn listed(&mut self, asked: Option<&str>, version: &str) {
        match asked {
            None => self.done(),
            Some(_) => self.reached(version),
        }
    }

    /// Nothing is missing: there was a list of the newest, a bookmark, or the end of a response.
    pub(super) fn done(&mut self) {
        self.target = None;
    }
}

impl<T: Keyed> Reflector<T> {
    /// How long the next plain watch may live.
    pub(super) fn plain_timeout(&mut self) -> Duration {
        if self.catch_up.is_pending() { SHORT } else { self.draw_timeout() }
    }

    /// Whether the watch that ends cleanly now was short and is complete. It is done then.
    pub(super) fn is_whole_short_watch(&mut self, now: Duration) -> bool {
        let State::Watching(Watching { sent, timeout, .. }) = &self.state else { return false };
        let whole = self.catch_up.is_pending() && now.saturating_sub(*sent).saturating_add(COARSE) >= *timeout;
        if whole {
            self.catch_up.done();
        }
        whole
    }

    /// The short watch is neither caught up nor ended in time: a list tells.
    pub(super) fn catch_up_by_list(&mut self, now: Duration) -> Step<T> {
        self.version_unavailable = true;
        self.relist(now)
    }
}
