//! Undecodable events: complete, but of an unknown type, or about an object without a name.
//!
//! client-go logs such an event and goes on, and its object stays as it was until it changes again. Here a list replaces the
//! event; what is shown is stale until that list is there. An event whose object has a name is another matter: a list could
//! not decode that object either, so the event is skipped.

use std::time::Duration;

use crate::deadlines::{FIRST_UNDECODABLE_PAUSE, LONGEST_UNDECODABLE_PAUSE, UNDECODABLE_CALM};
use crate::error::InformerError;
use crate::object::Keyed;
use crate::reflector::state::State;
use crate::reflector::trouble::Trouble;
use crate::reflector::{Reflector, Step};

/// A list that is due because of an undecodable event.
#[derive(Debug)]
struct Relist {
    due: Duration,
    /// The error of the first such event.
    error: InformerError,
}

/// Whether a list is due for undecodable events, and when the next one may be.
#[derive(Debug, Default)]
pub(in crate::reflector) struct Undecodable {
    relist: Option<Relist>,
    /// The next such list comes no earlier than this.
    next: Duration,
    /// And the one after it this much later; zero before the first.
    pause: Duration,
}

impl Undecodable {
    fn event(&mut self, error: InformerError, now: Duration) {
        if self.pause.is_zero() || now.saturating_sub(self.next) >= UNDECODABLE_CALM {
            self.pause = FIRST_UNDECODABLE_PAUSE;
        }
        // Not in this step: the rest of a burst costs no further list.
        self.relist.get_or_insert(Relist { due: self.next.max(now), error });
    }

    /// The error of the first undecodable event, until a list is begun.
    pub(in crate::reflector) fn error(&self) -> Option<&InformerError> {
        self.relist.as_ref().map(|relist| &relist.error)
    }

    /// When the list is due.
    pub(super) fn due(&self) -> Option<Duration> {
        self.relist.as_ref().map(|relist| relist.due)
    }

    /// A list is begun; if it fails, others follow until one succeeds.
    pub(in crate::reflector) fn relist(&mut self, now: Duration) {
        if self.relist.take().is_some() {
            self.next = now.saturating_add(self.pause);
            self.pause = self.pause.saturating_mul(2).min(LONGEST_UNDECODABLE_PAUSE);
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// An event came that could not be decoded.
    pub(in crate::reflector) fn undecodable_event(&mut self, error: InformerError, now: Duration) -> Step<T> {
        self.metrics.dropped += 1;
        if error.object().is_none() {
            self.liveness.undecodable.event(error.clone(), now);
            self.trouble = Trouble::Failed(error.clone());
        }
        Step { report: Some(error), ..Step::none() }
    }

    /// Whether the open watch is left now for a list that replaces an undecodable event.
    pub(in crate::reflector) fn relist_is_due(&self, now: Duration) -> bool {
        matches!(self.state, State::Watching(_)) && self.liveness.undecodable.due().is_some_and(|due| due <= now)
    }
}
