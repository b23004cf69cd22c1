//! The streaming list: a watch that begins with all there is (KEP-3157, client-go's `watchList`).
//!
//! The server sends an ADDED for each object, then a bookmark that says that those were all, and goes on as a watch.
//! Until that bookmark everything is staged; the queue gets one Replace.
//!
//! Where client-go waits for the bookmark for ever, this one gives up: aggregated apiservers accept the request and
//! never send it (kubernetes/kubernetes 129467 and others). Only that, or an answer that refuses the request as a bad one,
//! shows that a server cannot stream lists: it is not asked again for this resource. A stream that breaks off before its
//! end bookmark, or ends cleanly within a minute as at a graceful shutdown, shows nothing of the kind. It is tried again, and
//! after some failures in a row a list takes its place, so that what something on the way always cuts off is listed, too.

use std::time::Duration;

use super::list_phase::is_version;
use super::state::{Staging, State, Then, Told, Watching};
use super::{Command, Reflector, Step, StoreCall};
use crate::error::{ErrorCode, InformerError, Result};
use crate::list_watch::WatchOptions;
use crate::object::Keyed;
use crate::watch::WatchEvent;

/// After so many failed streams in a row a list takes the place of the next one. It is the list's turn once: the stream
/// Whether there are streaming lists at all: see the feature `watch-list`. The guards let the compiler leave the code out.
pub(super) const STREAMS: bool = cfg!(feature = "watch-list");

/// after it is tried again.
const FAILED_STREAMS: u32 = 3;

/// A stream that ends cleanly after so long has done all that it was going to do, and the end bookmark was not part of it.
const LONG_STREAM: Duration = Duration::from_secs(60);

/// Whether lists are streamed.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// The source says that it does not stream lists.
    declined: bool,
    /// The server has shown that it does not.
    unusable: bool,
    /// Streaming lists in a row that failed for a reason that may pass.
    failures: u32,
}

impl Streams {
    pub(super) fn decline(&mut self) {
        self.declined = true;
    }

    /// Whether the source or the server does without.
    pub(super) fn are_declined(&self) -> bool {
        self.declined || self.unusable
    }

    /// A list succeeded.
    pub(super) fn listed(&mut self) {
        self.failures = self.failures.min(FAILED_STREAMS - 1);
    }

    /// Clears what the server has shown: another one is there.
    pub(super) fn forget(&mut self) {
        *self = Self { declined: self.declined, ..Self::default() };
    }

    /// Whether the next attempt is a list.
    fn give_way(&self) -> bool {
        self.are_declined() || self.failures >= FAILED_STREAMS
    }
}

impl<T: Keyed> Reflector<T> {
    /// Everything anew, as a streaming list where that works.
    pub(super) fn relist(&mut self, now: Duration) -> Step<T> {
        self.resumes = false;
        // The watch behind a list is none that was only suspected of being dead.
        self.catch_up.be_strict();
        // What cannot be watched cannot be streamed either.
        let watches = self.polling.is_none() && !self.health.keeps_failing(ErrorCode::Throttled, now);
        let streams = STREAMS && self.options.watch_list && watches && !self.streams.give_way();
        if streams { self.watch_list(now) } else { self.list(now) }
    }

    fn watch_list(&mut self, now: Duration) -> Step<T> {
        self.metrics.watch_lists += 1;
        self.lost_events.relist(now);
        self.metrics.relists += u64::from(self.has_listed());
        let timeout = self.draw_timeout();
        // "0" would be any state at all, of a server that has just started; unset is the newest.
        let resource_version = self.list_version().filter(|version| version != "0");
        self.state = State::Opening { sent: now, timeout, initial_events: true };
        Step::command(Command::Watch(WatchOptions { resource_version, timeout, initial_events: true }))
    }

    /// The server has shown that it does not stream lists: lists from now on.
    fn do_without_watch_list(&mut self, now: Duration) -> Step<T> {
        self.streams.unusable = true;
        self.list(now)
    }

    pub(super) fn watch_list_refused(&mut self, error: InformerError, now: Duration) -> Step<T> {
        if !STREAMS {
            return self.list(now);
        }
        match error.code() {
            ErrorCode::Network | ErrorCode::Throttled => {
                self.streams.failures += 1;
                self.back_off(error, Then::Relist, now)
            }
            _ if self.is_about_version(&error) => {
                self.version_unavailable = true;
                self.watch_list(now)
            }
            // An older server, or one with the feature off.
            ErrorCode::BadRequest => self.do_without_watch_list(now),
            // Anything else may be about the list as well, and then the list says so; the next cycle tries again.
            _ => self.list(now),
        }
    }

    /// Whether another version would do, and none was left unasked.
    fn is_about_version(&self, error: &InformerError) -> bool {
        matches!(error.code(), ErrorCode::Expired | ErrorCode::TooLargeResourceVersion)
            && self.list_version().is_some_and(|version| version != "0")
    }

    /// An event before the end bookmark. MODIFIED and DELETED are changes that happened while the list came.
    pub(super) fn initial_event(&mut self, event: Result<WatchEvent<T>>, now: Duration) -> Step<T> {
        if !STREAMS {
            return Step::none();
        }
        let patience = self.options.initial_events_timeout;
        let State::Watching(Watching { staging: Some(staging), .. }) = &mut self.state else { return Step::none() };
        match event {
            Err(error) => {
                if let Some(key) = error.object() {
                    staging.put_unread(key);
                }
                return self.lose(error, now);
            }
            Ok(WatchEvent::Added(object)) => {
                staging.end_due = now.saturating_add(patience);
                staging.put(object);
            }
            Ok(WatchEvent::Modified(object)) => staging.put(object),
            Ok(WatchEvent::Deleted(object)) => staging.remove(object.key()),
            Ok(WatchEvent::Bookmark { resource_version, initial_events_end: true }) => {
                return self.initial_events_ended(resource_version, now);
            }
            // Versions before the end are in no order, and none of them is where a watch could resume.
            Ok(WatchEvent::Bookmark { .. }) => self.metrics.bookmarks += 1,
            Ok(WatchEvent::Error(error)) => return self.watch_list_refused(error, now),
        }
        if staging.bytes > self.options.max_bytes { self.too_large() } else { Step::none() }
    }

    fn initial_events_ended(&mut self, version: String, now: Duration) -> Step<T> {
        let State::Watching(watch) = &mut self.state else { return Step::none() };
        // A bookmark that names no version ends nothing: no watch could resume from it.
        if !is_version(&version) {
            return Step::none();
        }
        let (items, unread) = watch.staging.take().map(Staging::into_parts).unwrap_or_default();
        watch.from.clone_from(&version);
        self.listed_at = watch.sent;
        self.metrics.bookmarks += 1;
        (self.silence, self.was_silent) = (self.options.silence, false);
        self.told = Told::Something;
        self.catch_up.listed(self.list_version().as_deref(), &version);
        self.last_version.clone_from(&version);
        (self.version_unavailable, self.unversioned) = (false, false);
        self.prove(now);
        self.health.opened(now);
        self.streams.failures = 0;
        self.idle_watches = 0;
        Step::call(StoreCall::Replace { items, unchanged: Vec::new(), resource_version: version, unread })
    }

    /// The stream ended before the end bookmark; what was staged is gone with it.
    pub(super) fn initial_events_broken(&mut self, error: Option<InformerError>, now: Duration) -> Step<T> {
        if !STREAMS {
            return self.list(now);
        }
        let lived = matches!(&self.state, State::Watching(watch) if now.saturating_sub(watch.sent) >= LONG_STREAM);
        self.streams.failures += 1;
        match error {
            None if lived => self.do_without_watch_list(now),
            // What cannot be read may be readable in a list.
            Some(error) if error.code() == ErrorCode::Decode => self.list(now),
            // The server answers, so a list may do what the stream does not.
            _ if self.streams.give_way() => self.list(now),
            error => {
                let why = "the streaming list ended before its end bookmark";
                let error = error.unwrap_or_else(|| InformerError::new(ErrorCode::Network, why));
                self.back_off(error, Then::Relist, now)
            }
        }
    }

    /// The end bookmark did not come in time.
    pub(super) fn initial_events_overdue(&mut self, now: Duration) -> Step<T> {
        if !STREAMS {
            return self.list(now);
        }
        let error = InformerError::new(
            ErrorCode::Timeout,
            "the streaming list sent no end bookmark in time: this resource is listed in pages from now on",
        );
        Step { report: Some(error), ..self.do_without_watch_list(now) }
    }
}
