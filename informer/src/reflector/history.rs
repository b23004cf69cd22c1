//! The last steps of the protocol, for people who want to know why a list looks as it does.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Command, Input, Reflector};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::watch::WatchEvent;

/// So many are kept.
const KEPT: usize = 200;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolStep {
    /// A list was begun.
    List,
    /// A list was begun after one had succeeded.
    Relist,
    /// A streaming list was begun.
    StreamingList,
    /// A page came; the count is that of its objects.
    Page,
    /// The newest version was asked for, because the server had been away.
    Probe,
    /// It was lower than what had been seen: the cluster was restored or replaced.
    WentBack,
    /// Another cluster was found under the same URL: what was cached goes.
    Replaced,
    /// A watch was begun.
    Watch,
    /// It was accepted.
    Opened,
    /// Events came, as many as the count says.
    Events,
    /// Events came that could not be read, as many as the count says.
    Unreadable,
    /// Bookmarks came, as many as the count says.
    Bookmarks,
    /// The watch said an error, with the code, and ended.
    Error,
    /// The watch ended cleanly.
    Ended,
    /// It ended cleanly, long before its time: the server cuts off who reads too slowly, and says no more than that.
    EndedEarly,
    /// The watch broke off, with the code.
    BrokenOff,
    /// A list, a probe or a watch was refused, with the code.
    Refused,
    /// An answer, a page or the end of a watch did not come in time, or a watch was silent for too long.
    Overdue,
    /// An open watch is doubted: it was busy and fell silent, the machine slept, somebody looked, or the server refuses
    /// others.
    Doubted,
    /// A heartbeat of the server failed.
    Unreachable,
    /// The machine has slept.
    Slept,
    /// The network is back, or somebody looks.
    Woken,
    /// A pause of so many milliseconds as the count says; the code is what it is for, if anything went wrong.
    Pause,
    /// The same, because the resource can only be listed; the code is what the watch was refused with.
    Polling,
    /// The request waits for a connection.
    Waiting,
    /// The watch was ended for others to have its connection.
    Recalled,
    /// What no retry mends, with the code.
    Failed,
    /// Stopped by its user.
    Stopped,
}

impl ProtocolStep {
    /// Its name in messages and in JavaScript: `went-back`.
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
            Self::Doubted => "doubted",
            Self::Unreachable => "unreachable",
            Self::Slept => "slept",
            Self::Woken => "woken",
            Self::Pause => "pause",
            Self::Polling => "polling",
            Self::Waiting => "waiting",
            Self::Recalled => "recalled",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// A step, or some of the same kind that followed each other. Times are milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryEntry {
    /// What happened.
    pub what: ProtocolStep,
    /// When it happened, or began to.
    pub at: f64,
    /// When it happened last.
    pub until: f64,
    /// How many, or how long: see [`ProtocolStep`].
    pub count: u64,
    /// What went wrong, where something did.
    pub code: Option<ErrorCode>,
}

/// A ring of entries: 200 of 32 bytes at most, however much happens.
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

    pub(super) fn note(&mut self, now: Duration, what: ProtocolStep) {
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
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(HistoryEntry { what, at, until: at, count, code });
    }

    /// What came in.
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
            Input::Waiting(true) => (ProtocolStep::Waiting, 0, None),
            Input::Recalled => (ProtocolStep::Recalled, 0, None),
            Input::Wake => (ProtocolStep::Woken, 0, None),
            Input::Slept => (ProtocolStep::Slept, 0, None),
            Input::Stop => (ProtocolStep::Stopped, 0, None),
            Input::Start
            | Input::Progress
            | Input::Waiting(false)
            | Input::Full
            | Input::Doubt
            | Input::Unreachable(_)
            | Input::Reachable
            | Input::Replaced { .. }
            | Input::Timer => return,
        };
        self.note_with(now, what, count, code);
    }

    /// The watch that was noted to have ended did so before its time.
    pub(super) fn ended_early(&mut self) {
        if let Some(last) = self.entries.back_mut() {
            last.what = ProtocolStep::EndedEarly;
        }
    }
}

impl<T: Keyed> Reflector<T> {
    /// The last 200 steps, oldest first; events are counted, not listed. Times are counted from what
    /// [`Reflector::set_epoch`] was told, or from zero.
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.history.entries().collect()
    }

    /// Says what the wall's clock showed when the time of the steps was zero, in milliseconds since the Unix epoch. Steps
    /// that are in the history stay where they are.
    pub fn set_epoch(&mut self, unix_ms: f64) {
        self.history.set_epoch(unix_ms);
    }

    /// What follows.
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
