//! Watch health: how long the watch has been well, and how many watches in a row failed before they said anything.
//!
//! Two rules follow from it.
//!
//! *Waits begin anew only after a healthy period.* Progress inside a failing cycle (a list, an event, an ERROR, and again)
//! proves nothing. client-go resets its backoff after two minutes, but in the middle of an outage too. The first 410 in a
//! while begins them anew as well: a server that says that a version is gone is well, and what the waits have grown to in an
//! outage must not come before the list that the restart has made necessary.
//!
//! *A watch that keeps failing ends in a list, and where lists work and watches do not, in polling.* Otherwise the server
//! answers every probe, each watch fails, and the cache stays as it was for good. client-go relists after any failure but
//! 429 and a refused connection, which it retries forever.

use std::time::Duration;

use super::list_phase::is_version;
use super::state::Then;
use super::{Reflector, Step};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

/// A watch that has been well for so long proves that the server is, even if it had nothing to say.
const HEALTHY_WATCH: Duration = Duration::from_secs(120);

/// Watches that fail in a row for longer than this, two or more of them, keep failing: the next attempt is a list, and
/// behind a list the resource is polled.
const FAILING: Duration = Duration::from_secs(2);

/// The same for watches that are throttled: a busy server is spared the list for longer.
const THROTTLED: Duration = Duration::from_secs(30);

/// After so many the next attempt is a list if a probe shows that the cache falls behind. One failed watch is no reason: a
/// server that has just come back would be listed by all informers at once.
const FAILED_WATCHES: u32 = 2;

/// How the watch has fared.
#[derive(Debug, Default)]
pub(super) struct WatchHealth {
    /// Since when a watch, and those that resumed it without a wait, has been open.
    since: Option<Duration>,
    /// Whether it has brought anything new.
    progressed: bool,
    /// Watches in a row that failed before they said anything.
    failures: u32,
    /// When the first of them failed.
    failed_at: Duration,
    /// When the server last said that it no longer has the version.
    expired_at: Option<Duration>,
    /// Whether no watch was accepted since one of those failed as client-go would not retry it: neither throttled nor
    /// without an answer.
    wants_list: bool,
}

impl WatchHealth {
    /// A watch was accepted.
    pub(super) fn opened(&mut self, now: Duration) {
        self.since.get_or_insert(now);
        self.wants_list = false;
    }

    /// An event or a bookmark could be read.
    pub(super) fn heard(&mut self) {
        (self.failures, self.wants_list) = (0, false);
    }

    /// The version moved.
    pub(super) fn progressed(&mut self) {
        self.progressed = true;
    }

    /// A watch that said nothing came to its natural end.
    pub(super) fn lived_out(&mut self) {
        self.heard();
    }

    /// Ends the period, and says whether it was a healthy one. With progress it need only have lasted as long as the
    /// longest wait does: a cycle that fails no sooner is no quicker than one at the cap.
    pub(super) fn end(&mut self, longest_wait: Duration, now: Duration) -> bool {
        let enough = if self.progressed { longest_wait.min(HEALTHY_WATCH) } else { HEALTHY_WATCH };
        self.progressed = false;
        self.since.take().is_some_and(|since| now.saturating_sub(since) >= enough)
    }

    /// Whether this is the first 410 in a while. More of them are a cycle that fails.
    fn expires_anew(&mut self, longest_wait: Duration, now: Duration) -> bool {
        let while_ago = longest_wait.saturating_mul(4).max(HEALTHY_WATCH);
        self.expired_at.replace(now).is_none_or(|before| now.saturating_sub(before) >= while_ago)
    }

    fn failed(&mut self, code: ErrorCode, now: Duration) {
        if self.failures == 0 {
            self.failed_at = now;
        }
        self.failures = self.failures.saturating_add(1);
        self.wants_list |= !matches!(code, ErrorCode::Throttled | ErrorCode::Network);
    }

    /// Whether the watch keeps failing, the last time with this code.
    pub(super) fn keeps_failing(&self, code: ErrorCode, now: Duration) -> bool {
        let patience = if code == ErrorCode::Throttled { THROTTLED } else { FAILING };
        self.failures >= FAILED_WATCHES && now.saturating_sub(self.failed_at) >= patience
    }
}

impl<T: Keyed> Reflector<T> {
    /// A watch failed before it said anything: it was refused or not answered, broke off or ended at once, or began with
    /// an ERROR.
    pub(super) fn watch_failed(&mut self, error: InformerError, then: Then, now: Duration) -> Step<T> {
        self.health.failed(error.code(), now);
        if !self.health.keeps_failing(error.code(), now) {
            return self.back_off(error, then, now);
        }
        if self.listed {
            return self.poll(error, now);
        }
        self.want_newer();
        self.back_off(error, Then::Relist, now)
    }

    /// Whether a probe shows that the cache falls behind while watches fail.
    pub(super) fn falls_behind(&self, version: &str) -> bool {
        let fails = self.health.wants_list && self.health.failures >= FAILED_WATCHES;
        fails && is_version(version) && version != self.last_version
    }

    /// The wait before the next attempt.
    pub(super) fn draw_wait(&mut self, error: &InformerError, now: Duration) -> Duration {
        let longest = self.options.backoff.max;
        let expired = error.code() == ErrorCode::Expired && self.health.expires_anew(longest, now);
        if self.health.end(longest, now) || expired {
            self.backoff.reset();
        }
        self.backoff.wait(error.retry_after())
    }
}
