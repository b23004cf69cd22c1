//! Heartbeats: effect of the engine's heartbeat of a server on an informer.
//!
//! A quiet watch sends nothing for a minute, and the response to a request in flight may be late. After a failed
//! heartbeat the informer shows the error in both cases at once, before its own deadline has passed. The watch stays
//! open, because a server that only stalls continues it, but it is suspect.

use std::time::Duration;

use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::reflector::current_error::CurrentError;
use crate::reflector::state::{Pause, ProbeReason, Probing, State, Watching};
use crate::reflector::{ProtocolStep, Reflector, Step};

impl<T: Keyed> Reflector<T> {
    /// Returns the step after a failed heartbeat. The error of a failed attempt stays until the next attempt.
    pub(in crate::reflector) fn unreachable(&mut self, error: InformerError, now: Duration) -> Step<T> {
        match self.state {
            State::Idle | State::Stopped | State::Failed => return Step::none(),
            State::Paused(_) if !self.current_error.is_none() => return Step::none(),
            _ if self.current_error.is_unreachable() => return Step::none(),
            _ => {}
        }
        self.liveness.unverify();
        if let State::Probing(Probing { reason, .. }) = &mut self.state {
            *reason = ProbeReason::Outage;
        }
        self.history.record(now, ProtocolStep::Unreachable);
        // The timer of a watch whose own deadline has passed handles it.
        if self.deadline().is_none_or(|due| due > now) {
            self.suspect(now);
        }
        self.current_error = CurrentError::Unreachable(error.clone());
        Step { report: Some(error), ..Step::none() }
    }

    /// Returns the step after a heartbeat succeeded that follows a failed one: the next attempt need not wait, and a
    /// request or a watch that is still silent may be on a broken connection.
    pub(in crate::reflector) fn reachable(&mut self, now: Duration) -> Step<T> {
        let code = self.current_error.error().map(InformerError::code);
        let away = matches!(code, Some(ErrorCode::Network | ErrorCode::Timeout));
        match self.state {
            State::Paused(Pause { next, .. }) if away && !self.polls_after_a_pause() => self.attempt(next, now),
            State::Probing(Probing { reason, .. }) if away => self.probe(reason, now),
            State::OpeningWatch(..) if away => self.resume(now),
            State::Watching(Watching { message_due: Some(_), .. }) if self.current_error.is_unreachable() => {
                self.server_responded();
                self.resume(now)
            }
            _ => {
                self.server_responded();
                Step::none()
            }
        }
    }

    /// Records that the server sent a message: it is reachable, even if a heartbeat failed.
    pub(in crate::reflector) fn server_responded(&mut self) {
        if self.current_error.is_unreachable() {
            self.current_error.clear(self.liveness.undecodable.error());
        }
    }
}
