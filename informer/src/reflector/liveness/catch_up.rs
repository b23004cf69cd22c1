//! Catching up after an outage: a watch is live only once it has come as far as the probe showed.
//!
//! The probe (`verification.rs`) shows which version the server has, not what a watch has brought. On a slow line the events
//! of the outage, or the 410 that says that the version is gone, may arrive minutes after the watch was accepted. If the
//! probe showed another version than ours, the next watch is therefore a short one ([`crate::deadlines::CATCH_UP_WATCH`]).
//! Three things show that it has caught up, and none of them reads a version as a number:
//!
//! - an event or a bookmark at the very version that the probe showed;
//! - any bookmark, because the server makes it after the probe, behind all events before it. An apiserver sends one two
//!   seconds before the deadline of a watch (`cacher.go`: `nextBookmarkTime`), so a short watch brings one after a second;
//! - its end on time after a quiet second, because a response that ends cleanly is complete. Servers without bookmarks show
//!   it this way. An end right after an event may be a proxy's cut whose event a slow line brought late.
//!
//! A short watch that shows nothing in time is followed by a list of the newest. A watch that was only suspect, or that
//! resumes a persisted state, need not catch up behind its probe: no outage was seen, and the user would wait each time.

use std::time::Duration;

use crate::deadlines::{CATCH_UP_LEEWAY, VERY_SHORT_WATCH};
use crate::object::Keyed;
use crate::reflector::state::{ProbeReason, State};
use crate::reflector::{Reflector, Step};

/// How far the next watch, or the open one, has to come: the version that the probe showed, until it is reached.
#[derive(Debug, Default)]
pub(in crate::reflector) struct CatchUp(Option<String>);

impl CatchUp {
    /// Whether the watch has yet to show that it has caught up.
    pub(in crate::reflector) fn is_pending(&self) -> bool {
        self.0.is_some()
    }

    /// A probe showed this version; the watch would resume from `from`. A precaution changes nothing about an outage that
    /// has yet to be caught up with.
    pub(in crate::reflector) fn probed(&mut self, reason: ProbeReason, version: &str, from: &str) {
        if reason == ProbeReason::Outage || self.is_pending() {
            self.0 = (version != from).then(|| version.to_owned());
        }
    }

    /// The watch has come as far as this version.
    pub(in crate::reflector) fn reached(&mut self, version: &str) {
        self.0.take_if(|target| target == version);
    }

    /// A list is there. Only one of the newest is certain to be as new as the probe: a list of "at least" a version comes
    /// from a watch cache, which may be behind.
    pub(in crate::reflector) fn listed(&mut self, asked: Option<&str>, version: &str) {
        match asked {
            None => self.done(),
            Some(_) => self.reached(version),
        }
    }

    /// Nothing is missing: there was a list of the newest, a bookmark, or the end of a response.
    pub(in crate::reflector) fn done(&mut self) {
        self.0 = None;
    }
}

impl<T: Keyed> Reflector<T> {
    /// What follows a short watch that ends cleanly and on time; nothing if this one is no such watch.
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

    /// The short watch has not shown that it has caught up: a list shows what is missing.
    pub(in crate::reflector) fn catch_up_by_list(&mut self, now: Duration) -> Step<T> {
        self.version.ask_for_newest();
        self.relist(now)
    }
}
