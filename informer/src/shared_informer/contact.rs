//! Time of the last contact with the server.

use std::time::Duration;

use crate::object::Keyed;
use crate::phase::Phase;
use crate::reflector::{Reflector, Step, StoreCall};

/// Times that are only displayed, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Default)]
pub(super) struct Contact {
    pub(super) event: Option<f64>,
    pub(super) bookmark: Option<f64>,
    pub(super) last: Option<f64>,
    bookmarks: u64,
    watching: bool,
    /// Time of the next attempt, on the reflector's clock and as wall-clock time.
    retry: Option<(Duration, f64)>,
}

/// Data that the steps of one chunk brought from the server.
#[derive(Clone, Copy, Default)]
pub(super) struct Brought {
    pub(super) any: bool,
    event: bool,
}

impl Brought {
    #[must_use]
    pub(super) fn and<T>(self, step: &Step<T>) -> Self {
        let is_event = matches!(step.call, Some(StoreCall::Add(_) | StoreCall::Update(_) | StoreCall::Delete(_)));
        Self { any: self.any || step.call.is_some(), event: self.event || is_event }
    }
}

impl Contact {
    /// Records a chunk. `now` is the reflector's time and wall-clock time.
    #[must_use]
    pub(super) fn after<T: Keyed>(mut self, brought: Brought, reflector: &Reflector<T>, now: (Duration, f64)) -> Self {
        let (clock, wall) = now;
        let (watching, bookmarks) = (reflector.phase() == Phase::Watching, reflector.metrics().bookmarks);
        // Data from the server: an accepted watch, a bookmark, objects. Timers and pages do not count.
        let opened = watching && !self.watching;
        if opened || brought.any || bookmarks > self.bookmarks {
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
        if brought.event {
            self.event = Some(wall);
        }
        self
    }

    pub(super) fn next_retry(&self) -> Option<f64> {
        self.retry.map(|(_, at)| at)
    }
}
