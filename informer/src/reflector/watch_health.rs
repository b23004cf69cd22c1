//! Watch health: how long watches have been well, and how many in a row failed, were short, idle or unheard.
//!
//! Two rules follow from failures.
//!
//! *Pauses begin anew only after a healthy period.* Progress inside a failing cycle (a list, an event, an ERROR, and again)
//! proves nothing. client-go resets its backoff after two minutes, but in the middle of an outage too. The first 410 in a
//! while begins them anew as well: a server that says that a version is gone is well, and what the pauses have grown to in an
//! outage must not precede the list that the restart has made necessary.
//!
//! *A watch that keeps failing ends in a list, and where lists work and watches do not, in polling.* Otherwise the server
//! answers every probe, each watch fails, and the cache stays as it was for good. client-go relists after any failure but
//! 429 and a refused connection, which it retries forever.

use std::time::Duration;

use super::state::Next;
use super::version::is_version;
use super::{Reflector, Step};
use crate::deadlines::{FAILING, HEALTHY_WATCH, THROTTLED, VERY_SHORT_WATCH};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

/// After this many failures the next attempt is a list if a probe shows that the cache falls behind. One failed watch is no
/// reason: a server that has just come back would be listed by all informers at once.
const FAILED_WATCHES: u32 = 2;

/// After this many idle watches in a row the version is not trusted any more (WAT-28).
const IDLE_WATCHES: u32 = 5;

/// This many watches in a row may end within a second although they brought something, before there is a pause.
const SHORT_WATCHES: u32 = 5;

/// After this many unheard watches in a row a list checks the version.
const UNHEARD_WATCHES: u32 = 2;

/// How the watches of a resource have fared.
#[derive(Debug, Default)]
pub(super) struct WatchHealth {
    /// The time for which watches have been open, resumed without a pause.
    period: Option<Period>,
    /// Watches in a row that failed before they sent a message.
    failures: u32,
    /// When the first of them failed.
    failed_at: Duration,
    remedy: Remedy,
    /// When the server last said that it no longer has the version.
    expired_at: Option<Duration>,
    /// Watches in a row that ended soon and brought nothing.
    idle: u32,
    /// Watches in a row that brought something and ended within a second.
    short: u32,
    /// Watches in a row that lived long and never sent a message.
    unheard: u32,
    /// Consecutive watches, each after a list, without a decodable event.
    undecodable: u32,
}

#[derive(Debug)]
struct Period {
    since: Duration,
    brought: Brought,
}

/// What the watches of a period have brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brought {
    Nothing,
    /// The version moved.
    Progress,
}

/// What failed watches call for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Remedy {
    /// Another watch.
    #[default]
    Watch,
    /// A list, once the cache falls behind: no watch was accepted since one failed in a way that client-go does not retry,
    /// neither throttled nor without a response.
    List,
}

impl WatchHealth {
    /// A watch was accepted.
    pub(super) fn opened(&mut self, now: Duration) {
        self.period.get_or_insert(Period { since: now, brought: Brought::Nothing });
        self.remedy = Remedy::Watch;
    }

    /// An event or a bookmark could be decoded.
    pub(super) fn heard(&mut self) {
        self.undecodable = 0;
        self.lived_out();
    }

    /// A watch came to its natural end, or sent something.
    pub(super) fn lived_out(&mut self) {
        (self.failures, self.remedy) = (0, Remedy::Watch);
    }

    /// The version moved.
    pub(super) fn progressed(&mut self) {
        if let Some(period) = &mut self.period {
            period.brought = Brought::Progress;
        }
        (self.idle, self.unheard) = (0, 0);
    }

    /// A streaming list ended as it should.
    pub(super) fn listed_by_stream(&mut self, now: Duration) {
        self.opened(now);
        self.idle = 0;
    }

    /// A watch behind a list could not be decoded from its first line on. Returns whether the one before it could not
    /// either.
    pub(super) fn begins_undecodable(&mut self) -> bool {
        self.undecodable = self.undecodable.saturating_add(1);
        self.undecodable > 1
    }

    /// A watch that brought something ended after this time. Returns whether the next one may follow at once: not if
    /// something cuts off watch after watch behind its first event.
    pub(super) fn may_follow_at_once(&mut self, lived: Duration) -> bool {
        if lived >= VERY_SHORT_WATCH {
            self.short = 0;
            return true;
        }
        let may = self.short < SHORT_WATCHES;
        self.short += u32::from(may);
        may
    }

    /// A watch ended soon and brought nothing. Returns whether that has happened too often.
    pub(super) fn is_idle_too_often(&mut self) -> bool {
        let too_often = self.idle >= IDLE_WATCHES;
        self.idle = if too_often { 0 } else { self.idle + 1 };
        too_often
    }

    /// A watch lived long and sent this many messages. Returns whether watches have been unheard too often.
    pub(super) fn is_unheard_too_often(&mut self, messages: u64) -> bool {
        self.unheard = if messages > 0 { 0 } else { self.unheard + 1 };
        let too_often = self.unheard >= UNHEARD_WATCHES;
        if too_often {
            self.unheard = 0;
        }
        too_often
    }

    /// Ends the period. Returns whether it was a healthy one. With progress it need only have lasted as long as the longest
    /// pause: a cycle that fails no sooner is no quicker than one at the cap.
    pub(super) fn end_period(&mut self, longest_pause: Duration, now: Duration) -> bool {
        self.period.take().is_some_and(|period| {
            let enough = match period.brought {
                Brought::Progress => longest_pause.min(HEALTHY_WATCH),
                Brought::Nothing => HEALTHY_WATCH,
            };
            now.saturating_sub(period.since) >= enough
        })
    }

    /// Whether this is the first 410 in a while. More of them are a cycle that fails.
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
            self.remedy = Remedy::List;
        }
    }

    /// Whether watches keep failing, the last one with this code.
    pub(super) fn keeps_failing(&self, code: ErrorCode, now: Duration) -> bool {
        let limit = if code == ErrorCode::Throttled { THROTTLED } else { FAILING };
        self.failures >= FAILED_WATCHES && now.saturating_sub(self.failed_at) >= limit
    }

    fn wants_list(&self) -> bool {
        self.remedy == Remedy::List && self.failures >= FAILED_WATCHES
    }
}

impl<T: Keyed> Reflector<T> {
    /// A watch failed before it sent a message: it was refused or not answered, broke off or ended at once, or began with
    /// an ERROR.
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
        self.health.wants_list() && is_version(version) && version != self.version.as_str()
    }
}
