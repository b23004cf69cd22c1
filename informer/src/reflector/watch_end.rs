//! End of a watch: closed by the server, failed, silent, or past its timeout.

use std::time::Duration;

use super::current_error::is_outage;
use super::state::{Next, State};
use super::{Reflector, Step};
use crate::deadlines::{EARLY_END_LEEWAY, LONG_WATCH, VERY_SHORT_WATCH};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

impl<T: Keyed> Reflector<T> {
    /// Returns the step after the watch ended, cleanly or with the error that interrupted it.
    pub(super) fn watch_ended(&mut self, error: Option<InformerError>, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let (lived, messages) = (now.saturating_sub(watch.request.sent), watch.messages);
        let progress = watch.from != self.version.as_str();
        // It sent a message, or lasted a second.
        let was_useful = messages > 0 || lived >= VERY_SHORT_WATCH;
        if error.is_none() && was_useful && lived + EARLY_END_LEEWAY < watch.request.timeout {
            self.metrics.early_ends += 1;
            self.history.ended_early();
        }
        if error.as_ref().is_some_and(|error| is_outage(error.code())) {
            self.liveness.unverify();
        }
        if error.is_none()
            && let Some(step) = self.catch_up_watch_ended(now)
        {
            return step;
        }
        match error {
            Some(error) if self.stays_undecodable(&error) => self.poll(error, now),
            // Resuming from this version would fail at the same undecodable line, and so would an older list.
            Some(error) if error.code() == ErrorCode::Decode => {
                self.want_newer();
                self.back_off(error, Next::Relist, now)
            }
            error if progress => self.resume_after_progress(error, lived, now),
            _ if lived >= LONG_WATCH => self.long_watch_ended(messages, now),
            // Failed at once: the server is failing, but has not rejected the version.
            Some(error) if !was_useful => self.watch_failed(error, Next::Watch, now),
            // Ended cleanly at once and without an event (client-go: `VeryShortWatchError`): the version may have
            // expired.
            None if !was_useful => {
                let why = "the watch ended within a second, without an event";
                self.watch_failed(InformerError::new(ErrorCode::Internal, why), Next::Relist, now)
            }
            _ if self.health.record_idle() => {
                let why = "several watches in a row ended without events";
                self.back_off(InformerError::new(ErrorCode::Internal, why), Next::Relist, now)
            }
            _ => self.resume(now),
        }
    }

    /// Returns the step after a watch with progress ended, cleanly or not. It is resumed at once, unless several in a
    /// row ended within a second.
    fn resume_after_progress(&mut self, error: Option<InformerError>, lived: Duration, now: Duration) -> Step<T> {
        if self.health.record_progress_and_end(lived) {
            return self.resume(now);
        }
        let why = "several watches in a row were cut off within a second";
        let error = error.unwrap_or_else(|| InformerError::new(ErrorCode::Network, why));
        self.back_off(error, Next::Watch, now)
    }

    /// Returns the step after a watch of at least [`LONG_WATCH`] ended, cleanly or not, without progress. If two in a
    /// row sent no message at all, a list checks whether the server has reached the version. Cost: without bookmarks,
    /// one list every 10 to 20 minutes for an idle resource.
    fn long_watch_ended(&mut self, messages: u64, now: Duration) -> Step<T> {
        self.health.watch_worked();
        if self.health.record_long(messages) { self.relist(now) } else { self.resume(now) }
    }

    /// Returns the step after a deadline of the open watch has passed. Checked in order: relist of an undecodable
    /// event, silence of a busy watch, suspicion, end or silence.
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

    /// Returns the step after the watch passed its timeout or its silence timeout.
    fn watch_overdue(&mut self, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let (had_message, outlived) = (watch.messages > 0, watch.end_due() <= now);
        // No decoding failure ended it, so there is no reason left to poll.
        self.polling = None;
        if outlived && self.liveness.catch_up.is_pending() {
            return self.catch_up_by_list(now);
        }
        // The end of the response was lost: resume.
        if outlived && had_message {
            return self.resume(now);
        }
        let error =
            InformerError::new(ErrorCode::Timeout, "no message on the watch for longer than the bookmark interval");
        // The cache is unverified until the next response.
        self.current_error.show(error.clone());
        self.liveness.unverify();
        let step = if had_message { self.resume(now) } else { self.relist_after_silence(now) };
        Step { report: Some(error), ..step }
    }

    /// A watch that sent a message and fell silent is half-open, and is resumed. A watch without any message may also
    /// be from a version that the server has not reached, because the cluster was restored or replaced: such a watch is
    /// accepted and silent forever, and only a list shows it.
    fn relist_after_silence(&mut self, now: Duration) -> Step<T> {
        self.liveness.silence.watch_was_silent();
        if self.metrics.bookmarks == 0 {
            // The server may not send bookmarks: double the silence timeout, so that it is not listed every 90 s.
            let longest = self.min_watch_timeout().saturating_mul(2).max(self.options.silence_timeout);
            self.liveness.silence.double(longest);
        }
        self.want_newer();
        self.relist(now)
    }
}
