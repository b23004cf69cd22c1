//! How much is asked: retries must not become a storm.

use std::collections::VecDeque;
use std::time::Duration;

const WINDOW: Duration = Duration::from_secs(60);

/// Requests in any minute that a line may send whatever goes wrong. The backoff allows seven attempts in the first
/// minute of an outage; an attempt is a list, that list again without a version or without pages, and a watch, and five
/// watches may end without anything new before one waits.
const ALWAYS: usize = 60;

/// Requests in any minute for each new thing that came in it. Progress is proof of health: it takes a line back to the
/// first wait, and a watch that ends after it is resumed at once.
const FOR_EACH_NEWS: usize = 4;

/// The requests of a line, and what they brought.
#[derive(Default)]
pub(crate) struct Traffic {
    pub(crate) connections: u64,
    /// When it last had reason not to believe that all is well: a list, a refusal, a connection that broke.
    pub(crate) trouble: Duration,
    asked: VecDeque<Duration>,
    news: VecDeque<Duration>,
    last: u64,
}

impl Traffic {
    /// Counts a request that begins something: the following pages of a list are no attempts. The answer says whether it
    /// is one too many.
    pub(crate) fn ask(&mut self, now: Duration) -> Option<(usize, usize)> {
        self.asked.push_back(now);
        for times in [&mut self.asked, &mut self.news] {
            while times.front().is_some_and(|at| *at + WINDOW < now) {
                times.pop_front();
            }
        }
        let (asked, news) = (self.asked.len(), self.news.len());
        (asked > ALWAYS + FOR_EACH_NEWS * news).then_some((asked, news))
    }

    /// A version was told; or somebody woke or replaced the informer, which is as good a reason to ask.
    pub(crate) fn news(&mut self, version: u64, now: Duration) {
        if version == 0 || version != self.last {
            self.last = version;
            self.news.push_back(now);
        }
    }
}
