//! Request counts: retries must not become a storm.

use std::collections::VecDeque;
use std::time::Duration;

/// Maximum number of requests of a line in any interval of a length, under all faults.
///
/// The backoff allows seven attempts in the first minute of an outage and two a minute from then on; an attempt may be a
/// list and six watches, because five may end without anything new before one waits.
const BOUNDS: [(Duration, usize); 2] = [(Duration::from_secs(60), 56), (Duration::from_secs(600), 180)];

/// Additional requests for each new version in that time. Progress is evidence of health: it resets the backoff, and a
/// watch that ends after it is resumed at once.
const FOR_EACH_NEWS: usize = 4;

/// The shortest patience with a watch that is doubted.
const SILENT: Duration = Duration::from_secs(3);

/// Age of an event that may not have been read yet: a slow machine suspects its watch nevertheless. In two million stories
/// one was 124 ms old (seed 406447952094).
const UNREAD: Duration = Duration::from_millis(250);

/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Requests of a line, and their results.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub(crate) struct Traffic {
    pub(crate) connections: u64,
    /// Watches asked for.
    pub(crate) watches: u64,
    /// Time of the last evidence of trouble: a list, a rejection, a broken connection.
    pub(crate) trouble: Duration,
    /// Whether no event since the last list requires another one: then there should be none.
    pub(crate) nothing_wrong: bool,
    /// Whether its last watch was rejected or undecodable: the line may have to poll.
    pub(crate) may_only_list: bool,
    /// Whether it was sent an undecodable event, which a list corrects.
    pub(crate) lost: bool,
    /// Number of failures.
    pub(crate) wrongs: u64,
    /// Whether the server was absent, and the line has not received its newest version since.
    lost_server: bool,
    /// Time at which it last received that version after an outage: no live state may be older.
    shown_at: Option<Duration>,
    /// Start of its informer, if later than the story's.
    pub(crate) begun: Duration,
    asked: VecDeque<Duration>,
    news: VecDeque<Duration>,
    last: u64,
    not_before: Duration,
    /// Time of the last requested pause.
    paused_at: Duration,
}

impl Traffic {
    /// Counts the first request of an attempt, without the following pages of a list. An error means that the request
    /// should not have been sent.
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
            return Err(format!("a request {early:?} before the end of the requested pause"));
        }
        for (window, bound) in BOUNDS {
            let within = |times: &VecDeque<Duration>| times.iter().rev().take_while(|at| **at + window >= now).count();
            let (asked, news) = (within(&self.asked), within(&self.news));
            if asked > bound + FOR_EACH_NEWS * news {
                return Err(format!("too many requests: {asked} in {window:?}, with {news} new versions"));
            }
        }
        Ok(())
    }

    /// Whether the line was silent for so long that an informer may suspect its watch.
    pub(crate) fn is_silent(&self, now: Duration) -> bool {
        let read = self.news.iter().rev().find(|at| **at + UNREAD <= now);
        read.is_none_or(|last| *last + SILENT <= now)
    }

    /// The server requests a pause.
    pub(crate) fn pause(&mut self, pause: Duration, now: Duration) {
        (self.not_before, self.paused_at) = (now + pause.min(LONGEST_PAUSE), now);
    }

    /// The client receives another identity: it may list that cluster before it has read the requested pause.
    pub(crate) fn replace(&mut self, now: Duration) {
        if now.saturating_sub(self.paused_at) <= UNREAD {
            self.not_before = Duration::ZERO;
        }
    }

    /// The server was absent at a request.
    pub(crate) fn lose_server(&mut self) {
        self.lost_server = true;
    }

    /// A list of the newest, or of one object of it, is on its way.
    pub(crate) fn show_newest(&mut self, now: Duration) {
        if std::mem::take(&mut self.lost_server) {
            self.shown_at = Some(now);
        }
    }

    /// A list from the watch cache is in flight, which guarantees nothing.
    pub(crate) fn show_something(&mut self) {
        self.lost_server = false;
    }

    /// An informer starts or restarts on this line: it has received nothing.
    pub(crate) fn begin(&mut self, now: Duration) {
        (self.lost_server, self.shown_at, self.begun) = (false, None, now);
    }

    /// Time from which no older state may be shown as live.
    pub(crate) fn shown_at(&self) -> Option<Duration> {
        self.shown_at
    }

    /// Records a failure that a watch cannot report: a reason to list again.
    pub(crate) fn wrong(&mut self) {
        self.nothing_wrong = false;
        self.wrongs += 1;
    }

    /// Records a new version, or a wake or replacement of the informer (0), which permits a request as well.
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
