//! Heartbeats: effect of the engine's heartbeat of a server on an informer.
//!
//! A quiet watch sends nothing for a minute, and the response to a request in flight may be late. After a failed heartbeat
//! the informer shows the error in both cases at once, before its own deadline has passed. The watch stays open, because a
//! server that only stalls continues it, but it is suspect.

use std::time::Duration;

use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::reflector::state::{Pause, ProbeReason, Probing, State, Watching};
use crate::reflector::trouble::Trouble;
use crate::reflector::{ProtocolStep, Reflector, Step};

impl<T: Keyed> Reflector<T> {
    /// A heartbeat failed. The error of a failed attempt stays until the next attempt.
    pub(in crate::reflector) fn unreachable(&mut self, error: InformerError, now: Duration) -> Step<T> {
        match self.state {
            State::Idle | State::Stopped | State::Failed => return Step::none(),
            State::Paused(_) if !self.trouble.is_none() => return Step::none(),
            _ if self.trouble.is_unreachable() => return Step::none(),
            _ => {}
        }
        self.liveness.unverify();
        if let State::Probing(Probing { reason, .. }) = &mut self.state {
            *reason = ProbeReason::Outage;
        }
        self.history.note(now, ProtocolStep::Unreachable);
        // The timer of a watch whose own deadline has passed handles it.
        if self.deadline().is_none_or(|due| due > now) {
            self.suspect(now);
        }
        self.trouble = Trouble::Unreachable(error.clone());
        Step { report: Some(error), ..Step::none() }
    }

    /// A heartbeat succeeded after a failed one: the next attempt need not wait, and a request or a watch that is still
    /// silent may be on a broken connection.
    pub(in crate::reflector) fn reachable(&mut self, now: Duration) -> Step<T> {
        let code = self.trouble.error().map(InformerError::code);
        let away = matches!(code, Some(ErrorCode::Network | ErrorCode::Timeout));
        match self.state {
            State::Paused(Pause { next, .. }) if away && !self.polls_after_a_pause() => self.attempt(next, now),
            State::Probing(Probing { reason, .. }) if away => self.probe(reason, now),
            State::OpeningWatch(..) if away => self.resume(now),
            State::Watching(Watching { message_due: Some(_), .. }) if self.trouble.is_unreachable() => {
                self.server_answered();
                self.resume(now)
            }
            _ => {
                self.server_answered();
                Step::none()
            }
        }
    }

    /// The server sent a message: it is reachable, also if a heartbeat failed.
    pub(in crate::reflector) fn server_answered(&mut self) {
        if self.trouble.is_unreachable() {
            self.trouble.clear(self.liveness.undecodable.error());
        }
    }
}
