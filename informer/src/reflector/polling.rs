//! What may be listed and not watched: it is listed from time to time.
//!
//! A role may allow `list` and forget `watch`; an aggregated apiserver may know no watch (405); something on the way may
//! compress watches so that a browser cannot read them, and refuse WebSockets. The list succeeds and the watch that follows
//! it is refused: then what is shown is polled, and says so, instead of being called forbidden or stale. So is a resource
//! whose watch keeps failing for a reason that may pass (`health.rs`). The watch is tried again now and then. A list that
//! carries no version is polled, too, and never watched: metrics.k8s.io answers so.

use std::time::Duration;

use super::proof::is_outage;
use super::state::{State, Then};
use super::{Command, Reflector, Step};
use crate::backoff::wanted_pause;
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

/// The longest time between two attempts to watch, unless the options say a longer one to begin with.
const LONGEST_REWATCH: Duration = Duration::from_secs(3_600);

/// The time to the second attempt to watch what keeps failing for a reason that may pass; twice as long later each time, up
/// to [`super::ReflectorOptions::rewatch`].
const PASSING_REWATCH: Duration = Duration::from_secs(60);

/// That a resource is polled.
#[derive(Debug)]
pub(super) struct Polling {
    /// What the watch was refused with.
    pub(super) why: InformerError,
    /// When the watch is tried again, behind the list that is due then.
    pub(super) again: Duration,
    /// Whether it was accepted, and then could not be read or failed at once: that it is accepted says nothing then.
    pub(super) unread: bool,
    /// Times in a row that it was refused behind a list that succeeded.
    refusals: u32,
    /// Whether the last list is no older than it should be.
    pub(super) current: bool,
}

impl<T: Keyed> Reflector<T> {
    /// Whether nothing is watched, because the server lets it only be listed, and the last list is no older than it should
    /// be.
    pub fn is_polling(&self) -> bool {
        let runs = !matches!(self.state, State::Idle | State::Stopped | State::Failed);
        runs && self.last_error.is_none() && self.polling.as_ref().is_some_and(|polling| polling.current)
    }

    /// The watch was refused right behind a list that succeeded.
    pub(super) fn poll(&mut self, why: InformerError, now: Duration) -> Step<T> {
        let unread = matches!(self.state, State::Watching(_));
        let refusals = self.polling.take().map_or(0, |polling| polling.refusals);
        let (wait, again) = if refusals == 0 {
            // It may be the answer of a server that has just started: asked again soon.
            (self.draw_wait(&why, now), now)
        } else {
            let pause = wanted_pause(why.retry_after());
            (self.draw_poll().max(pause), now.saturating_add(self.rewatch_after(why.code(), refusals)))
        };
        self.last_error = None;
        let refusals = refusals.saturating_add(1);
        self.polling = Some(Polling { why: why.clone(), again, unread, refusals, current: true });
        self.state = State::Waiting { until: now.saturating_add(wait), then: Then::Relist };
        Step { report: Some(why), ..Step::command(Command::Wait) }
    }

    /// What follows a list that succeeded: the watch, unless it was refused and it is not yet time to ask again.
    pub(super) fn after_list(&mut self, now: Duration) -> Step<T> {
        self.listed = true;
        if self.unversioned {
            return self.poll_unversioned(now);
        }
        let Some(polling) = &mut self.polling else { return self.watch(now) };
        self.last_error = None;
        polling.current = true;
        if polling.again <= now {
            return self.watch(now);
        }
        let until = now.saturating_add(self.draw_poll());
        self.state = State::Waiting { until, then: Then::Relist };
        Step::command(Command::Wait)
    }

    /// There is nothing that a watch could go on from, so none is tried until a list carries a version.
    fn poll_unversioned(&mut self, now: Duration) -> Step<T> {
        let why =
            InformerError::new(ErrorCode::Decode, "the list carries no resourceVersion that a watch could start from");
        self.last_error = None;
        self.health.end(Duration::MAX, now);
        self.polling = Some(Polling { why, again: now, unread: false, refusals: 0, current: true });
        self.state = State::Waiting { until: now.saturating_add(self.draw_poll()), then: Then::Relist };
        Step::command(Command::Wait)
    }

    fn draw_poll(&mut self) -> Duration {
        let poll = self.options.poll;
        poll.saturating_add((poll / 5).mul_f64(self.random.f64()))
    }

    /// Twice as long each time.
    fn rewatch_after(&self, code: ErrorCode, refusals: u32) -> Duration {
        let rewatch = self.options.rewatch;
        let (first, longest) =
            if is_refusal(code) { (rewatch, LONGEST_REWATCH.max(rewatch)) } else { (PASSING_REWATCH, rewatch) };
        first.saturating_mul(1 << (refusals - 1).min(16)).min(longest)
    }

    /// Whether the server asked for a pause before the next request of a resource that is polled. Nothing cuts it short but
    /// the user.
    pub(super) fn polls_after_a_pause(&self) -> bool {
        self.polling.as_ref().is_some_and(|polling| polling.why.retry_after().is_some())
    }

    /// The server was away: what kept the watch from working may have gone with that.
    pub(super) fn rewatch_after_outage(&mut self, code: ErrorCode, now: Duration) {
        if let Some(polling) = &mut self.polling
            && is_outage(code)
            && !is_refusal(polling.why.code())
        {
            polling.again = now;
        }
    }
}

/// Whether a watch that is answered so may be one that is not to be had at all.
pub(super) fn is_refusal(code: ErrorCode) -> bool {
    // 403; 404 and 405, which is a bad request; and what comes compressed, or cannot be read for another reason.
    matches!(code, ErrorCode::Forbidden | ErrorCode::NotFound | ErrorCode::BadRequest | ErrorCode::Decode)
}
