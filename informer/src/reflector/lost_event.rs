//! Events that were lost: whole, but of a type that nobody knows, or about nothing that has a name.
//!
//! client-go logs such an event and goes on, and what it was about stays as it was until it changes again. Here a list tells:
//! what is shown is called stale from the event until that list is there. An event whose object has a name and cannot be
//! read is another matter: a list would not read it either.

use std::time::Duration;

use super::state::{State, Watching};
use super::{Reflector, Step};
use crate::error::InformerError;
use crate::object::Keyed;

/// The time between the first such list and the second. Something on the way may spoil an event each second.
const FIRST_PAUSE: Duration = Duration::from_secs(10);

/// It is doubled each time, up to this: a list of everything must not become the way to follow a resource.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// After so long without a loss it begins anew.
const CALM: Duration = Duration::from_secs(600);

/// A list that must come, but not before this.
#[derive(Debug)]
struct Owed {
    due: Duration,
    /// What was lost first.
    why: InformerError,
}

/// Whether a list is owed for what was lost, and when the next one may be.
#[derive(Debug, Default)]
pub(super) struct LostEvents {
    owed: Option<Owed>,
    /// The next list because of a lost event comes no earlier than this.
    next: Duration,
    /// And the one after that so much later; zero before the first.
    pause: Duration,
}

impl LostEvents {
    fn lose(&mut self, why: InformerError, now: Duration) {
        if self.pause.is_zero() || now.saturating_sub(self.next) >= CALM {
            self.pause = FIRST_PAUSE;
        }
        // Not in this step: the rest of a burst costs no further list.
        self.owed.get_or_insert(Owed { due: self.next.max(now), why });
    }

    /// What was lost first, as long as no list was begun since.
    pub(super) fn owed(&self) -> Option<&InformerError> {
        self.owed.as_ref().map(|owed| &owed.why)
    }

    /// A list is begun, which will be followed by others until one succeeds.
    pub(super) fn relist(&mut self, now: Duration) {
        if self.owed.take().is_some() {
            self.next = now.saturating_add(self.pause);
            self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// An event came that could not be read.
    pub(super) fn lose(&mut self, error: InformerError, now: Duration) -> Step<T> {
        self.metrics.dropped += 1;
        if error.object().is_none() {
            self.lost_events.lose(error.clone(), now);
            self.last_error = Some(error.clone());
        }
        Step { report: Some(error), ..Step::none() }
    }

    /// When the open watch is left for the list that is owed.
    pub(super) fn owed_at(&self, watch: &Watching<T>) -> Option<Duration> {
        let owed = self.lost_events.owed.as_ref().filter(|_| watch.staging.is_none());
        owed.map(|owed| owed.due)
    }

    /// Whether it is time for that.
    pub(super) fn is_owed(&self, now: Duration) -> bool {
        matches!(&self.state, State::Watching(watch) if self.owed_at(watch).is_some_and(|due| due <= now))
    }
}
