//! Activity: whether a watch is busy, and for how long a busy one may be silent.
//!
//! In a cluster with churn a silence of ten seconds means something, and where news never stop one of three; in a quiet one
//! it means nothing before a bookmark is overdue. To suspect a watch costs requests, and a resource whose news come in
//! bursts gives reason for it after each of them: so the limit doubles with each needless suspicion, and comes back down
//! with time.

use std::time::Duration;

use crate::deadlines::{MISSED_WITHIN, SUSPICION_CALM};

/// A busy watch had news in this many of the ten seconds before its last message. Seconds are counted and not events, or
/// each rollout of a moment would look like a busy resource that fell silent.
const BUSY_SECONDS: u32 = 4;

/// A steady watch had news in this many of them. Of events that come by chance, two a second on average, one in a thousand
/// is followed by a gap of a third of ten seconds.
const STEADY_SECONDS: u32 = 9;

/// A steady watch may be silent for this part of the time only.
const STEADY: u32 = 3;

/// The bits of ten seconds.
const LAST_TEN: u32 = (1 << 10) - 1;

/// How busy a resource has been, over all of its watches.
#[derive(Debug, Default)]
pub(in crate::reflector) struct Activity {
    /// A bit for each second in which there was news, the lowest for `second`.
    news: u32,
    /// The second of the last message.
    second: u64,
    /// How often the limit had been doubled at the last suspicion, and when that was.
    doubled: u32,
    suspected_at: Duration,
    /// The limit of that suspicion before doubling, until a message comes.
    carried: Option<Duration>,
}

impl Activity {
    /// A watch was opened.
    pub(in crate::reflector) fn opened(&mut self, now: Duration) {
        let second = now.as_secs();
        let gone = u32::try_from(second.saturating_sub(self.second)).unwrap_or(u32::MAX);
        self.news = self.news.checked_shl(gone).unwrap_or(0);
        self.second = second;
    }

    /// A message came, `after` the one before it or after the watch was opened.
    pub(super) fn message(&mut self, is_news: bool, after: Duration, now: Duration) {
        self.opened(now);
        self.news |= u32::from(is_news);
        // The watch before had missed it, so the suspicion was right.
        if self.carried.take().is_some() && is_news && after <= MISSED_WITHIN {
            self.doubled = self.doubled.saturating_sub(1);
        }
    }

    /// How long after its last message a watch is suspect; `None` if it was not busy until then. `usual` is the limit of a
    /// first suspicion.
    pub(super) fn silence_timeout(&self, usual: Duration, last_message: Duration) -> Option<Duration> {
        let first = self.undoubled(usual)?;
        Some(first.saturating_mul(1 << self.doublings(last_message)))
    }

    fn undoubled(&self, usual: Duration) -> Option<Duration> {
        match (self.news & LAST_TEN).count_ones() {
            STEADY_SECONDS.. => Some(usual / STEADY),
            BUSY_SECONDS.. => Some(usual),
            _ => self.carried,
        }
    }

    /// The watch is left because it is suspect. The next one may be as silent for the same reason, so it becomes suspect in
    /// its turn, twice as late, until it has sent anything. (To trust the silence at once was tried: a server that was silent
    /// for eight seconds was trusted for a minute and a half.)
    pub(super) fn suspected(&mut self, usual: Duration, now: Duration) {
        (self.doubled, self.suspected_at) = (self.doublings(now) + 1, now);
        (self.news, self.carried) = (0, self.undoubled(usual));
    }

    fn doublings(&self, now: Duration) -> u32 {
        let calm = now.saturating_sub(self.suspected_at).as_secs() / SUSPICION_CALM.as_secs();
        self.doubled.saturating_sub(u32::try_from(calm).unwrap_or(u32::MAX)).min(16)
    }
}
