//! Suspicion: an open watch may be dead. Counts suspicions and the false ones, and keeps one off the screen for its first
//! second.
//!
//! A watch is suspected when it was busy and falls silent, and when it is doubted (`proof.rs`). On a loaded machine most
//! suspicions are false: the next event is there before a person could read that the page is catching up.

use std::time::Duration;

use super::state::{State, Watching};
use super::{Input, Reflector};
use crate::freshness::Trust;
use crate::object::Keyed;

/// A suspicion that is refuted within this time is not shown.
pub(super) const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// A timer that rings later than this says that this thread was starved, and events may wait in the browser unread.
const LATE: Duration = Duration::from_millis(500);

/// How long those events get to arrive before the silence counts.
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// What the successor of a suspected watch brings so soon after it was opened, the suspected one had missed.
const MISSED: Duration = Duration::from_secs(2);

/// The suspicion of one watch, and what is known of it so far.
#[derive(Debug, Default)]
pub(super) struct Suspicion {
    verdict: Verdict,
    /// Until when a silence that a starved thread measured does not count.
    second_look: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Verdict {
    /// No suspicion, or its verdict is known.
    #[default]
    None,
    /// Too young to be shown.
    Hidden { shown_at: Duration },
    /// Not refuted in time.
    Shown,
    /// The server is well and has opened another watch. What comes on it tells whether the suspected one had missed
    /// anything.
    Replaced,
}

impl Suspicion {
    /// When a status must be sent although nothing happens.
    fn shown_at(&self) -> Option<Duration> {
        match self.verdict {
            Verdict::Hidden { shown_at } => Some(shown_at),
            _ => None,
        }
    }

    /// Until when a silence does not count.
    pub(super) fn second_look(&self) -> Duration {
        self.second_look.unwrap_or_default()
    }

    /// Whether a silence that was due at `due` is to be looked at again: once, if the timer rang late. Where anything else
    /// speaks against the watch, such as a heartbeat that failed, it is not asked for.
    pub(super) fn looks_again(&mut self, due: Duration, now: Duration) -> bool {
        let late = self.second_look.is_none() && now.saturating_sub(due) > LATE;
        if late {
            self.second_look = Some(now.saturating_add(SECOND_LOOK));
        }
        late
    }

    /// Shows it at once, where there is more than a suspicion.
    pub(super) fn show(&mut self) {
        if matches!(self.verdict, Verdict::Hidden { .. }) {
            self.verdict = Verdict::Shown;
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// When the driver must call in, though nothing arrives: with [`Reflector::deadline`], or for the status.
    pub(crate) fn timer(&self) -> Option<Duration> {
        let due = self.deadline();
        self.suspicion.shown_at().map_or(due, |shown_at| Some(due.map_or(shown_at, |due| due.min(shown_at))))
    }

    /// How far the watch can be trusted. A suspicion hides nothing else: not that the watch has yet to catch up.
    pub(crate) fn trust(&self) -> Trust {
        match self.suspicion.verdict {
            Verdict::Hidden { .. } if !self.catch_up.is_pending() => Trust::Suspected,
            _ if self.is_doubted() => Trust::Doubted,
            _ => Trust::Whole,
        }
    }

    /// Begins a suspicion, unless there is one.
    pub(super) fn begin_suspicion(&mut self, now: Duration) {
        if matches!(self.suspicion.verdict, Verdict::None | Verdict::Replaced) {
            self.metrics.suspicions += 1;
            self.suspicion.verdict = Verdict::Hidden { shown_at: now.saturating_add(SHOWN_AFTER) };
        }
    }

    /// Takes a sign of life, so long after the last one or after the watch was opened.
    pub(super) fn refute_suspicion(&mut self, is_news: bool, after: Duration) {
        let is_false = match self.suspicion.verdict {
            Verdict::None => false,
            Verdict::Replaced => !is_news || after > MISSED,
            Verdict::Hidden { .. } | Verdict::Shown => true,
        };
        self.metrics.false_suspicions += u64::from(is_false);
        self.suspicion = Suspicion::default();
    }

    /// Before a step: time passes, and what breaks off is no suspicion any more.
    pub(super) fn age_suspicion(&mut self, input: &Input<T>, now: Duration) {
        match input {
            Input::Ended(Some(_)) | Input::Failed(_) | Input::Recalled => self.suspicion = Suspicion::default(),
            Input::Opened => {
                let suspected = self.suspicion.verdict != Verdict::None;
                let verdict = if suspected { Verdict::Replaced } else { Verdict::None };
                self.suspicion = Suspicion { verdict, second_look: None };
            }
            _ if self.suspicion.shown_at().is_some_and(|shown_at| shown_at <= now) => self.suspicion.show(),
            _ => {}
        }
    }

    /// After a step: where there is neither a watch nor one on its way, there is nothing to suspect.
    pub(super) fn end_suspicion(&mut self) {
        let is_watch = matches!(
            &self.state,
            State::Watching(Watching { staging: None, .. })
                | State::Opening { initial_events: false, .. }
                | State::Probing { .. }
        );
        if !is_watch || self.last_error.is_some() {
            self.suspicion = Suspicion::default();
        }
    }
}
