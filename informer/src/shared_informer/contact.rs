//! Contact: times of the last data from the server, and of the next attempt.

use std::time::Duration;

use crate::object::Keyed;
use crate::phase::Phase;
use crate::reflector::{Reflector, Step, StoreCall};

/// Times of contact with the server, in milliseconds since the Unix epoch. They are only displayed.
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

/// Contents of a chunk: the kinds of data that its steps received from the server.
#[derive(Clone, Copy, Default)]
pub(super) struct ChunkContents {
    pub(super) any: bool,
    event: bool,
}

impl ChunkContents {
    /// Adds the data of a step.
    #[must_use]
    pub(super) fn add_step<T>(self, step: &Step<T>) -> Self {
        let is_event = matches!(step.call, Some(StoreCall::Add(_) | StoreCall::Update(_) | StoreCall::Delete(_)));
        Self { any: self.any || step.call.is_some(), event: self.event || is_event }
    }
}

impl Contact {
    /// Records a chunk. `now` is the reflector's time and wall-clock time.
    #[must_use]
    pub(super) fn with_chunk<T: Keyed>(
        mut self,
        chunk: ChunkContents,
        reflector: &Reflector<T>,
        now: (Duration, f64),
    ) -> Self {
        let (clock, wall) = now;
        let (watching, bookmarks) = (reflector.phase() == Phase::Watching, reflector.metrics().bookmarks);
        // Data from the server: an accepted watch, a bookmark, objects. Timers and pages do not count.
        let opened = watching && !self.watching;
        if opened || chunk.any || bookmarks > self.bookmarks {
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
        if chunk.event {
            self.event = Some(wall);
        }
        self
    }

    /// Returns the wall-clock time of the next attempt.
    pub(super) fn next_retry(&self) -> Option<f64> {
        self.retry.map(|(_, at)| at)
    }
}
