//! Notices that the machine has slept, or that the browser has frozen the page.

use std::time::Duration;

use crate::clock::Clock;

/// How often the clocks are looked at, if nothing else happens: so long after waking a sleep is noticed at the latest.
pub(super) const LOOK: Duration = Duration::from_secs(15);

/// How far the wall's clock may run ahead of the other between two looks. In some browsers the monotonic one stands still
/// while the machine sleeps.
const AHEAD: Duration = Duration::from_secs(30);

/// Where it does not, a pause so long is one that nobody was awake in: a browser that throttles the timers of a hidden page
/// still lets them ring each minute.
const PAUSE: Duration = Duration::from_secs(90);

/// What both clocks showed at the last look.
pub(super) struct Sleep {
    now: Duration,
    unix_ms: f64,
}

impl Sleep {
    pub(super) fn new(clock: &dyn Clock) -> Self {
        Self { now: clock.now(), unix_ms: clock.unix_ms() }
    }

    /// What the wall's clock shows when the other shows zero, in milliseconds.
    pub(super) fn epoch(&self) -> f64 {
        self.unix_ms - self.now.as_secs_f64() * 1_000.0
    }

    /// Whether there was a sleep since the last look. A wall clock that is put forward looks the same, and costs what a
    /// sleep does.
    pub(super) fn is_over(&mut self, clock: &dyn Clock) -> bool {
        let before = std::mem::replace(self, Self::new(clock));
        self.now.saturating_sub(before.now) > PAUSE || self.epoch() - before.epoch() > AHEAD.as_secs_f64() * 1_000.0
    }
}
