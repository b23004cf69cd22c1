//! Request counts: retries must not become a storm.

use std::collections::VecDeque;
use std::time::Duration;

/// How often a line may ask in any so long a time, whatever goes wrong.
///
/// The backoff allows seven attempts in the first minute of an outage and two a minute from then on; an attempt may be a
/// list and six watches, because five may end without anything new before one waits.
const BOUNDS: [(Duration, usize); 2] = [(Duration::from_secs(60), 56), (Duration::from_secs(600), 180)];

/// Requests more for each new thing that came in that time. Progress is proof of health: it takes a line back to the
/// first wait, and a watch that ends after it is resumed at once.
const FOR_EACH_NEWS: usize = 4;

/// The shortest patience with a watch that is doubted.
const SILENT: Duration = Duration::from_secs(3);

/// What was told so recently may not have been read: a slow machine suspects its watch all the same.
const UNREAD: Duration = Duration::from_millis(100);

/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// The requests of a line, and what they brought.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub(crate) struct Traffic {
    pub(crate) connections: u64,
    /// Watches asked for.
    pub(crate) watches: u64,
    /// When it last had reason not to believe that all is well: a list, a refusal, a connection that broke.
    pub(crate) trouble: Duration,
    /// Whether anything happened since the last list that a watch could not tell: without it there should be no other list.
    pub(crate) nothing_wrong: bool,
    /// Whether its last watch was refused or could not be read: it may be one that can only list.
    pub(crate) may_only_list: bool,
    /// Whether it was sent an undecodable event, which a list corrects.
    pub(crate) lost: bool,
    /// How often something was.
    pub(crate) wrongs: u64,
    /// Whether it was refused because the server was away, and has not been told since how far the server is.
    lost_server: bool,
    /// When it was last told that after an outage: what is shown as live is no older.
    shown_at: Option<Duration>,
    /// When its informer began, if not with the story.
    pub(crate) begun: Duration,
    asked: VecDeque<Duration>,
    news: VecDeque<Duration>,
    last: u64,
    not_before: Duration,
    /// When a pause was last asked for.
    paused_at: Duration,
}

impl Traffic {
    /// Counts a request that begins something: the following pages of a list are no attempts. An error says that it
    /// should not have come.
    pub(crate) fn ask(&mut self, now: Duration) -> Result<(), String> {
        self.asked.push_back(now);
        let longest = BOUNDS[BOUNDS.len() - 1].0;
        for times in [&mut self.asked, &mut self.news] {
            while times.front().is_some_and(|at| *at + longest < now) {
                times.pop_front();
            }
        }
        let early = self.not_before.saturating_sub(now);
        if !early.is_zero() {
            return Err(format!("asked {early:?} too early after the server wanted a pause"));
        }
        for (window, bound) in BOUNDS {
            let within = |times: &VecDeque<Duration>| times.iter().rev().take_while(|at| **at + window >= now).count();
            let (asked, news) = (within(&self.asked), within(&self.news));
            if asked > bound + FOR_EACH_NEWS * news {
                return Err(format!("a storm: {asked} requests in {window:?}, which brought {news} news"));
            }
        }
        Ok(())
    }

    /// Whether nothing was told for so long that an informer may come to doubt its watch.
    pub(crate) fn is_silent(&self, now: Duration) -> bool {
        let read = self.news.iter().rev().find(|at| **at + UNREAD <= now);
        read.is_none_or(|last| *last + SILENT <= now)
    }

    /// The server wants to be left alone for a while.
    pub(crate) fn pause(&mut self, pause: Duration, now: Duration) {
        (self.not_before, self.paused_at) = (now + pause.min(LONGEST_PAUSE), now);
    }

    /// The client is told of another cluster: it may list that before it has read that the server wants a pause.
    pub(crate) fn replace(&mut self, now: Duration) {
        if now.saturating_sub(self.paused_at) <= UNREAD {
            self.not_before = Duration::ZERO;
        }
    }

    /// The server was away when it was asked.
    pub(crate) fn lose_server(&mut self) {
        self.lost_server = true;
    }

    /// A list of the newest, or of one object of it, is on its way.
    pub(crate) fn show_newest(&mut self, now: Duration) {
        if std::mem::take(&mut self.lost_server) {
            self.shown_at = Some(now);
        }
    }

    /// A list out of the cache is on its way, which promises nothing.
    pub(crate) fn show_something(&mut self) {
        self.lost_server = false;
    }

    /// Another informer begins here, or one begins again: it was shown nothing.
    pub(crate) fn begin(&mut self, now: Duration) {
        (self.lost_server, self.shown_at, self.begun) = (false, None, now);
    }

    /// Since when nothing older may be shown as live.
    pub(crate) fn shown_at(&self) -> Option<Duration> {
        self.shown_at
    }

    /// Something happened that a watch could not tell: there is reason to list again.
    pub(crate) fn wrong(&mut self) {
        self.nothing_wrong = false;
        self.wrongs += 1;
    }

    /// A version was told; or the informer was woken or replaced (0), which is as good a reason to ask.
    pub(crate) fn news(&mut self, version: u64, now: Duration) {
        if version == 0 {
            self.wrong();
            self.not_before = Duration::ZERO;
        }
        if version == 0 || version != self.last {
            self.last = version;
            self.news.push_back(now);
        }
    }
}
