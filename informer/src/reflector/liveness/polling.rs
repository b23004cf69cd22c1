//! Polling: a resource that can be listed but not watched is listed at intervals.
//!
//! A role may allow `list` and omit `watch`; an aggregated apiserver may not implement watches (405); a proxy may
//! compress watches so that a browser cannot read them, and reject WebSockets. If the list succeeds and the following
//! watch is rejected, the resource is polled and its freshness is `Polling`, instead of forbidden or stale. The same
//! applies to a watch that keeps failing for a temporary reason (`watch_health.rs`). The watch is retried at growing
//! intervals. A resource whose lists have no version (metrics.k8s.io) is polled, too, and never watched.

use std::time::Duration;

use crate::backoff::requested_pause;
use crate::deadlines::{LONGEST_REWATCH, PASSING_REWATCH};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::reflector::current_error::{CurrentError, is_outage, is_rejection};
use crate::reflector::state::{Follows, Next, State};
use crate::reflector::{Reflector, Step};

/// State of a polled resource.
#[derive(Debug)]
pub(in crate::reflector) struct Polling {
    /// Error of the rejected watch.
    pub(in crate::reflector) reason: InformerError,
    /// Time at which the watch is retried, after the list that is due then.
    pub(in crate::reflector) rewatch_at: Duration,
    rejected_at: RejectedAt,
    /// Consecutive rejections of the watch after a successful list.
    rejections: u32,
    list: ListAge,
}

/// Stage at which the watch was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RejectedAt {
    /// The request was rejected: an accepted watch ends the polling.
    Request,
    /// The stream failed or could not be decoded after it was accepted. Only its first event or bookmark ends the
    /// polling.
    Stream,
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
        runs && self.current_error.is_none() && current
    }

    /// Returns the step after the watch was rejected directly after a successful list: the resource is polled.
    pub(in crate::reflector) fn poll(&mut self, reason: InformerError, now: Duration) -> Step<T> {
        let rejected_at =
            if matches!(self.state, State::Watching(_)) { RejectedAt::Stream } else { RejectedAt::Request };
        let rejections = self.polling.take().map_or(0, |polling| polling.rejections);
        let (pause, rewatch_at) = if rejections == 0 {
            // A server that has just started may respond with this code: the watch is retried soon.
            (self.draw_pause(&reason, now), now)
        } else {
            let wanted = requested_pause(reason.retry_after());
            (self.draw_poll().max(wanted), now.saturating_add(self.rewatch_after(reason.code(), rejections)))
        };
        self.current_error = CurrentError::None;
        let rejections = rejections.saturating_add(1);
        self.polling =
            Some(Polling { reason: reason.clone(), rewatch_at, rejected_at, rejections, list: ListAge::Current });
        let step = self.pause(now.saturating_add(pause), Next::Relist);
        Step { report: Some(reason), ..step }
    }

    /// Returns the step after a successful list: the watch, unless it was rejected and its retry is not due.
    pub(in crate::reflector) fn after_list(&mut self, now: Duration) -> Step<T> {
        if self.version.is_unversioned() {
            return self.poll_unversioned(now);
        }
        let Some(polling) = &mut self.polling else { return self.watch(Follows::List, now) };
        self.current_error = CurrentError::None;
        polling.list = ListAge::Current;
        if polling.rewatch_at <= now {
            return self.watch(Follows::List, now);
        }
        let until = now.saturating_add(self.draw_poll());
        self.pause(until, Next::Relist)
    }

    /// Polls because no watch could resume from the list; none is tried until a list has a version.
    fn poll_unversioned(&mut self, now: Duration) -> Step<T> {
        let reason =
            InformerError::new(ErrorCode::Decode, "the list has no resourceVersion from which a watch could start");
        self.current_error = CurrentError::None;
        self.health.end_period(Duration::MAX, now);
        let (rejected_at, list) = (RejectedAt::Request, ListAge::Current);
        self.polling = Some(Polling { reason, rewatch_at: now, rejected_at, rejections: 0, list });
        let until = now.saturating_add(self.draw_poll());
        self.pause(until, Next::Relist)
    }

    fn draw_poll(&mut self) -> Duration {
        let poll = self.options.poll;
        poll.saturating_add((poll / 5).mul_f64(self.random.f64()))
    }

    /// Delay before the watch is retried; doubles with each rejection.
    fn rewatch_after(&self, code: ErrorCode, rejections: u32) -> Duration {
        let rewatch = self.options.rewatch;
        let (first, longest) =
            if is_rejection(code) { (rewatch, LONGEST_REWATCH.max(rewatch)) } else { (PASSING_REWATCH, rewatch) };
        first.saturating_mul(1 << (rejections - 1).min(16)).min(longest)
    }

    /// Ends the polling after a watch was accepted, if the requests of earlier watches were rejected.
    pub(in crate::reflector) fn stop_polling_if_accepted(&mut self) {
        self.polling.take_if(|polling| polling.rejected_at == RejectedAt::Request);
    }

    /// Whether the server requested a pause before the next request of a polled resource. Only the user can skip it.
    pub(in crate::reflector) fn polls_after_a_pause(&self) -> bool {
        self.polling.as_ref().is_some_and(|polling| polling.reason.retry_after().is_some())
    }

    /// Retries the watch soon after an outage, because the watch may work now.
    pub(in crate::reflector) fn rewatch_after_outage(&mut self, code: ErrorCode, now: Duration) {
        if let Some(polling) = &mut self.polling
            && is_outage(code)
            && !is_rejection(polling.reason.code())
        {
            polling.rewatch_at = now;
        }
    }
}
