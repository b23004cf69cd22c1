//! Time of the last contact with the server.

use std::time::Duration;

use crate::object::Keyed;
use crate::phase::Phase;
use crate::reflector::{Reflector, Step, StoreCall};

/// Moments that only people read, as Unix milliseconds.
#[derive(Clone, Copy, Default)]
pub(super) struct Contact {
    pub(super) event: Option<f64>,
    pub(super) bookmark: Option<f64>,
    pub(super) last: Option<f64>,
    bookmarks: u64,
    watching: bool,
    /// When the next attempt is due, on the clock of the reflector and on the wall.
    retry: Option<(Duration, f64)>,
}

impl Contact {
    /// Takes what a step brought. `now` is the reflector's time and the wall's.
    #[must_use]
    pub(super) fn after<T: Keyed>(mut self, step: &Step<T>, reflector: &Reflector<T>, now: (Duration, f64)) -> Self {
        let (clock, wall) = now;
        let (watching, bookmarks) = (reflector.phase() == Phase::Watching, reflector.metrics().bookmarks);
        // What came from the server: an accepted watch, a bookmark, objects. Not what came from a timer or a page.
        let opened = watching && !self.watching;
        if opened || step.call.is_some() || bookmarks > self.bookmarks {
            self.last = Some(wall);
        }
        self.watching = watching;
        if bookmarks > self.bookmarks {
            (self.bookmark, self.bookmarks) = (Some(wall), bookmarks);
        }
        let retry = reflector.next_attempt();
        if self.retry.map(|(at, _)| at) != retry {
            self.retry = retry.map(|at| (at, wall + at.saturating_sub(clock).as_secs_f64() * 1_000.0));
        }
        if matches!(step.call, Some(StoreCall::Add(_) | StoreCall::Update(_) | StoreCall::Delete(_))) {
            self.event = Some(wall);
        }
        self
    }

    pub(super) fn next_retry(&self) -> Option<f64> {
        self.retry.map(|(_, at)| at)
    }
}
