//! Watches: their start and the effect of their messages. `watch_end.rs` has their end.

use std::time::Duration;

use super::current_error::{is_passing, is_rejection};
use super::slot::Slot;
use super::state::{Baseline, Follows, Next, Opening, State, Watching};
use super::version::is_version;
use super::{Command, Reflector, Step, StoreCall};
use crate::deadlines::{CATCH_UP_WATCH, MAX_WATCH_TIMEOUT, MIN_WATCH_TIMEOUT};
use crate::error::{ErrorCode, InformerError, Result};
use crate::list_watch::WatchOptions;
use crate::object::Keyed;
use crate::watch::WatchEvent;

impl<T: Keyed> Reflector<T> {
    /// Opens a watch from the version of the cache.
    pub(super) fn watch(&mut self, follows: Follows, now: Duration) -> Step<T> {
        self.metrics.watches += 1;
        let timeout = if self.liveness.catch_up.is_pending() { CATCH_UP_WATCH } else { self.draw_timeout() };
        self.state = State::OpeningWatch(Opening { sent: now, timeout, slot: Slot::Granted }, follows);
        let resource_version = Some(self.version.as_str().to_owned());
        Step::command(Command::Watch(WatchOptions { resource_version, timeout, initial_events: false }))
    }

    /// Draws the timeout of the next watch at random; otherwise all tabs of a company would reconnect at once.
    pub(super) fn draw_timeout(&mut self) -> Duration {
        self.min_watch_timeout().mul_f64(1.0 + self.random.f64())
    }

    pub(super) fn min_watch_timeout(&self) -> Duration {
        self.options.min_watch_timeout.clamp(MIN_WATCH_TIMEOUT, MAX_WATCH_TIMEOUT)
    }

    /// Returns the step after the watch was accepted. The server accepted the version, so a persisted state is the
    /// first population.
    pub(super) fn watch_opened(&mut self, request: Opening, follows: Follows, now: Duration) -> Step<T> {
        let from = self.version.as_str().to_owned();
        let call = (self.baseline == Baseline::Restored)
            .then(|| StoreCall::Populate { items: Vec::new(), resource_version: Some(from.clone()) });
        if call.is_some() {
            self.baseline = Baseline::UNLISTED;
        }
        self.health.opened(now);
        self.connection_opened(now);
        self.state =
            State::Watching(Watching { request, follows, last_message: now, message_due: None, messages: 0, from });
        Step { call, ..Step::none() }
    }

    /// Clears the last error after a watch or a streaming list was accepted, unless an event is still missing.
    pub(super) fn connection_opened(&mut self, now: Duration) {
        self.liveness.activity.opened(now);
        self.current_error.clear(self.liveness.undecodable.error());
        self.stop_polling_if_accepted();
    }

    /// Returns the step after the request of a watch was rejected or timed out.
    pub(super) fn watch_rejected(&mut self, error: InformerError, now: Duration) -> Step<T> {
        if self.state.follows_list() && is_rejection(error.code()) {
            return self.poll(error, now);
        }
        // A server that is unreachable or busy still has the version, as far as is known. A 410 as HTTP status is
        // treated as one in the stream; any other error begins a new cycle.
        let next = if is_passing(error.code()) { Next::Watch } else { Next::Relist };
        self.watch_failed(error, next, now)
    }

    /// Takes a message of the open watch.
    pub(super) fn event(&mut self, event: Result<WatchEvent<T>>, now: Duration) -> Step<T> {
        let State::Watching(watch) = &mut self.state else { return Step::none() };
        watch.messages += u64::from(event.is_ok());
        let is_event = matches!(event, Ok(WatchEvent::Added(_) | WatchEvent::Modified(_) | WatchEvent::Deleted(_)));
        self.message_came(is_event, now);
        match event {
            Err(error) => self.undecodable_event(error, now),
            Ok(WatchEvent::Added(object)) => Step::call(StoreCall::Add(self.applied(object))),
            Ok(WatchEvent::Modified(object)) => Step::call(StoreCall::Update(self.applied(object))),
            Ok(WatchEvent::Deleted(object)) => Step::call(StoreCall::Delete(self.applied(object))),
            Ok(WatchEvent::Bookmark { resource_version, .. }) => self.bookmark(resource_version),
            Ok(WatchEvent::Error(error)) => self.error_event(error, now),
        }
    }

    fn applied(&mut self, object: T) -> T {
        self.metrics.events += 1;
        self.watch_works();
        self.reached(object.resource_version());
        object
    }

    fn bookmark(&mut self, version: String) -> Step<T> {
        self.metrics.bookmarks += 1;
        self.watch_works();
        // A server with bookmarks has no reason to be silent for longer.
        self.liveness.silence.reset(self.options.silence_timeout);
        if is_version(&version) {
            self.liveness.catch_up.done();
        }
        if self.reached(&version) { Step::call(StoreCall::Bookmark(version)) } else { Step::none() }
    }

    /// Returns the step after an ERROR, the last event of a watch.
    fn error_event(&mut self, error: InformerError, now: Duration) -> Step<T> {
        if self.stays_undecodable(&error) {
            return self.poll(error, now);
        }
        let next = match error.code() {
            ErrorCode::Throttled => Next::Watch,
            // Also for an expired version, the first relist requests at least the reached version; only its rejection
            // leads to the newest.
            _ => Next::Relist,
        };
        if error.code() == ErrorCode::Decode {
            self.want_newer();
        }
        // The ERROR itself is a message.
        let is_first = matches!(&self.state, State::Watching(watch) if watch.messages <= 1);
        if is_first { self.watch_failed(error, next, now) } else { self.back_off(error, next, now) }
    }

    /// Whether no event of this watch could be decoded, nor of the previous one, each after a list.
    pub(super) fn stays_undecodable(&mut self, error: &InformerError) -> bool {
        // The line that could not be decoded counts as a message, too.
        let is_first = matches!(&self.state, State::Watching(watch) if watch.messages <= 1);
        let undecodable = is_first && self.state.follows_list() && error.code() == ErrorCode::Decode;
        undecodable && self.health.record_undecodable()
    }

    /// Records that an event or a bookmark arrived: the watch works.
    fn watch_works(&mut self) {
        if let State::Watching(watch) = &mut self.state {
            watch.follows = Follows::Watch;
        }
        self.polling = None;
        self.health.message_decoded();
    }

    /// Takes a version to resume from. Returns whether it is new.
    fn reached(&mut self, version: &str) -> bool {
        let is_new = self.version.advance(version);
        if is_new {
            self.liveness.catch_up.reached(version);
            self.health.progressed();
        }
        is_new
    }
}
