//! Whether a watch is busy, and for how long a busy one may say nothing.
//!
//! In a cluster with churn a silence of ten seconds means something, and where it never stops one of three; in a quiet one
//! it means nothing before a bookmark is late. To suspect a watch costs requests, and a resource whose news come in bursts
//! gives reason for it after each of them: so the patience grows with each suspicion that was needless, and comes back down
//! with time.

use std::time::Duration;

/// Busy is a watch with news in so many of the ten seconds before its last sign of life. Seconds are counted and not
/// events, or each rollout of a moment would look like a lively resource that fell silent.
const BUSY_SECONDS: u32 = 4;

/// With news in so many of them it is one whose news never stop. Of events that come by chance, two a second on average,
/// one in a thousand is followed by a gap of a third of ten seconds.
const STEADY_SECONDS: u32 = 9;

/// Such a one may be silent for this part of the time only.
const STEADY: u32 = 3;

/// Ten of them, the last one first.
const LAST_TEN: u32 = (1 << 10) - 1;

/// After so long without a suspicion the patience is half as long again.
const CALM: Duration = Duration::from_secs(600);

/// What the watch before has missed comes so soon after the next one was opened.
const AT_ONCE: Duration = Duration::from_secs(2);

/// How lively a resource has been, over all of its watches.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// A bit for each second in which there was news, the lowest for `second`.
    news: u32,
    /// The second of the last sign of life.
    second: u64,
    /// How often the patience had been doubled when there was a suspicion last, and when that was.
    doubled: u32,
    suspected: Duration,
    /// What was waited for before it, undoubled, as long as nothing was heard since.
    unheard: Option<Duration>,
}

impl Pace {
    /// A watch was opened.
    pub(super) fn opened(&mut self, now: Duration) {
        let second = now.as_secs();
        let gone = u32::try_from(second.saturating_sub(self.second)).unwrap_or(u32::MAX);
        self.news = self.news.checked_shl(gone).unwrap_or(0);
        self.second = second;
    }

    /// Something came on a watch, news or not, so long after what came before it or after the watch was opened.
    pub(super) fn sign(&mut self, is_news: bool, after: Duration, now: Duration) {
        self.opened(now);
        self.news |= u32::from(is_news);
        // It had missed something: to suspect it was right.
        if self.unheard.take().is_some() && is_news && after <= AT_ONCE {
            self.doubled = self.doubled.saturating_sub(1);
        }
    }

    /// For how long nothing may come after the last sign of life, if the watch was busy until then. `usual` is what a first
    /// suspicion waits for.
    pub(super) fn patience(&self, usual: Duration, last_sign: Duration) -> Option<Duration> {
        let first = self.first(usual)?;
        Some(first.saturating_mul(1 << self.doublings(last_sign)))
    }

    /// The same for the first suspicion, undoubled.
    fn first(&self, usual: Duration) -> Option<Duration> {
        match (self.news & LAST_TEN).count_ones() {
            STEADY_SECONDS.. => Some(usual / STEADY),
            BUSY_SECONDS.. => Some(usual),
            _ => self.unheard,
        }
    }

    /// The watch is taken to be dead. The one that follows may be as silent as this one for the same reason, so it is
    /// suspected in its turn, twice as late, until it has said anything: to believe the quiet at once was tried, and a
    /// server that was silent for eight seconds was believed for a minute and a half.
    pub(super) fn suspect(&mut self, usual: Duration, now: Duration) {
        (self.doubled, self.suspected) = (self.doublings(now) + 1, now);
        (self.news, self.unheard) = (0, self.first(usual));
    }

    fn doublings(&self, now: Duration) -> u32 {
        let calm = now.saturating_sub(self.suspected).as_secs() / CALM.as_secs();
        self.doubled.saturating_sub(u32::try_from(calm).unwrap_or(u32::MAX)).min(16)
    }
}
