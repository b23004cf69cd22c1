//! Activity: whether a watch is busy, and for how long a busy one may be silent.
//!
//! A busy watch is suspect after ten seconds of silence, a steady one after three, a quiet one when a bookmark is
//! overdue. A suspicion costs requests, and a resource that changes in bursts causes one after each burst: so the limit
//! doubles with each false suspicion, and decreases again with time.

use std::time::Duration;

use crate::deadlines::{MISSED_WITHIN, SUSPICION_CALM};

/// Seconds with events, of the ten before the last message, that make a watch busy. Seconds are counted, not events:
/// otherwise each short rollout would look like a busy resource that fell silent.
const BUSY_SECONDS: u32 = 4;

/// Seconds with events, of the same ten, that make a watch steady. If random events arrive at two per second, one in a
/// thousand is followed by a gap of a third of ten seconds.
const STEADY_SECONDS: u32 = 9;

/// Divisor of the silence timeout for a steady watch.
const STEADY_DIVISOR: u32 = 3;

/// Bit mask of the last ten seconds.
const LAST_TEN: u32 = (1 << 10) - 1;

/// Activity of a resource, over all of its watches.
#[derive(Debug, Default)]
pub(in crate::reflector) struct Activity {
    /// Seconds with events, one bit per second; the lowest is for `second`.
    active_seconds: u32,
    /// The second of the last message.
    second: u64,
    /// Number of doublings of the limit at the last suspicion.
    doublings_at_suspicion: u32,
    /// Time of that suspicion.
    suspected_at: Duration,
    /// Limit before doubling that the next watch inherits from the suspect one, until it has sent a message.
    inherited_limit: Option<Duration>,
}

impl Activity {
    /// Records that a watch was opened.
    pub(in crate::reflector) fn opened(&mut self, now: Duration) {
        let second = now.as_secs();
        let gone = u32::try_from(second.saturating_sub(self.second)).unwrap_or(u32::MAX);
        self.active_seconds = self.active_seconds.checked_shl(gone).unwrap_or(0);
        self.second = second;
    }

    /// Records a message, which arrived `after` the previous one or after the watch was opened.
    pub(super) fn message(&mut self, is_event: bool, after: Duration, now: Duration) {
        self.opened(now);
        self.active_seconds |= u32::from(is_event);
        // The previous watch missed this event, so the suspicion was correct.
        if self.inherited_limit.take().is_some() && is_event && after <= MISSED_WITHIN {
            self.doublings_at_suspicion = self.doublings_at_suspicion.saturating_sub(1);
        }
    }

    /// Silence after the last message that makes the watch suspect; `None` if the watch was not busy. `usual` is the
    /// limit of a first suspicion.
    pub(super) fn silence_timeout(&self, usual: Duration, last_message: Duration) -> Option<Duration> {
        let first = self.limit_before_doubling(usual)?;
        Some(first.saturating_mul(1 << self.doublings(last_message)))
    }

    /// Returns the limit before doubling.
    fn limit_before_doubling(&self, usual: Duration) -> Option<Duration> {
        match (self.active_seconds & LAST_TEN).count_ones() {
            STEADY_SECONDS.. => Some(usual / STEADY_DIVISOR),
            BUSY_SECONDS.. => Some(usual),
            _ => self.inherited_limit,
        }
    }

    /// Records that the watch is abandoned because it is suspect. The next one may be silent for the same reason, so it
    /// becomes suspect after twice the time, until it has sent a message. (Trusting its silence at once was tried: a
    /// server that was silent for eight seconds was trusted for a minute and a half.)
    pub(super) fn suspected(&mut self, usual: Duration, now: Duration) {
        (self.doublings_at_suspicion, self.suspected_at) = (self.doublings(now) + 1, now);
        (self.active_seconds, self.inherited_limit) = (0, self.limit_before_doubling(usual));
    }

    /// Returns the number of doublings at a time: one less for each period without a suspicion.
    fn doublings(&self, now: Duration) -> u32 {
        let calm = now.saturating_sub(self.suspected_at).as_secs() / SUSPICION_CALM.as_secs();
        self.doublings_at_suspicion.saturating_sub(u32::try_from(calm).unwrap_or(u32::MAX)).min(16)
    }
}
