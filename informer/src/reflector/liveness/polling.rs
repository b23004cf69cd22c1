//! Polling: a resource that can be listed but not watched is listed at intervals.
//!
//! A role may allow `list` and omit `watch`; an aggregated apiserver may not implement watches (405); a proxy may compress
//! watches so that a browser cannot read them, and reject WebSockets. If the list succeeds and the following watch is
//! rejected, the resource is polled and its freshness is `Polling`, instead of forbidden or stale. The same applies to a
//! watch that keeps failing for a temporary reason (`watch_health.rs`). The watch is retried at growing intervals. A
//! resource whose lists have no version (metrics.k8s.io) is polled, too, and never watched.

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
    /// Error of the rejected watch.
    pub(in crate::reflector) why: InformerError,
    /// When the watch is retried, after the list that is due then.
    pub(in crate::reflector) rewatch_at: Duration,
    refused: Refused,
    /// Consecutive rejections of the watch after a successful list.
    refusals: u32,
    list: ListAge,
}

/// Moment of the rejection of the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// At the request: an accepted watch ends the polling.
    AtOnce,
    /// After it was accepted: it could not be decoded, or failed. Only its first event or bookmark ends the polling.
    Accepted,
}

/// Whether the last list is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListAge {
    Current,
    /// The machine has slept since.
    Outdated,
}

impl Polling {
    /// Marks the last list as overdue.
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
            // A server that has just started may respond with this code: the watch is retried soon.
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

    /// Returns the step after a successful list: the watch, unless it was rejected and its retry is not due.
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

    /// No watch could resume from the list, so none is tried until a list has a version.
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

    /// Delay before the watch is retried; doubles with each rejection.
    fn rewatch_after(&self, code: ErrorCode, refusals: u32) -> Duration {
        let rewatch = self.options.rewatch;
        let (first, longest) =
            if is_refusal(code) { (rewatch, LONGEST_REWATCH.max(rewatch)) } else { (PASSING_REWATCH, rewatch) };
        first.saturating_mul(1 << (refusals - 1).min(16)).min(longest)
    }

    /// A watch was accepted: ends the polling if earlier watches were rejected at the request.
    pub(in crate::reflector) fn stop_polling_if_accepted(&mut self) {
        self.polling.take_if(|polling| polling.refused == Refused::AtOnce);
    }

    /// Whether the server requested a pause before the next request of a polled resource. Only the user can skip it.
    pub(in crate::reflector) fn polls_after_a_pause(&self) -> bool {
        self.polling.as_ref().is_some_and(|polling| polling.why.retry_after().is_some())
    }

    /// Retries the watch soon after an outage, because the watch may work now.
    pub(in crate::reflector) fn rewatch_after_outage(&mut self, code: ErrorCode, now: Duration) {
        if let Some(polling) = &mut self.polling
            && is_outage(code)
            && !is_refusal(polling.why.code())
        {
            polling.rewatch_at = now;
        }
    }
}
