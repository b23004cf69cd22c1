//! Replacement: another cluster has, or may have, the same URL.
//!
//! Versions alone do not show it: those of the other cluster may be higher. The engine's health probe compares the
//! identity of the cluster and notifies all informers.

use std::time::Duration;

use crate::object::Keyed;
use crate::reflector::state::{Baseline, Next, Pause, State};
use crate::reflector::{ProtocolStep, Reflector, Step, StoreCall};

impl<T: Keyed> Reflector<T> {
    /// Returns the step after the cluster was replaced, `since` this time at the earliest. Objects listed before that
    /// are deleted at once if the replacement is certain, because lists of the other cluster may fail. Objects listed
    /// since may be of either cluster, so they stay until the next list.
    pub(in crate::reflector) fn replaced(&mut self, since: Duration, certain: bool, now: Duration) -> Step<T> {
        let listing = match &self.state {
            State::Idle => return Step::none(),
            State::Listing(listing) => Some(listing.begun),
            State::OpeningStream(request) => Some(request.sent),
            State::Streaming(stream) => Some(stream.request.sent),
            _ => None,
        };
        let is_old = match self.baseline {
            Baseline::Cached { listed_at, .. } => listed_at <= since,
            Baseline::Empty | Baseline::Restored => true,
        };
        // A list in flight would break off with the old cluster, unless it began after the replacement.
        let needs_list = match listing {
            Some(begun) => begun <= since,
            None => self.baseline != Baseline::Empty && (certain || is_old),
        };
        if !needs_list {
            return Step::none();
        }
        if certain {
            self.history.record(now, ProtocolStep::Replaced);
        }
        // Before the first list is complete, the next one is the first, and is compared with the objects received so
        // far.
        let deletes = certain && is_old && self.version.has_listed() && self.baseline != Baseline::Restored;
        self.streams.clear_findings();
        self.version.request_newest();
        self.liveness.silence.reset(self.options.silence_timeout);
        let pauses = !self.current_error.is_none() || self.polls_after_a_pause();
        let step = match &mut self.state {
            // A pause after a failure does not end early.
            State::Paused(Pause { next, .. }) if pauses => {
                *next = Next::Relist;
                Step::none()
            }
            _ => self.relist(now),
        };
        Step { call: deletes.then(nothing), ..step }
    }
}

fn nothing<T>() -> StoreCall<T> {
    StoreCall::Replace { items: Vec::new(), unchanged: Vec::new(), resource_version: String::new(), unread: Vec::new() }
}
