//! Catching up after an outage: a watch is live only once it has reached the version that the probe returned.
//!
//! The probe (`verification.rs`) returns the version of the server, not that of a watch. On a slow line the events of
//! the outage, or the 410 for an expired version, may arrive minutes after the watch was accepted. If the probe
//! returned another version than the cache's, the next watch is therefore short ([`crate::deadlines::CATCH_UP_WATCH`]).
//! Three things show that it has caught up, and none of them parses a version as a number:
//!
//! - an event or a bookmark at exactly the version that the probe returned;
//! - any bookmark, because the server makes it after the probe, behind all events before it. An apiserver sends one two
//!   seconds before the deadline of a watch (`cacher.go`: `nextBookmarkTime`), so a short watch brings one after a second;
//! - its end on time after a quiet second, because a response that ends cleanly is complete. Servers without bookmarks show
//!   it this way. An end right after an event may be a cut by a proxy whose event a slow line delivered late.
//!
//! If a short watch shows none of these in time, a list of the newest version follows. A watch that was only suspect,
//! or that resumes a persisted state, need not catch up: there was no outage, and the user would wait each time.

use std::time::Duration;

use crate::deadlines::{CATCH_UP_LEEWAY, VERY_SHORT_WATCH};
use crate::object::Keyed;
use crate::reflector::state::{ProbeReason, State};
use crate::reflector::{Reflector, Step};

/// Target of the next or the open watch: the version that the probe returned, until it is reached.
#[derive(Debug, Default)]
pub(in crate::reflector) struct CatchUp(Option<String>);

impl CatchUp {
    /// Whether the watch has yet to show that it has caught up.
    pub(in crate::reflector) fn is_pending(&self) -> bool {
        self.0.is_some()
    }

    /// Records that a probe returned this version; the watch would resume from `from`. A precautionary probe does not
    /// end the catching up after an earlier outage.
    pub(in crate::reflector) fn probed(&mut self, reason: ProbeReason, version: &str, from: &str) {
        if reason == ProbeReason::Outage || self.is_pending() {
            self.0 = (version != from).then(|| version.to_owned());
        }
    }

    /// Records that the watch has reached this version.
    pub(in crate::reflector) fn reached(&mut self, version: &str) {
        self.0.take_if(|target| target == version);
    }

    /// Records that a list has succeeded. Only a list of the newest version is certain to be as new as the probe: a
    /// list of "at least" a version comes from a watch cache, which may be behind.
    pub(in crate::reflector) fn listed(&mut self, requested_version: Option<&str>, version: &str) {
        match requested_version {
            None => self.done(),
            Some(_) => self.reached(version),
        }
    }

    /// Ends catching up: a list of the newest version, a bookmark, or the end of a response shows that nothing is
    /// missing.
    pub(in crate::reflector) fn done(&mut self) {
        self.0 = None;
    }
}

impl<T: Keyed> Reflector<T> {
    /// Returns the step after a short watch that ended cleanly and on time; `None` for any other watch.
    pub(in crate::reflector) fn catch_up_watch_ended(&mut self, now: Duration) -> Option<Step<T>> {
        let State::Watching(watch) = &self.state else { return None };
        let lived = now.saturating_sub(watch.request.sent).saturating_add(CATCH_UP_LEEWAY);
        if !self.liveness.catch_up.is_pending() || lived < watch.request.timeout {
            return None;
        }
        let is_quiet = now.saturating_sub(watch.last_message) >= VERY_SHORT_WATCH;
        self.health.watch_worked();
        if !is_quiet {
            return Some(self.catch_up_by_list(now));
        }
        self.liveness.catch_up.done();
        Some(self.resume(now))
    }

    /// Returns the step after a short watch that has not shown that it has caught up: a list finds the missing changes.
    pub(in crate::reflector) fn catch_up_by_list(&mut self, now: Duration) -> Step<T> {
        self.version.request_newest();
        self.relist(now)
    }
}
