//! What a heartbeat of the server means to an informer: the server is unreachable, or reachable again.
//!
//! A quiet watch says nothing for a minute, and a request that is in flight may be late. A heartbeat that fails is news for
//! both: the informer shows the error at once and not when its own deadline has passed. The watch stays open, because a
//! server that only stalls goes on with it; it must give a sign of life soon, or it is resumed.

use std::time::Duration;

use super::state::{State, Watching};
use super::{ProtocolStep, Reflector, Step};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

impl<T: Keyed> Reflector<T> {
    /// A heartbeat failed.
    pub(super) fn unreachable(&mut self, error: InformerError, now: Duration) -> Step<T> {
        let waits_after_error = matches!(self.state, State::Waiting { .. }) && self.last_error.is_some();
        let known = self.unreachable && self.last_error.is_some();
        if known || waits_after_error || matches!(self.state, State::Idle | State::Stopped | State::Failed) {
            return Step::none();
        }
        (self.unreachable, self.unproven) = (true, true);
        self.catch_up.be_strict();
        self.history.note(now, ProtocolStep::Unreachable);
        // One that is due by itself is left to its timer.
        if self.deadline().is_none_or(|due| due > now) {
            self.doubt(now);
        }
        self.last_error = Some(error.clone());
        Step { report: Some(error), ..Step::none() }
    }

    /// A heartbeat succeeded after one that failed: the next attempt need not wait, and what is still silent may be on a
    /// connection that is gone.
    pub(super) fn reachable(&mut self, now: Duration) -> Step<T> {
        let code = self.last_error.as_ref().map(InformerError::code);
        let away = matches!(code, Some(ErrorCode::Network | ErrorCode::Timeout));
        match &self.state {
            State::Waiting { then, .. } if away && !self.polls_after_a_pause() => {
                let then = *then;
                self.attempt(then, now)
            }
            // What was sent to a server that was away may never be answered.
            State::Probing { .. } | State::Opening { initial_events: false, .. } if away => self.resume(now),
            State::Watching(Watching { doubted: Some(_), .. }) if self.unreachable => {
                self.heard();
                self.resume(now)
            }
            _ => {
                self.heard();
                Step::none()
            }
        }
    }

    /// Something came: whatever the heartbeat said, the server is there.
    pub(super) fn heard(&mut self) {
        if std::mem::take(&mut self.unreachable) {
            self.last_error = self.lost_events.owed().cloned();
        }
    }
}
