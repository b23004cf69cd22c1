//! Suspicion: the open watch may be dead. It must send a message soon, or it is resumed.
//!
//! A watch becomes suspect when it was busy and falls silent, when the machine has slept, when a page becomes visible
//! after a silence, when a heartbeat fails, and when the server rejects other requests as at a shutdown: a server that
//! shuts down keeps its watches open for another minute (WIRE 6).
//!
//! A suspicion is not shown in its first second. On a loaded machine most suspicions are false: the next event arrives
//! before a person could read that the page is catching up. Suspicions and false ones are counted.

use std::time::Duration;

use crate::deadlines::{LATE_TIMER, MISSED_WITHIN, RECENT, SECOND_LOOK, SUSPICION_SHOWN_AFTER};
use crate::freshness::Trust;
use crate::object::Keyed;
use crate::reflector::state::{Pause, ProbeReason, State, Watching};
use crate::reflector::{Input, ProtocolStep, Reflector, Step};

/// State of the suspicion of one watch.
#[derive(Debug, Default)]
pub(in crate::reflector) struct Suspicion {
    state: SuspicionState,
    /// Time until which silence is ignored, because a busy thread measured it.
    second_look: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SuspicionState {
    /// No suspicion, or it was confirmed or refuted.
    #[default]
    None,
    /// Suspect, not shown yet.
    Hidden { shown_at: Duration },
    /// Suspect and shown: not refuted in time.
    Shown,
    /// The server is healthy and has opened another watch. Its first message shows whether the suspect one had missed
    /// anything.
    Replaced,
}

impl Suspicion {
    /// Time at which the status changes without an input.
    fn shown_at(&self) -> Option<Duration> {
        match self.state {
            SuspicionState::Hidden { shown_at } => Some(shown_at),
            SuspicionState::None | SuspicionState::Shown | SuspicionState::Replaced => None,
        }
    }

    /// Begins a suspicion. Returns whether there was none.
    fn begin(&mut self, now: Duration) -> bool {
        let begins = matches!(self.state, SuspicionState::None | SuspicionState::Replaced);
        if begins {
            self.state = SuspicionState::Hidden { shown_at: now.saturating_add(SUSPICION_SHOWN_AFTER) };
        }
        begins
    }

    /// Ends the suspicion after a message, which arrived `after` the previous one or after the watch was opened.
    /// Returns whether the suspicion was false.
    fn refute(&mut self, is_event: bool, after: Duration) -> bool {
        let state = std::mem::take(self).state;
        match state {
            SuspicionState::None => false,
            SuspicionState::Replaced => !is_event || after > MISSED_WITHIN,
            SuspicionState::Hidden { .. } | SuspicionState::Shown => true,
        }
    }

    /// Whether a silence that was due at `due` is checked again: once, if the timer fired late.
    fn looks_again(&mut self, due: Duration, now: Duration) -> bool {
        let late = self.second_look.is_none() && now.saturating_sub(due) > LATE_TIMER;
        if late {
            self.second_look = Some(now.saturating_add(SECOND_LOOK));
        }
        late
    }

    /// Shows the suspicion at once, because there is further evidence.
    pub(super) fn show(&mut self) {
        if matches!(self.state, SuspicionState::Hidden { .. }) {
            self.state = SuspicionState::Shown;
        }
    }

    /// Updates the suspicion before a step, by the time and the input. A watch that breaks off is no longer suspect.
    pub(in crate::reflector) fn before_step<T>(&mut self, input: &Input<T>, now: Duration) {
        match input {
            Input::Ended(Some(_)) | Input::Failed(_) | Input::Revoked => *self = Self::default(),
            Input::Opened => {
                let state =
                    if self.state == SuspicionState::None { SuspicionState::None } else { SuspicionState::Replaced };
                *self = Self { state, second_look: None };
            }
            _ if self.shown_at().is_some_and(|shown_at| shown_at <= now) => self.show(),
            _ => {}
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// Time at which the driver must send [`Input::Timer`] if nothing arrives: [`Reflector::deadline`], or a change of
    /// the status.
    pub(crate) fn timer(&self) -> Option<Duration> {
        let due = self.deadline();
        self.liveness.suspicion.shown_at().map_or(due, |shown_at| Some(due.map_or(shown_at, |due| due.min(shown_at))))
    }

    /// Returns the trust in the open watch. Catching up takes precedence over a suspicion.
    pub(crate) fn trust(&self) -> Trust {
        match self.liveness.suspicion.state {
            SuspicionState::Hidden { .. } if !self.liveness.catch_up.is_pending() => Trust::Suspected,
            _ if self.is_unverified() => Trust::Unverified,
            _ => Trust::Verified,
        }
    }

    /// Whether the open watch must still show that it is alive, or that it has caught up after an outage.
    pub fn is_unverified(&self) -> bool {
        match &self.state {
            State::Watching(watch) => watch.message_due.is_some() || self.liveness.catch_up.is_pending(),
            State::Streaming(_) => self.liveness.catch_up.is_pending(),
            _ => false,
        }
    }

    /// Ends the suspicion after a step, if no watch is open or requested. Errors are shown at once.
    pub(in crate::reflector) fn end_suspicion(&mut self) {
        let is_watch = matches!(self.state, State::Watching(_) | State::OpeningWatch(..) | State::Probing(_));
        if !is_watch || !self.current_error.is_none() {
            self.liveness.suspicion = Suspicion::default();
        }
    }

    /// Records a message of the watch, an event or not: the watch is alive, and the server has the version.
    pub(in crate::reflector) fn message_came(&mut self, is_event: bool, now: Duration) {
        let State::Watching(watch) = &mut self.state else { return };
        let after = now.saturating_sub(watch.last_message);
        (watch.last_message, watch.message_due) = (now, None);
        self.metrics.false_suspicions += u64::from(self.liveness.suspicion.refute(is_event, after));
        self.liveness.activity.message(is_event, after, now);
        self.liveness.verify(now);
        self.server_responded();
    }

    /// Deadline of the watch's silence.
    fn silence_due(&self, watch: &Watching) -> Duration {
        let (busy, usual) = (self.options.busy_silence_timeout, self.liveness.silence.timeout());
        let timeout = self.liveness.activity.silence_timeout(busy, watch.last_message).filter(|_| busy < usual);
        let due = watch.last_message.saturating_add(timeout.map_or(usual, |timeout| timeout.min(usual)));
        due.max(self.liveness.suspicion.second_look.unwrap_or_default())
    }

    /// Deadline of the open watch. That of a suspicion is earlier than the others, and differs between informers.
    pub(in crate::reflector) fn watch_deadline(&self, watch: &Watching) -> Duration {
        let due = watch.message_due.unwrap_or_else(|| watch.end_due().min(self.silence_due(watch)));
        self.liveness.undecodable.due().map_or(due, |relist| relist.min(due))
    }

    /// Whether the open watch is silent for too long only because it was busy: no bookmark is overdue, and it has not
    /// outlived its time.
    pub(in crate::reflector) fn is_silent_too_early(&self, now: Duration) -> bool {
        let State::Watching(watch) = &self.state else { return false };
        let usual = watch.last_message.saturating_add(self.liveness.silence.timeout());
        watch.message_due.is_none() && now < watch.end_due().min(usual)
    }

    /// Returns the step after a busy watch fell silent: it may be half-open, or the resource is quiet. One of the next
    /// watches shows which. If a heartbeat has failed too, the silence is not checked again.
    pub(in crate::reflector) fn busy_silence(&mut self, now: Duration) -> Step<T> {
        let due = self.deadline().unwrap_or(now);
        if self.current_error.is_none() && self.liveness.suspicion.looks_again(due, now) {
            return Step::none();
        }
        self.history.record(now, ProtocolStep::Suspected);
        self.begin_suspicion(now);
        self.liveness.activity.suspected(self.options.busy_silence_timeout, now);
        self.liveness.unverify();
        self.probe(ProbeReason::Precaution, now)
    }

    fn begin_suspicion(&mut self, now: Duration) {
        self.metrics.suspicions += u64::from(self.liveness.suspicion.begin(now));
    }

    /// Suspects the open watch: it must send a message soon. (A streaming list has a similar deadline.)
    pub(super) fn suspect(&mut self, now: Duration) {
        if !matches!(self.state, State::Watching(_)) {
            return;
        }
        let due = now.saturating_add(self.draw_suspicion());
        let State::Watching(watch) = &self.state else { return };
        // A busy watch gets no more time than without the suspicion.
        let usual = watch.end_due().min(self.silence_due(watch));
        let due = if usual >= now { due.min(usual) } else { due };
        self.liveness.unverify();
        if let State::Watching(watch @ Watching { message_due: None, .. }) = &mut self.state {
            watch.message_due = Some(due);
            self.history.record(now, ProtocolStep::Suspected);
            self.begin_suspicion(now);
        }
    }

    /// Draws the deadline at random, so that the informers of all tabs do not reconnect at once.
    fn draw_suspicion(&mut self) -> Duration {
        let half = self.options.suspicion_timeout / 2;
        half + half.mul_f64(self.random.f64())
    }

    /// Returns the step after a page became visible. A watch that sent a message a moment ago is not suspect.
    pub(in crate::reflector) fn page_became_visible(&mut self, now: Duration) -> Step<T> {
        if matches!(&self.state, State::Watching(watch) if now.saturating_sub(watch.last_message) > RECENT) {
            self.suspect(now);
        }
        Step::none()
    }

    /// Returns the step after the server rejected other requests. A watch that it accepted recently is not suspect.
    pub(in crate::reflector) fn others_refused(&mut self, now: Duration) -> Step<T> {
        if matches!(&self.state, State::Watching(watch) if now.saturating_sub(watch.request.sent) > RECENT) {
            self.suspect(now);
        }
        Step::none()
    }

    /// Returns the step after the machine has slept; clocks may have stood still meanwhile.
    pub(in crate::reflector) fn slept(&mut self, now: Duration) -> Step<T> {
        if let Some(polling) = &mut self.polling {
            polling.outdate();
        }
        if let State::Paused(Pause { until, next }) = self.state {
            // Not at once: all informers are woken together, and the network takes a moment longer.
            let soon = now.saturating_add(self.draw_suspicion());
            self.state = State::Paused(Pause { until: soon.min(until), next });
        } else {
            self.suspect(now);
            // The silence during the sleep is certain.
            self.liveness.suspicion.show();
        }
        Step::none()
    }
}
