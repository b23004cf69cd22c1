//! Request counts of each source: retries must not become a storm.

use std::collections::VecDeque;
use std::time::Duration;

/// Maximum number of requests of a source in any interval of a length, under all faults.
///
/// The backoff allows seven attempts in the first minute of an outage and two a minute from then on; an attempt may be
/// a list and six watches, because five may end without anything new before one waits.
const BOUNDS: [(Duration, usize); 2] = [(Duration::from_secs(60), 56), (Duration::from_secs(600), 180)];

/// Additional requests for each new version in that time. Progress is evidence of health: it resets the backoff, and a
/// watch that ends after it is resumed at once.
const REQUESTS_PER_VERSION: usize = 4;

/// Minimum silence after which an informer suspects a watch.
const MIN_SILENCE: Duration = Duration::from_secs(3);

/// Age of an event that may not have been read yet: a slow machine suspects its watch nevertheless. In two million
/// stories one was 124 ms old (seed 406447952094).
const MAX_READ_DELAY: Duration = Duration::from_millis(250);

/// Maximum pause that a client accepts from a server.
const MAX_PAUSE: Duration = Duration::from_secs(300);

/// Requests of a source, and their results.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub(crate) struct Traffic {
    pub(crate) connections: u64,
    /// Number of requested watches.
    pub(crate) watches: u64,
    /// Time of the last disruption: a list, a rejection, a broken connection.
    pub(crate) disrupted_at: Duration,
    /// Whether nothing since the last list requires another one: then there should be none.
    pub(crate) needs_no_list: bool,
    /// Whether its last watch was rejected or undecodable: the informer may have to poll.
    pub(crate) may_only_list: bool,
    /// Whether it was sent an undecodable event, which a list corrects.
    pub(crate) lost_event: bool,
    /// Number of failures.
    pub(crate) failures: u64,
    /// Whether the server was unreachable, and its newest version was not sent since.
    missed_server: bool,
    /// Time at which that version was last sent after an outage: no live state may be older.
    newest_sent_at: Option<Duration>,
    /// Start of its informer, if later than that of the story.
    pub(crate) started_at: Duration,
    requests: VecDeque<Duration>,
    versions: VecDeque<Duration>,
    last_version: u64,
    not_before: Duration,
    /// Time of the last requested pause.
    paused_at: Duration,
}

impl Traffic {
    /// Counts the first request of an attempt, without the following pages of a list. An error means that the request
    /// should not have been sent.
    pub(crate) fn record_request(&mut self, now: Duration) -> Result<(), String> {
        self.requests.push_back(now);
        let longest = BOUNDS[BOUNDS.len() - 1].0;
        for times in [&mut self.requests, &mut self.versions] {
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
            let (requests, versions) = (within(&self.requests), within(&self.versions));
            if requests > bound + REQUESTS_PER_VERSION * versions {
                return Err(format!("too many requests: {requests} in {window:?}, with {versions} new versions"));
            }
        }
        Ok(())
    }

    /// Whether the source received nothing for so long that an informer may suspect its watch.
    pub(crate) fn is_silent(&self, now: Duration) -> bool {
        let read = self.versions.iter().rev().find(|at| **at + MAX_READ_DELAY <= now);
        read.is_none_or(|last| *last + MIN_SILENCE <= now)
    }

    /// Records that the server requests a pause.
    pub(crate) fn pause_requested(&mut self, pause: Duration, now: Duration) {
        (self.not_before, self.paused_at) = (now + pause.min(MAX_PAUSE), now);
    }

    /// Records that the client receives another identity: it may list that cluster before it has read the requested
    /// pause.
    pub(crate) fn identity_replaced(&mut self, now: Duration) {
        if now.saturating_sub(self.paused_at) <= MAX_READ_DELAY {
            self.not_before = Duration::ZERO;
        }
    }

    /// Records that the server was unreachable at a request.
    pub(crate) fn server_missed(&mut self) {
        self.missed_server = true;
    }

    /// Records that a list of the newest version, or of one object of it, is sent.
    pub(crate) fn newest_sent(&mut self, now: Duration) {
        if std::mem::take(&mut self.missed_server) {
            self.newest_sent_at = Some(now);
        }
    }

    /// Records that a list from the watch cache is sent, which guarantees nothing.
    pub(crate) fn cached_sent(&mut self) {
        self.missed_server = false;
    }

    /// Records that an informer starts or restarts: it has received nothing, and its backoff begins anew (seed
    /// 22609772928: stopped and requested again ten seconds into a fault).
    pub(crate) fn start_informer(&mut self, now: Duration) {
        self.requests.clear();
        (self.missed_server, self.newest_sent_at, self.started_at) = (false, None, now);
    }

    /// Returns the time from which no older state may be shown as live.
    pub(crate) fn newest_sent_at(&self) -> Option<Duration> {
        self.newest_sent_at
    }

    /// Records a failure that a watch cannot report: a reason to list again.
    pub(crate) fn record_failure(&mut self) {
        self.needs_no_list = false;
        self.failures += 1;
    }

    /// Records a new version, or a wake or replacement of the informer (0), which permits a request as well.
    pub(crate) fn record_version(&mut self, version: u64, now: Duration) {
        if version == 0 {
            self.record_failure();
            self.not_before = Duration::ZERO;
        }
        if version == 0 || version != self.last_version {
            self.last_version = version;
            self.versions.push_back(now);
        }
    }
}
