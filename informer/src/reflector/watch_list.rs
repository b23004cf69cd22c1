//! Streaming list: a watch that begins with the whole state (KEP-3157, client-go's `watchList`).
//!
//! The server sends an ADDED for each object, then the end bookmark, and continues as a watch. Until the end bookmark
//! the objects are staged; the queue gets one Replace.
//!
//! client-go waits for the end bookmark forever. Here it has a deadline: some aggregated apiservers accept the request
//! and never send the bookmark (kubernetes/kubernetes 129467 and others). Only a rejection as a bad request shows that
//! a server cannot stream lists: then no stream of this resource is requested again. A missed deadline may also be a
//! stalled line, and a clean end after a minute the shutdown of a server with a large list: then lists are plain for
//! [`STREAM_PAUSE`], twice as long after each further miss. A stream that breaks off before its end bookmark, or ends
//! cleanly within a minute as at a graceful shutdown, is retried. After some consecutive failures a list replaces it,
//! for proxies that cut off every stream.

use std::time::Duration;

use super::slot::Slot;
use super::staging::Staging;
use super::state::{Baseline, Follows, Next, Opening, State, Streaming, Watching};
use super::version::is_version;
use super::{Command, Reflector, Step, StoreCall};
use crate::deadlines::{LONG_STREAM, LONGEST_STREAM_PAUSE, STREAM_PAUSE};
use crate::error::{ErrorCode, InformerError, Result};
use crate::list_watch::WatchOptions;
use crate::object::Keyed;
use crate::watch::WatchEvent;

/// Whether this build has streaming lists: the feature `watch-list`. The guards let the compiler leave the code out.
pub(super) const STREAMS: bool = cfg!(feature = "watch-list");

/// Number of consecutive failed streams after which a list replaces the next stream, once.
const FAILED_STREAMS: u32 = 3;

/// State of streaming: whether the next list is a streaming list.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Whether the source does not support streaming lists.
    declined: bool,
    /// Time until which lists are plain, as far as the server has shown that it does not stream them; [`Duration::MAX`]
    /// if it cannot.
    plain_until: Option<Duration>,
    /// Consecutive streaming lists without their end bookmark, of the kind that may repeat each time.
    missed: u32,
    /// Consecutive streaming lists that failed for a temporary reason.
    failures: u32,
}

impl Streams {
    pub(super) fn decline(&mut self) {
        self.declined = true;
    }

    /// Makes lists plain until this time: the server sent another informer of the resource no end bookmark.
    pub(super) fn pause(&mut self, until: Duration) {
        self.plain_until = self.plain_until.max(Some(until));
    }

    pub(super) fn plain_until(&self) -> Option<Duration> {
        self.plain_until
    }

    /// Records that the server sent no end bookmark, although it had the time.
    fn missed(&mut self, now: Duration) {
        let pause = STREAM_PAUSE.saturating_mul(1 << self.missed.min(8)).min(LONGEST_STREAM_PAUSE);
        self.missed += 1;
        self.pause(now.saturating_add(pause));
    }

    /// Records that a streaming list succeeded.
    fn streamed(&mut self) {
        (self.missed, self.failures) = (0, 0);
    }

    /// Records that a list succeeded.
    pub(super) fn listed(&mut self) {
        self.failures = self.failures.min(FAILED_STREAMS - 1);
    }

    /// Clears the server's part of the state, because another cluster has the same URL.
    pub(super) fn clear_findings(&mut self) {
        *self = Self { declined: self.declined, ..Self::default() };
    }

    /// Whether the next attempt is a plain list.
    fn lists_plainly(&self, now: Duration) -> bool {
        self.declined || self.plain_until.is_some_and(|until| now < until) || self.failures >= FAILED_STREAMS
    }
}

impl<T: Keyed> Reflector<T> {
    /// Begins a list, as a streaming list if the server supports it.
    pub(super) fn relist(&mut self, now: Duration) -> Step<T> {
        if self.baseline == Baseline::Restored {
            self.baseline = Baseline::UNLISTED;
        }
        // A resource that cannot be watched cannot be streamed either.
        let watches = self.polling.is_none() && !self.health.keeps_failing(ErrorCode::Throttled, now);
        let streams = STREAMS && self.options.watch_list && watches && !self.streams.lists_plainly(now);
        if streams { self.watch_list(now) } else { self.list(now) }
    }

    fn watch_list(&mut self, now: Duration) -> Step<T> {
        self.metrics.watch_lists += 1;
        self.liveness.undecodable.relist(now);
        self.metrics.relists += u64::from(self.version.has_listed());
        let timeout = self.draw_timeout();
        // "0" could be any old state, of a server that has just started; unset is the newest.
        let resource_version = self.list_version().filter(|version| version != "0");
        self.state = State::OpeningStream(Opening { sent: now, timeout, slot: Slot::Granted });
        Step::command(Command::Watch(WatchOptions { resource_version, timeout, initial_events: true }))
    }

    /// Lists plainly, now and for a while: this stream had time enough for its end bookmark.
    fn end_bookmark_missed(&mut self, now: Duration) -> Step<T> {
        self.streams.missed(now);
        self.list(now)
    }

    /// Returns the step after the streaming list was accepted.
    pub(super) fn watch_list_opened(&mut self, request: Opening, now: Duration) -> Step<T> {
        self.connection_opened(now);
        let staging = Staging::new(now.saturating_add(self.options.initial_events_timeout));
        self.state = State::Streaming(Streaming { request, messages: 0, staging });
        Step::none()
    }

    /// Returns the step after the streaming list was rejected or timed out.
    pub(super) fn watch_list_rejected(&mut self, error: InformerError, now: Duration) -> Step<T> {
        if !STREAMS {
            return self.list(now);
        }
        match error.code() {
            ErrorCode::Network | ErrorCode::Throttled => {
                self.streams.failures += 1;
                self.back_off(error, Next::Relist, now)
            }
            _ if self.is_about_version(&error) => {
                self.version.request_newest();
                self.watch_list(now)
            }
            // An older server, or one with the feature off.
            ErrorCode::BadRequest => {
                self.streams.pause(Duration::MAX);
                self.list(now)
            }
            // Any other error may concern the list as well; the list shows it, and the next cycle tries the stream
            // again.
            _ => self.list(now),
        }
    }

    /// Whether the error concerns the requested version, and the newest has not been requested yet.
    fn is_about_version(&self, error: &InformerError) -> bool {
        matches!(error.code(), ErrorCode::Expired | ErrorCode::TooLargeResourceVersion)
            && self.list_version().is_some_and(|version| version != "0")
    }

    /// Takes an event before the end bookmark. MODIFIED and DELETED are changes that happened during the list.
    pub(super) fn initial_event(&mut self, event: Result<WatchEvent<T>>, now: Duration) -> Step<T> {
        if !STREAMS {
            return Step::none();
        }
        self.server_responded();
        let State::Streaming(Streaming { messages, staging, .. }) = &mut self.state else { return Step::none() };
        *messages += u64::from(event.is_ok());
        match event {
            Err(error) => {
                if let Some(key) = error.object() {
                    staging.put_undecodable(key);
                }
                return self.undecodable_event(error, now);
            }
            Ok(WatchEvent::Added(object)) => {
                staging.end_due = now.saturating_add(self.options.initial_events_timeout);
                staging.put(object);
            }
            Ok(WatchEvent::Modified(object)) => staging.put(object),
            Ok(WatchEvent::Deleted(object)) => staging.remove(object.key()),
            Ok(WatchEvent::Bookmark { resource_version, initial_events_end: true }) => {
                return self.initial_events_ended(resource_version, now);
            }
            // Versions before the end bookmark are unordered, and a watch can resume from none of them.
            Ok(WatchEvent::Bookmark { .. }) => self.metrics.bookmarks += 1,
            Ok(WatchEvent::Error(error)) => return self.watch_list_rejected(error, now),
        }
        if staging.bytes > self.options.max_bytes { self.too_large() } else { Step::none() }
    }

    /// Returns the step after the end bookmark: the list is complete, and the stream continues as a watch.
    fn initial_events_ended(&mut self, version: String, now: Duration) -> Step<T> {
        let State::Streaming(Streaming { request, messages, staging }) = &mut self.state else { return Step::none() };
        // A bookmark without a version does not end the list: no watch could resume from it.
        if !is_version(&version) {
            return Step::none();
        }
        let (request, messages, (items, unread)) = (*request, *messages, staging.take_parts());
        let (from, follows) = (version.clone(), Follows::Watch);
        self.state =
            State::Watching(Watching { request, follows, last_message: now, message_due: None, messages, from });
        self.baseline = Baseline::Cached { listed_at: request.sent, list_ended: now };
        self.metrics.bookmarks += 1;
        self.liveness.silence.reset(self.options.silence_timeout);
        self.liveness.silence.listed();
        self.liveness.catch_up.listed(self.list_version().as_deref(), &version);
        self.version.listed(version.clone());
        self.liveness.verify(now);
        self.health.listed_by_stream(now);
        self.streams.streamed();
        Step::call(StoreCall::Replace { items, unchanged: Vec::new(), resource_version: version, unread })
    }

    /// Returns the step after the stream ended before its end bookmark. The staged objects are discarded.
    pub(super) fn initial_events_broken(&mut self, error: Option<InformerError>, now: Duration) -> Step<T> {
        if !STREAMS {
            return self.list(now);
        }
        let lived =
            matches!(&self.state, State::Streaming(stream) if now.saturating_sub(stream.request.sent) >= LONG_STREAM);
        self.streams.failures += 1;
        match error {
            None if lived => self.end_bookmark_missed(now),
            // A list may be decodable.
            Some(error) if error.code() == ErrorCode::Decode => self.list(now),
            // The server responds, so a list may succeed.
            _ if self.streams.lists_plainly(now) => self.list(now),
            error => {
                let why = "the streaming list ended before its end bookmark";
                let error = error.unwrap_or_else(|| InformerError::new(ErrorCode::Network, why));
                self.back_off(error, Next::Relist, now)
            }
        }
    }

    /// Returns the step after the deadline of the end bookmark.
    pub(super) fn initial_events_overdue(&mut self, now: Duration) -> Step<T> {
        if !STREAMS {
            return self.list(now);
        }
        let error = InformerError::new(
            ErrorCode::Timeout,
            "the streaming list sent no end bookmark in time: this resource is listed in pages for a while",
        );
        Step { report: Some(error), ..self.end_bookmark_missed(now) }
    }
}
