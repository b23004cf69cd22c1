//! Retries: the pause after a failure, and the next attempt.

use std::time::Duration;

use super::current_error::{CurrentError, is_outage};
use super::state::{Baseline, Next, Pause, State};
use super::{Command, Reflector, Step};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

impl<T: Keyed> Reflector<T> {
    /// Pauses after a failure; `next` is the attempt after the pause.
    pub(super) fn back_off(&mut self, error: InformerError, next: Next, now: Duration) -> Step<T> {
        let until = now.saturating_add(self.draw_pause(&error, now));
        if is_outage(error.code()) {
            self.liveness.unverify();
        }
        self.rewatch_after_outage(error.code(), now);
        // While polling, each attempt to watch follows a list.
        let next = if self.polling.is_some() { Next::Relist } else { next };
        self.current_error = CurrentError::Failed(error.clone());
        Step { report: Some(error), ..self.pause(until, next) }
    }

    /// Waits without a request in flight.
    pub(super) fn pause(&mut self, until: Duration, next: Next) -> Step<T> {
        self.state = State::Paused(Pause { until, next });
        Step::command(Command::Wait)
    }

    /// Makes the attempt that follows a pause.
    pub(super) fn attempt(&mut self, next: Next, now: Duration) -> Step<T> {
        match next {
            Next::Relist => self.relist(now),
            Next::Watch => self.resume(now),
        }
    }

    /// Returns the pause before the next attempt. It is short again after a healthy period and after the first 410 in a
    /// while (`watch_health.rs`), and at least as long as the server requested. After a 410 of a watch it is counted
    /// from the end of the last list: a server that restarts repeatedly rejects no list, and the time that a long list
    /// took must not count as a pause.
    pub(super) fn draw_pause(&mut self, error: &InformerError, now: Duration) -> Duration {
        let longest = self.options.backoff.max;
        let expired = error.code() == ErrorCode::Expired;
        let expired_anew = expired && self.health.expires_anew(longest, now);
        if self.health.end_period(longest, now) || expired_anew {
            self.backoff.reset();
        }
        let since_list = match (&self.state, self.baseline) {
            (State::OpeningWatch(..) | State::Watching(_), Baseline::Cached { list_ended, .. }) if expired => {
                now.saturating_sub(list_ended)
            }
            _ => Duration::ZERO,
        };
        self.backoff.wait_since(since_list, error.retry_after())
    }

    /// Ends a pause early, because the next attempt will probably succeed.
    pub(super) fn wake_from_pause(&mut self, next: Next, now: Duration) -> Step<T> {
        if let Some(polling) = &mut self.polling {
            polling.rewatch_at = now;
        }
        self.attempt(next, now)
    }
}
