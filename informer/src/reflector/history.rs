//! History: the last steps of the protocol, for the inspector.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Command, Input, Reflector};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::watch::WatchEvent;

/// Entries in the history.
const MAX_ENTRIES: usize = 200;

/// Protocol step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolStep {
    /// A list was begun.
    List,
    /// A list was begun after one had succeeded.
    Relist,
    /// A streaming list was begun.
    StreamingList,
    /// A page arrived; the count is the number of its objects.
    Page,
    /// A probe was sent: the newest version was requested, to verify the server before a watch.
    Probe,
    /// The probe showed a lower version than the cache has: the cluster was restored or replaced.
    WentBack,
    /// Another cluster has the same URL: the cached objects are deleted.
    Replaced,
    /// A watch was begun.
    Watch,
    /// The watch was accepted.
    Opened,
    /// Events arrived; the count is their number.
    Events,
    /// Undecodable events arrived; the count is their number.
    Unreadable,
    /// Bookmarks arrived; the count is their number.
    Bookmarks,
    /// The watch ended with an ERROR event; the code is that of the error.
    Error,
    /// The watch ended cleanly.
    Ended,
    /// The watch ended cleanly, long before its timeout: the server ends the watch of a client that reads too slowly.
    EndedEarly,
    /// The watch was interrupted; the code is that of the error.
    BrokenOff,
    /// A list, a probe or a watch was rejected; the code is that of the error.
    Refused,
    /// The deadline of a response, a page or the end of a watch passed, or a watch was silent for too long.
    Overdue,
    /// An open watch became suspect: it was busy and fell silent, the machine slept, a page became visible, or the
    /// server rejects other requests.
    Suspected,
    /// A heartbeat of the server failed.
    Unreachable,
    /// The machine has slept.
    Slept,
    /// The network is back, or a page became visible.
    Woken,
    /// Pause; the count is its duration in milliseconds, the code its cause, if there was an error.
    Pause,
    /// A pause of a resource that can only be listed; the code is that of the rejected watch.
    Polling,
    /// The request is queued for a connection.
    Queued,
    /// The connection slot of the watch was revoked for another informer.
    Revoked,
    /// An error that a retry cannot correct, with the code.
    Failed,
    /// Stopped by its user.
    Stopped,
}

impl ProtocolStep {
    /// Name in messages and in JavaScript, for example `went-back`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Relist => "relist",
            Self::StreamingList => "streaming-list",
            Self::Page => "page",
            Self::Probe => "probe",
            Self::WentBack => "went-back",
            Self::Replaced => "replaced",
            Self::Watch => "watch",
            Self::Opened => "opened",
            Self::Events => "events",
            Self::Unreadable => "unreadable",
            Self::Bookmarks => "bookmarks",
            Self::Error => "error",
            Self::Ended => "ended",
            Self::EndedEarly => "ended-early",
            Self::BrokenOff => "broken-off",
            Self::Refused => "refused",
            Self::Overdue => "overdue",
            Self::Suspected => "suspected",
            Self::Unreachable => "unreachable",
            Self::Slept => "slept",
            Self::Woken => "woken",
            Self::Pause => "pause",
            Self::Polling => "polling",
            Self::Queued => "queued",
            Self::Revoked => "revoked",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// A step, or consecutive steps of the same kind. Times are milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryEntry {
    /// The step.
    pub what: ProtocolStep,
    /// Time of the step, or of the first of several.
    pub at: f64,
    /// Time of the last of several steps.
    pub until: f64,
    /// Number or duration: see [`ProtocolStep`].
    pub count: u64,
    /// Code of the error, if the step has one.
    pub code: Option<ErrorCode>,
}

/// A ring of at most 200 entries of 32 bytes.
#[derive(Debug, Default)]
pub(super) struct History {
    entries: VecDeque<HistoryEntry>,
    epoch: f64,
}

impl History {
    pub(super) fn set_epoch(&mut self, epoch: f64) {
        self.epoch = epoch;
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = HistoryEntry> + '_ {
        self.entries.iter().copied()
    }

    /// Records a step.
    pub(super) fn record(&mut self, now: Duration, what: ProtocolStep) {
        self.note_with(now, what, 0, None);
    }

    fn note_with(&mut self, now: Duration, what: ProtocolStep, count: u64, code: Option<ErrorCode>) {
        let at = self.epoch + now.as_secs_f64() * 1_000.0;
        if let Some(last) = self.entries.back_mut()
            && last.what == what
            && matches!(what, ProtocolStep::Events | ProtocolStep::Unreadable | ProtocolStep::Bookmarks)
        {
            last.until = at;
            last.count += count;
            return;
        }
        if self.entries.len() == MAX_ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back(HistoryEntry { what, at, until: at, count, code });
    }

    /// Records an input.
    pub(super) fn note_input<T>(&mut self, now: Duration, input: &Input<T>) {
        let (what, count, code) = match input {
            Input::Event(Ok(WatchEvent::Added(_) | WatchEvent::Modified(_) | WatchEvent::Deleted(_))) => {
                (ProtocolStep::Events, 1, None)
            }
            Input::Event(Ok(WatchEvent::Bookmark { .. })) => (ProtocolStep::Bookmarks, 1, None),
            Input::Event(Ok(WatchEvent::Error(error))) => (ProtocolStep::Error, 0, Some(error.code())),
            Input::Event(Err(error)) => (ProtocolStep::Unreadable, 1, Some(error.code())),
            Input::Page(page) => (ProtocolStep::Page, (page.items.len() + page.unchanged.len()) as u64, None),
            Input::Opened => (ProtocolStep::Opened, 0, None),
            Input::Ended(None) => (ProtocolStep::Ended, 0, None),
            Input::Ended(Some(error)) => (ProtocolStep::BrokenOff, 0, Some(error.code())),
            Input::Failed(error) => (ProtocolStep::Refused, 0, Some(error.code())),
            Input::Queued(true) => (ProtocolStep::Queued, 0, None),
            Input::Revoked => (ProtocolStep::Revoked, 0, None),
            Input::Wake => (ProtocolStep::Woken, 0, None),
            Input::Slept => (ProtocolStep::Slept, 0, None),
            Input::Stop => (ProtocolStep::Stopped, 0, None),
            Input::Start
            | Input::Progress
            | Input::Queued(false)
            | Input::Full
            | Input::OthersRefused
            | Input::Unreachable(_)
            | Input::Reachable
            | Input::Replaced { .. }
            | Input::Timer => return,
        };
        self.note_with(now, what, count, code);
    }

    /// Marks the last recorded end of a watch as early.
    pub(super) fn ended_early(&mut self) {
        if let Some(last) = self.entries.back_mut() {
            last.what = ProtocolStep::EndedEarly;
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// The last 200 steps, oldest first; events are counted, not listed. Times are relative to the epoch
    /// ([`Reflector::set_epoch`]), zero by default.
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.history.entries().collect()
    }

    /// Sets the wall-clock time of the monotonic zero, in milliseconds since the Unix epoch. Steps that are already in
    /// the history keep their times.
    pub fn set_epoch(&mut self, unix_ms: f64) {
        self.history.set_epoch(unix_ms);
    }

    /// Records that a deadline has passed.
    pub(super) fn note_overdue(&mut self, now: Duration) {
        self.history.record(now, ProtocolStep::Overdue);
    }

    /// Records a command.
    pub(super) fn note_command(&mut self, now: Duration, command: &Command) {
        let mut count = 0;
        let mut code = None;
        let what = match command {
            Command::List(options) if options.continue_token.is_some() => return,
            Command::List(_) if !self.has_listed() => ProtocolStep::List,
            Command::List(_) => ProtocolStep::Relist,
            Command::Probe => ProtocolStep::Probe,
            Command::Watch(options) if options.initial_events => ProtocolStep::StreamingList,
            Command::Watch(_) => ProtocolStep::Watch,
            Command::Wait => {
                code = self.last_error().map(InformerError::code);
                let pause = self.next_attempt().map(|until| until.saturating_sub(now).as_millis());
                count = pause.and_then(|pause| pause.try_into().ok()).unwrap_or(0);
                match pause {
                    None => ProtocolStep::Failed,
                    _ if self.is_polling() => ProtocolStep::Polling,
                    _ => ProtocolStep::Pause,
                }
            }
            Command::Halt => return,
        };
        self.history.note_with(now, what, count, code);
    }
}
