//! Follower: the stream of one log, with existing lines first, then each line as it is written.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use humantime::parse_rfc3339;
use tokio::sync::watch;

use super::commands::Commands;
use super::run::Run;
use super::{status_of, text};
use crate::clock::{self, Instant, sleep};
use crate::store::Store;

/// Interval of checks whether the container still runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Bytes sent without a pause.
const BATCH: usize = 32 * 1024;

/// Container of the log.
pub(super) struct Source {
    pub(super) namespace: String,
    pub(super) pod: String,
    /// Key of the pod in the store.
    pub(super) key: String,
    pub(super) uid: String,
    pub(super) container: String,
}

/// Response that is being sent.
pub(super) struct Follower {
    pub(super) store: Arc<Store>,
    pub(super) commands: Arc<Commands>,
    pub(super) changed: watch::Receiver<usize>,
    /// Number of commands that `run` includes.
    pub(super) seen: usize,
    /// Time of the last check of the container.
    pub(super) checked_at: Option<Instant>,
    pub(super) source: Source,
    /// Run without and with the commands.
    pub(super) base: Run,
    pub(super) run: Run,
    /// Number of the next line.
    pub(super) next: u64,
    /// Lines before this one are to be sent.
    pub(super) end: u64,
    /// Remaining bytes to send.
    pub(super) left: usize,
    pub(super) follow: bool,
    pub(super) timestamps: bool,
}

impl Follower {
    /// Returns the next bytes; an error if the stream drops.
    pub(super) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if self.left == 0 {
                return None;
            }
            // A line that a command has removed meanwhile must not be sent: its number is that of another one.
            self.changed.mark_unchanged();
            let (now, newest) = self.commands.now_and_count();
            if self.is_dropped(newest) {
                self.left = 0;
                return Some(Err(io::Error::other("the stream was dropped on command")));
            }
            if self.next < self.end {
                return Some(Ok(self.batch()));
            }
            if !self.follow {
                return None;
            }
            self.follow = self.may_continue();
            // An end time is a whole second, and may be in the future.
            self.end = self.run.written(self.run.ended.map_or(now, |ended| ended.max(now)));
            if self.follow && self.next >= self.end {
                self.wait().await;
            }
        }
    }

    fn batch(&mut self) -> Bytes {
        let mut chunk = Vec::new();
        while self.next < self.end && chunk.len() < BATCH {
            self.run.write(self.next, self.timestamps, &mut chunk);
            self.next += 1;
        }
        chunk.truncate(self.left);
        self.left -= chunk.len();
        chunk.into()
    }

    /// Applies new commands. Returns whether one of them drops this stream.
    fn is_dropped(&mut self, newest: usize) -> bool {
        let seen = self.seen;
        if seen == newest {
            return false;
        }
        self.seen = newest;
        // One of them may have ended the container.
        self.checked_at = None;
        let Source { namespace, pod, container, .. } = &self.source;
        let ended = self.run.ended;
        self.run = self.commands.apply_to(&self.base, namespace, pod, container);
        self.run.ended = ended;
        self.commands.drops_stream(seen, namespace, pod, container)
    }

    /// Whether there may be more lines; a container that has ended has a last one.
    fn may_continue(&mut self) -> bool {
        if self.checked_at.is_some_and(|checked_at| checked_at.elapsed() < CHECK_INTERVAL) {
            return true;
        }
        self.checked_at = Some(Instant::now());
        let now = clock::now();
        let Some(entry) = self.store.find("pods", &self.source.key).filter(|entry| entry.uid == self.source.uid) else {
            self.run.ended = Some(now);
            return false;
        };
        let pod = entry.value();
        let state = &status_of(&pod, &self.source.container)["state"];
        if state["running"].is_object() {
            return true;
        }
        self.run.ended = Some(parse_rfc3339(text(&state["terminated"]["finishedAt"])).unwrap_or(now));
        false
    }

    /// Waits for the next line, for a command, or for the next check of the container.
    async fn wait(&mut self) {
        let due = self.run.time(self.next).and_then(|due| due.duration_since(clock::now()).ok());
        tokio::select! {
            () = sleep(due.unwrap_or(CHECK_INTERVAL).min(CHECK_INTERVAL)) => {}
            _ = self.changed.changed() => {}
        }
    }
}
