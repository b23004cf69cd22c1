//! Watch health: duration of the current healthy period, and numbers of watches in a row that failed, were short, idle
//! or silent.
//!
//! Two rules follow from failures.
//!
//! *The backoff is reset only after a healthy period.* Progress inside a failing cycle (a list, an event, an ERROR, and
//! again) does not count. client-go resets its backoff after two minutes, also in the middle of an outage. The first
//! 410 in a while resets it, too: a server that reports an expired version is healthy, and the relist must not wait for
//! a pause that grew during the outage.
//!
//! *A watch that keeps failing is replaced by a list; if lists work and watches do not, by polling.* Otherwise probes
//! succeed, every watch fails, and the cache is stale forever. client-go relists after any failure except 429 and a
//! rejected connection, which it retries forever.

use std::time::Duration;

use super::state::Next;
use super::version::is_version;
use super::{Reflector, Step};
use crate::deadlines::{FAILING, HEALTHY_WATCH, THROTTLED, VERY_SHORT_WATCH};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

/// Failures in a row before a list may replace the watch: at once if a probe shows a newer version, otherwise after
/// [`FAILING`]. One failed watch is not enough: all informers at once would list a server that has just come back.
const FAILED_WATCHES: u32 = 2;

/// Idle watches in a row that are tolerated; the next one triggers a list (WAT-28).
const IDLE_WATCHES: u32 = 5;

/// Short watches in a row (under a second, with progress) that are resumed without a pause.
const SHORT_WATCHES: u32 = 5;

/// Silent watches in a row that trigger a list.
const SILENT_WATCHES: u32 = 2;

/// Health of a resource's watches.
#[derive(Debug, Default)]
pub(super) struct WatchHealth {
    /// Current period of open watches, resumed without a pause.
    period: Option<Period>,
    /// Watches in a row that failed before they sent a message.
    failures: u32,
    /// Time of the first of these failures.
    failed_at: Duration,
    /// Whether a list is to follow if the cache is behind. Set by a failure other than 429 or a network error; cleared
    /// when a watch is accepted.
    needs_list: bool,
    /// Time at which the server last reported an expired version.
    expired_at: Option<Duration>,
    /// Idle watches in a row: ended before [`LONG_WATCH`](crate::deadlines::LONG_WATCH) without progress.
    idle: u32,
    /// Short watches in a row: ended within a second, with progress.
    short: u32,
    /// Silent watches in a row: long, without a message.
    silent: u32,
    /// Consecutive watches, each after a list, without a decodable event.
    undecodable: u32,
}

#[derive(Debug)]
struct Period {
    since: Duration,
    /// Whether the version has moved.
    has_progress: bool,
}

impl WatchHealth {
    /// Records that a watch was accepted.
    pub(super) fn opened(&mut self, now: Duration) {
        self.period.get_or_insert(Period { since: now, has_progress: false });
        self.needs_list = false;
    }

    /// Records that an event or a bookmark could be decoded.
    pub(super) fn message_decoded(&mut self) {
        self.undecodable = 0;
        self.watch_worked();
    }

    /// Records that a watch lasted long or sent a message: resets the count of failures.
    pub(super) fn watch_worked(&mut self) {
        (self.failures, self.needs_list) = (0, false);
    }

    /// Records that the version moved.
    pub(super) fn progressed(&mut self) {
        if let Some(period) = &mut self.period {
            period.has_progress = true;
        }
        (self.idle, self.silent) = (0, 0);
    }

    /// Records that a streaming list completed.
    pub(super) fn listed_by_stream(&mut self, now: Duration) {
        self.opened(now);
        self.idle = 0;
    }

    /// Counts a watch after a list whose first line could not be decoded. Returns whether it is not the first in a row.
    pub(super) fn record_undecodable(&mut self) -> bool {
        self.undecodable = self.undecodable.saturating_add(1);
        self.undecodable > 1
    }

    /// Counts a watch with progress that ended after this time. Returns whether the next one may follow at once: false
    /// once [`SHORT_WATCHES`] in a row were cut off within a second.
    pub(super) fn record_progress_and_end(&mut self, lived: Duration) -> bool {
        if lived >= VERY_SHORT_WATCH {
            self.short = 0;
            return true;
        }
        let may = self.short < SHORT_WATCHES;
        self.short += u32::from(may);
        may
    }

    /// Counts an idle watch. Returns whether there were too many in a row.
    pub(super) fn record_idle(&mut self) -> bool {
        let too_often = self.idle >= IDLE_WATCHES;
        self.idle = if too_often { 0 } else { self.idle + 1 };
        too_often
    }

    /// Counts a long watch with this number of messages. Returns whether there were too many silent ones in a row.
    pub(super) fn record_long(&mut self, messages: u64) -> bool {
        self.silent = if messages > 0 { 0 } else { self.silent + 1 };
        let too_often = self.silent >= SILENT_WATCHES;
        if too_often {
            self.silent = 0;
        }
        too_often
    }

    /// Ends the period. Returns whether it was healthy. With progress, a period as long as the maximum pause is enough:
    /// retrying at that rate is no faster than the backoff's cap.
    pub(super) fn end_period(&mut self, longest_pause: Duration, now: Duration) -> bool {
        self.period.take().is_some_and(|period| {
            let enough = if period.has_progress { longest_pause.min(HEALTHY_WATCH) } else { HEALTHY_WATCH };
            now.saturating_sub(period.since) >= enough
        })
    }

    /// Whether this 410 is the first in a while; repeated ones do not reset the backoff.
    pub(super) fn expires_anew(&mut self, longest_pause: Duration, now: Duration) -> bool {
        let while_ago = longest_pause.saturating_mul(4).max(HEALTHY_WATCH);
        self.expired_at.replace(now).is_none_or(|before| now.saturating_sub(before) >= while_ago)
    }

    fn failed(&mut self, code: ErrorCode, now: Duration) {
        if self.failures == 0 {
            self.failed_at = now;
        }
        self.failures = self.failures.saturating_add(1);
        if !matches!(code, ErrorCode::Throttled | ErrorCode::Network) {
            self.needs_list = true;
        }
    }

    /// Whether watches keep failing, the last one with this code.
    pub(super) fn keeps_failing(&self, code: ErrorCode, now: Duration) -> bool {
        let limit = if code == ErrorCode::Throttled { THROTTLED } else { FAILING };
        self.failures >= FAILED_WATCHES && now.saturating_sub(self.failed_at) >= limit
    }

    /// Whether a list is to replace the watch if the cache is behind.
    fn needs_list(&self) -> bool {
        self.needs_list && self.failures >= FAILED_WATCHES
    }
}

impl<T: Keyed> Reflector<T> {
    /// Returns the step after a watch that failed before its first message: rejected, timed out, cut off, or an ERROR
    /// as first event. Backs off; if watches keep failing, lists again, or polls if the last list succeeded.
    pub(super) fn watch_failed(&mut self, error: InformerError, next: Next, now: Duration) -> Step<T> {
        self.health.failed(error.code(), now);
        if !self.health.keeps_failing(error.code(), now) {
            return self.back_off(error, next, now);
        }
        if self.state.follows_list() {
            return self.poll(error, now);
        }
        self.want_newer();
        self.back_off(error, Next::Relist, now)
    }

    /// Whether a probe shows that the cache falls behind while watches fail.
    pub(super) fn falls_behind(&self, version: &str) -> bool {
        self.health.needs_list() && is_version(version) && version != self.version.as_str()
    }
}
