//! The end of a watch: ended by the server, broken off, or given up because it was silent or outlived its time.

use std::time::Duration;

use super::state::{Next, State};
use super::trouble::is_outage;
use super::{Reflector, Step};
use crate::deadlines::{EARLY_END_LEEWAY, LONG_WATCH, VERY_SHORT_WATCH};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

impl<T: Keyed> Reflector<T> {
    /// The watch ended, cleanly or with the error that broke it off.
    pub(super) fn watch_ended(&mut self, error: Option<InformerError>, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let (lived, heard) = (now.saturating_sub(watch.request.sent), watch.heard);
        let progress = watch.from != self.version.as_str();
        let has_lived = heard > 0 || lived >= VERY_SHORT_WATCH;
        if error.is_none() && has_lived && lived + EARLY_END_LEEWAY < watch.request.timeout {
            self.metrics.early_ends += 1;
            self.history.ended_early();
        }
        if error.as_ref().is_some_and(|error| is_outage(error.code())) {
            self.liveness.unverify();
        }
        if let Some(step) = error.is_none().then(|| self.short_watch_ended(now)).flatten() {
            return step;
        }
        match error {
            Some(error) if self.stays_undecodable(&error) => self.poll(error, now),
            // The same version would bring the same line.
            Some(error) if error.code() == ErrorCode::Decode => self.relist_beyond(error, now),
            error if progress => self.resume_after_progress(error, lived, now),
            _ if lived >= LONG_WATCH => self.watch_lived_out(heard, now),
            // Broken off at once: the server is not well. It has said nothing about the version.
            Some(error) if !has_lived => self.watch_failed(error, Next::Watch, now),
            // Ended cleanly at once and without an event (client-go: `VeryShortWatchError`): it may be the server's way to
            // say that the version is gone.
            None if !has_lived => {
                let why = "the watch ended within a second, without an event";
                self.watch_failed(InformerError::new(ErrorCode::Internal, why), Next::Relist, now)
            }
            _ if self.health.is_idle_too_often() => {
                let why = "watch after watch ended without anything new";
                self.back_off(InformerError::new(ErrorCode::Internal, why), Next::Relist, now)
            }
            _ => self.resume(now),
        }
    }

    /// A watch that brought something new ended by its timeout or broke off: it is resumed at once, unless watch after watch
    /// does not live for a second.
    fn resume_after_progress(&mut self, error: Option<InformerError>, lived: Duration, now: Duration) -> Step<T> {
        if self.health.may_follow_at_once(lived) {
            return self.resume(now);
        }
        let why = "watch after watch is cut off within a second";
        let error = error.unwrap_or_else(|| InformerError::new(ErrorCode::Network, why));
        self.back_off(error, Next::Watch, now)
    }

    /// A watch came to its natural end without anything new. One that never sent a message proves nothing: after two of them
    /// a list shows whether the server has reached the version at all. On a server without bookmarks that is a list in some
    /// ten to twenty minutes for a resource where nothing happens.
    fn watch_lived_out(&mut self, heard: u64, now: Duration) -> Step<T> {
        self.health.lived_out();
        if self.health.is_unheard_too_often(heard) { self.relist(now) } else { self.resume(now) }
    }

    /// A deadline of the open watch has passed. The first that applies decides what follows.
    pub(super) fn watch_due(&mut self, now: Duration) -> Step<T> {
        if self.relist_is_due(now) {
            self.want_newer();
            return self.relist(now);
        }
        if self.is_silent_too_early(now) {
            return self.busy_silence(now);
        }
        self.note_overdue(now);
        let State::Watching(watch) = &self.state else { return Step::none() };
        if watch.message_due.is_some() { self.resume(now) } else { self.watch_overdue(now) }
    }

    /// The watch outlived its time, or nothing came on it for too long.
    fn watch_overdue(&mut self, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let (heard, outlived) = (watch.heard > 0, watch.end_due() <= now);
        // It brought nothing that could not be decoded, either.
        self.polling = None;
        if outlived && self.liveness.catch_up.is_pending() {
            return self.catch_up_by_list(now);
        }
        // The server's end of it got lost.
        if outlived && heard {
            return self.resume(now);
        }
        let error =
            InformerError::new(ErrorCode::Timeout, "nothing came on the watch for longer than a bookmark takes");
        // What is shown is not known to be true any more, from now until the next response.
        self.trouble.show(error.clone());
        self.liveness.unverify();
        let step = if heard { self.resume(now) } else { self.relist_after_silence(now) };
        Step { report: Some(error), ..step }
    }

    /// A watch that sent something and fell silent is half-open, and resumed. One that never sent anything may also be a watch
    /// from a version that the server has not reached, because the cluster was restored or replaced: such a watch is accepted
    /// and silent forever (WIRE 0.4), and only a list shows it.
    fn relist_after_silence(&mut self, now: Duration) -> Step<T> {
        self.liveness.silence.watch_was_silent();
        if self.metrics.bookmarks == 0 {
            // Or a server without bookmarks, which must not be listed every 90 seconds.
            let longest = self.min_watch_timeout().saturating_mul(2).max(self.options.silence_timeout);
            self.liveness.silence.double(longest);
        }
        self.want_newer();
        self.relist(now)
    }

    /// A list from before an undecodable line would lead to it again.
    fn relist_beyond(&mut self, error: InformerError, now: Duration) -> Step<T> {
        self.want_newer();
        self.back_off(error, Next::Relist, now)
    }
}
