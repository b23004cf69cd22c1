//! Polling: a resource that may be listed and not watched is listed at intervals.
//!
//! A role may allow `list` and omit `watch`; an aggregated apiserver may not implement watches (405); a proxy may compress
//! watches so that a browser cannot read them, and refuse WebSockets. The list succeeds and the watch that follows it is
//! refused: then the resource is polled and says so, instead of being called forbidden or stale. So is a resource whose watch
//! keeps failing for a reason that may pass (`watch_health.rs`). The watch is tried again now and then. A list that carries
//! no version is polled, too, and never watched: metrics.k8s.io answers so.

use std::time::Duration;

use crate::backoff::wanted_pause;
use crate::deadlines::{LONGEST_REWATCH, PASSING_REWATCH};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::reflector::state::{Follows, Next, State};
use crate::reflector::trouble::{Trouble, is_outage, is_refusal};
use crate::reflector::{Reflector, Step};

/// Why and how a resource is polled.
#[derive(Debug)]
pub(in crate::reflector) struct Polling {
    /// What the watch was refused with.
    pub(in crate::reflector) why: InformerError,
    /// When the watch is retried, after the list that is due then.
    pub(in crate::reflector) rewatch_at: Duration,
    refused: Refused,
    /// Consecutive rejections of the watch after a successful list.
    refusals: u32,
    list: ListAge,
}

/// When the watch was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// When it was requested: an accepted watch ends the polling.
    AtOnce,
    /// After it was accepted: it could not be decoded, or failed. Only its first event or bookmark ends the polling.
    Accepted,
}

/// Whether the last list is older than it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListAge {
    Current,
    /// The machine has slept since.
    Outdated,
}

impl Polling {
    /// The last list is older than it should be.
    pub(super) fn outdate(&mut self) {
        self.list = ListAge::Outdated;
    }
}

impl<T: Keyed> Reflector<T> {
    /// Whether the server allows only lists of the resource, so that it is not watched, and the last list is not
    /// overdue.
    pub fn is_polling(&self) -> bool {
        let runs = !matches!(self.state, State::Idle | State::Stopped | State::Failed);
        let current = self.polling.as_ref().is_some_and(|polling| polling.list == ListAge::Current);
        runs && self.trouble.is_none() && current
    }

    /// The watch was rejected directly after a successful list.
    pub(in crate::reflector) fn poll(&mut self, why: InformerError, now: Duration) -> Step<T> {
        let refused = if matches!(self.state, State::Watching(_)) { Refused::Accepted } else { Refused::AtOnce };
        let refusals = self.polling.take().map_or(0, |polling| polling.refusals);
        let (pause, rewatch_at) = if refusals == 0 {
            // A server that has just started may refuse so: the watch is tried again soon.
            (self.draw_pause(&why, now), now)
        } else {
            let wanted = wanted_pause(why.retry_after());
            (self.draw_poll().max(wanted), now.saturating_add(self.rewatch_after(why.code(), refusals)))
        };
        self.trouble = Trouble::None;
        let refusals = refusals.saturating_add(1);
        self.polling = Some(Polling { why: why.clone(), rewatch_at, refused, refusals, list: ListAge::Current });
        let step = self.pause(now.saturating_add(pause), Next::Relist);
        Step { report: Some(why), ..step }
    }

    /// What follows a list that succeeded: the watch, unless it was refused and is not yet to be tried again.
    pub(in crate::reflector) fn after_list(&mut self, now: Duration) -> Step<T> {
        if self.version.is_unversioned() {
            return self.poll_unversioned(now);
        }
        let Some(polling) = &mut self.polling else { return self.watch(Follows::List, now) };
        self.trouble = Trouble::None;
        polling.list = ListAge::Current;
        if polling.rewatch_at <= now {
            return self.watch(Follows::List, now);
        }
        let until = now.saturating_add(self.draw_poll());
        self.pause(until, Next::Relist)
    }

    /// No watch could resume from the list, so none is tried until a list carries a version.
    fn poll_unversioned(&mut self, now: Duration) -> Step<T> {
        let why =
            InformerError::new(ErrorCode::Decode, "the list has no resourceVersion from which a watch could start");
        self.trouble = Trouble::None;
        self.health.end_period(Duration::MAX, now);
        let (refused, list) = (Refused::AtOnce, ListAge::Current);
        self.polling = Some(Polling { why, rewatch_at: now, refused, refusals: 0, list });
        let until = now.saturating_add(self.draw_poll());
        self.pause(until, Next::Relist)
    }

    fn draw_poll(&mut self) -> Duration {
        let poll = self.options.poll;
        poll.saturating_add((poll / 5).mul_f64(self.random.f64()))
    }

    /// When the watch is tried again: twice as long later each time.
    fn rewatch_after(&self, code: ErrorCode, refusals: u32) -> Duration {
        let rewatch = self.options.rewatch;
        let (first, longest) =
            if is_refusal(code) { (rewatch, LONGEST_REWATCH.max(rewatch)) } else { (PASSING_REWATCH, rewatch) };
        first.saturating_mul(1 << (refusals - 1).min(16)).min(longest)
    }

    /// A watch was accepted, which is all that was missing if it had been refused at once.
    pub(in crate::reflector) fn stop_polling_if_accepted(&mut self) {
        self.polling.take_if(|polling| polling.refused == Refused::AtOnce);
    }

    /// Whether the server requested a pause before the next request of a polled resource. Only the user can skip it.
    pub(in crate::reflector) fn polls_after_a_pause(&self) -> bool {
        self.polling.as_ref().is_some_and(|polling| polling.why.retry_after().is_some())
    }

    /// The server was unreachable: the watch may work again now.
    pub(in crate::reflector) fn rewatch_after_outage(&mut self, code: ErrorCode, now: Duration) {
        if let Some(polling) = &mut self.polling
            && is_outage(code)
            && !is_refusal(polling.why.code())
        {
            polling.rewatch_at = now;
        }
    }
}
