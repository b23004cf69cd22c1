//! Undecodable events: complete, but of an unknown type, or about an object without a name.
//!
//! client-go logs such an event and continues, and its object keeps its old state until its next change. Here a list
//! replaces the event, and the cache is stale until that list. An event whose object has a name is skipped, because a
//! list could not decode that object either.

use std::time::Duration;

use crate::deadlines::{FIRST_UNDECODABLE_PAUSE, LONGEST_UNDECODABLE_PAUSE, UNDECODABLE_CALM};
use crate::error::InformerError;
use crate::object::Keyed;
use crate::reflector::current_error::CurrentError;
use crate::reflector::state::State;
use crate::reflector::{Reflector, Step};

/// A list that is due because of an undecodable event.
#[derive(Debug)]
struct Relist {
    due: Duration,
    /// The error of the first such event.
    error: InformerError,
}

/// Lists because of undecodable events: the due one, and the earliest time of the next.
#[derive(Debug, Default)]
pub(in crate::reflector) struct Undecodable {
    relist: Option<Relist>,
    /// Earliest time of the next such list.
    next: Duration,
    /// Pause between that list and the one after it; zero before the first.
    pause: Duration,
}

impl Undecodable {
    fn event(&mut self, error: InformerError, now: Duration) {
        if self.pause.is_zero() || now.saturating_sub(self.next) >= UNDECODABLE_CALM {
            self.pause = FIRST_UNDECODABLE_PAUSE;
        }
        // Not in this step: the rest of a burst causes no further list.
        self.relist.get_or_insert(Relist { due: self.next.max(now), error });
    }

    /// The error of the first undecodable event, until a list is begun.
    pub(in crate::reflector) fn error(&self) -> Option<&InformerError> {
        self.relist.as_ref().map(|relist| &relist.error)
    }

    /// Time at which the list is due.
    pub(super) fn due(&self) -> Option<Duration> {
        self.relist.as_ref().map(|relist| relist.due)
    }

    /// Records that a list begins. If it fails, others follow until one succeeds.
    pub(in crate::reflector) fn relist(&mut self, now: Duration) {
        if self.relist.take().is_some() {
            self.next = now.saturating_add(self.pause);
            self.pause = self.pause.saturating_mul(2).min(LONGEST_UNDECODABLE_PAUSE);
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// Returns the step after an undecodable event.
    pub(in crate::reflector) fn undecodable_event(&mut self, error: InformerError, now: Duration) -> Step<T> {
        self.metrics.dropped += 1;
        if error.object().is_none() {
            self.liveness.undecodable.event(error.clone(), now);
            self.current_error = CurrentError::Failed(error.clone());
        }
        Step { report: Some(error), ..Step::none() }
    }

    /// Whether a list that replaces an undecodable event is due, which closes the open watch.
    pub(in crate::reflector) fn relist_is_due(&self, now: Duration) -> bool {
        matches!(self.state, State::Watching(_)) && self.liveness.undecodable.due().is_some_and(|due| due <= now)
    }
}
