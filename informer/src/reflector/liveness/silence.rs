//! Silence timeout: the silence after which a watch is dead, learned from the server.
//!
//! An apiserver sends a bookmark each minute, so a longer silence means a dead watch. A server without bookmarks is
//! silent while nothing changes, and must not be listed every 90 seconds: each watch that stays silent doubles the
//! limit, up to the length of a watch. Evidence that the watch was dead resets the limit.

use std::time::Duration;

/// Silence timeout of a resource.
#[derive(Debug)]
pub(in crate::reflector) struct Silence {
    timeout: Duration,
    last_watch: LastWatch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastWatch {
    /// It sent a message, or a list has succeeded since.
    Checked,
    /// It was silent to its end. The next list shows whether it missed anything.
    Silent,
}

impl Silence {
    pub(super) fn new(usual: Duration) -> Self {
        Self { timeout: usual, last_watch: LastWatch::Checked }
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Resets the limit: the server sends bookmarks, is another one, or was silent for another reason.
    pub(in crate::reflector) fn reset(&mut self, usual: Duration) {
        self.timeout = usual;
    }

    /// Records that a watch was silent to its end.
    pub(in crate::reflector) fn watch_was_silent(&mut self) {
        self.last_watch = LastWatch::Silent;
    }

    /// Doubles the limit, because the server may be one without bookmarks.
    pub(in crate::reflector) fn double(&mut self, longest: Duration) {
        self.timeout = self.timeout.saturating_mul(2).min(longest);
    }

    /// Whether the next list shows if the last watch missed anything.
    pub(in crate::reflector) fn is_unchecked(&self) -> bool {
        self.last_watch == LastWatch::Silent
    }

    /// Records that a list succeeded.
    pub(in crate::reflector) fn listed(&mut self) {
        self.last_watch = LastWatch::Checked;
    }
}
