//! The watch: how it begins, what its events mean, and what follows when it ends or falls silent.

use std::time::Duration;

use super::list_phase::is_version;
use super::polling::is_refusal;
use super::proof::{is_outage, is_passing};
use super::state::{State, Then};
use super::{Command, Reflector, Step, StoreCall};
use crate::error::{ErrorCode, InformerError, Result};
use crate::list_watch::WatchOptions;
use crate::object::Keyed;
use crate::watch::WatchEvent;

/// A watch that ends within this time without an event is a failure, not a timeout (client-go: `VeryShortWatchError`).
pub(super) const VERY_SHORT_WATCH: Duration = Duration::from_secs(1);

/// A watch that lived so long has done its work, even if nothing happened meanwhile.
const LONG_WATCH: Duration = Duration::from_secs(60);

/// So many shorter ones in a row without progress, and the version is not trusted any more (WAT-28).
const IDLE_WATCHES: u32 = 5;

/// So many in a row may end within a second although they brought something, before the next one is waited for.
const SHORT_WATCHES: u32 = 5;

/// So many long ones in a row that never said a word, and the version is checked with a list.
const UNHEARD_WATCHES: u32 = 2;

/// What a server may be early with ending a watch, whose time it counts from another moment.
const ON_TIME: Duration = Duration::from_secs(2);

/// What a server may be late with ending a watch.
pub(super) const GRACE: Duration = Duration::from_secs(10);

/// Lower bounds of a watch's time are not taken below this (client-go: `MinWatchTimeout` only raises it).
const LEAST_WATCH_TIMEOUT: Duration = Duration::from_secs(300);

/// Nor above this: 34 years, because an apiserver refuses what does not fit its integers.
const LONGEST_WATCH_TIMEOUT: Duration = Duration::from_secs(1 << 30);

impl<T: Keyed> Reflector<T> {
    /// How long the next watch may live: drawn anew for each, or all tabs of a company would come back at once.
    pub(super) fn draw_timeout(&mut self) -> Duration {
        self.least_timeout().mul_f64(1.0 + self.random.f64())
    }

    fn least_timeout(&self) -> Duration {
        self.options.min_watch_timeout.clamp(LEAST_WATCH_TIMEOUT, LONGEST_WATCH_TIMEOUT)
    }

    pub(super) fn watch(&mut self, now: Duration) -> Step<T> {
        self.metrics.watches += 1;
        let timeout = self.plain_timeout();
        self.state = State::Opening { sent: now, timeout, initial_events: false };
        let resource_version = Some(self.last_version.clone());
        Step::command(Command::Watch(WatchOptions { resource_version, timeout, initial_events: false }))
    }

    pub(super) fn watch_refused(&mut self, error: InformerError, now: Duration) -> Step<T> {
        if self.listed && is_refusal(error.code()) {
            return self.poll(error, now);
        }
        // Away or busy, it still has the version, as far as anybody knows. 410 as HTTP status is treated as the in-stream one;
        // anything else begins a new cycle.
        let then = if is_passing(error.code()) { Then::Watch } else { Then::Relist };
        self.watch_failed(error, then, now)
    }

    pub(super) fn event(&mut self, event: Result<WatchEvent<T>>, now: Duration) -> Step<T> {
        let event = match event {
            Ok(event) => event,
            Err(error) => return self.lose(error, now),
        };
        match event {
            WatchEvent::Bookmark { resource_version, .. } => {
                self.metrics.bookmarks += 1;
                self.heard_well();
                // A server that sends them has no reason to be silent for longer.
                self.silence = self.options.silence;
                if !matches!(resource_version.as_str(), "" | "0") {
                    self.catch_up.done();
                }
                if self.reached(&resource_version) {
                    return Step::call(StoreCall::Bookmark(resource_version));
                }
                Step::none()
            }
            WatchEvent::Added(object) => Step::call(StoreCall::Add(self.applied(object))),
            WatchEvent::Modified(object) => Step::call(StoreCall::Update(self.applied(object))),
            WatchEvent::Deleted(object) => Step::call(StoreCall::Delete(self.applied(object))),
            WatchEvent::Error(error) => {
                if self.stays_useless(&error) {
                    return self.poll(error, now);
                }
                let then = match error.code() {
                    ErrorCode::Throttled => Then::Watch,
                    // Expired too: the first relist asks for "at least what I have", only its refusal for the newest.
                    _ => Then::Relist,
                };
                if error.code() == ErrorCode::Decode {
                    self.want_newer();
                }
                // The ERROR itself is heard, too.
                let is_first = matches!(&self.state, State::Watching(watch) if watch.heard <= 1);
                if is_first { self.watch_failed(error, then, now) } else { self.back_off(error, then, now) }
            }
        }
    }

    /// Whether the watch behind a list began with what nobody can read, and the one before it too.
    fn stays_useless(&mut self, error: &InformerError) -> bool {
        let State::Watching(watch) = &self.state else { return false };
        // The line that could not be read is heard, too.
        let useless = self.listed && watch.heard <= 1 && error.code() == ErrorCode::Decode;
        useless && std::mem::replace(&mut self.useless, true)
    }

    /// News, or the word that there is none: it is a watch.
    fn heard_well(&mut self) {
        (self.listed, self.useless) = (false, false);
        self.polling = None;
        self.health.heard();
    }

    fn applied(&mut self, object: T) -> T {
        self.metrics.events += 1;
        self.heard_well();
        self.reached(object.resource_version());
        object
    }

    /// Takes a version to resume from; says whether there is anything to it. A watch from no version would begin anew
    /// and never tell what was deleted meanwhile: one without is passed over.
    fn reached(&mut self, version: &str) -> bool {
        if !is_version(version) || version == self.last_version {
            return false;
        }
        version.clone_into(&mut self.last_version);
        self.catch_up.reached(version);
        self.health.progressed();
        (self.idle_watches, self.unheard_watches) = (0, 0);
        true
    }

    pub(super) fn watch_ended(&mut self, error: Option<InformerError>, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let (lived, heard) = (now.saturating_sub(watch.sent), watch.heard > 0);
        let progress = watch.from != self.last_version;
        let early = error.is_none() && (heard || lived >= VERY_SHORT_WATCH) && lived + ON_TIME < watch.timeout;
        if early {
            self.metrics.early_ends += 1;
            self.history.ended_early();
        }
        self.unproven |= error.as_ref().is_some_and(|error| is_outage(error.code()));
        if error.is_none() && self.is_whole_short_watch(now) {
            self.health.lived_out();
            return self.resume(now);
        }
        match error {
            Some(error) if self.stays_useless(&error) => self.poll(error, now),
            // The same version would bring the same line.
            Some(error) if error.code() == ErrorCode::Decode => self.relist_beyond(error, now),
            // Ended by its timeout, or broken off after a life: go on from where it was, at once. Not for ever, though, if
            // it does not live for a second: something may cut every answer after its first event.
            _ if progress && (lived >= VERY_SHORT_WATCH || self.short_watches < SHORT_WATCHES) => {
                self.short_watches = if lived < VERY_SHORT_WATCH { self.short_watches + 1 } else { 0 };
                self.resume(now)
            }
            error if progress => {
                let why = "watch after watch is cut off within a second";
                let error = error.unwrap_or_else(|| InformerError::new(ErrorCode::Network, why));
                self.back_off(error, Then::Watch, now)
            }
            _ if lived >= LONG_WATCH => self.lived_out(heard, now),
            // Broken off at once: the server is not well. It has said nothing about the version.
            Some(error) if lived < VERY_SHORT_WATCH && !heard => self.watch_failed(error, Then::Watch, now),
            // Ended cleanly at once and without an event: it may be its way to say that the version is gone.
            None if lived < VERY_SHORT_WATCH && !heard => {
                let why = "the watch ended within a second, without an event";
                self.watch_failed(InformerError::new(ErrorCode::Internal, why), Then::Relist, now)
            }
            _ if self.idle_watches >= IDLE_WATCHES => {
                self.idle_watches = 0;
                let why = "watch after watch ended without anything new";
                self.back_off(InformerError::new(ErrorCode::Internal, why), Then::Relist, now)
            }
            _ => {
                self.idle_watches += 1;
                self.resume(now)
            }
        }
    }

    /// A watch has come to its natural end. One that never said a word has proven nothing: after two of them a list tells
    /// whether the server has reached the version at all. On a server without bookmarks that is a list in some ten to
    /// twenty minutes for a resource where nothing happens.
    fn lived_out(&mut self, heard: bool, now: Duration) -> Step<T> {
        self.health.lived_out();
        self.unheard_watches = if heard { 0 } else { self.unheard_watches + 1 };
        if self.unheard_watches < UNHEARD_WATCHES {
            return self.resume(now);
        }
        self.unheard_watches = 0;
        self.relist(now)
    }

    /// The watch outlived its time, or nothing came on it for too long.
    pub(super) fn watch_overdue(&mut self, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let heard = watch.heard > 0;
        // Nothing came that could not be read, either.
        self.polling = None;
        if self.catch_up.is_pending() && watch.overdue() <= now {
            return self.catch_up_by_list(now);
        }
        // The server's end of it got lost.
        if heard && watch.overdue() <= now {
            return self.resume(now);
        }
        let error =
            InformerError::new(ErrorCode::Timeout, "nothing came on the watch for longer than a bookmark takes");
        // What is shown is not known to be true any more, from now until the next answer.
        self.last_error = Some(error.clone());
        self.unproven = true;
        Step { report: Some(error), ..self.silent(heard, now) }
    }

    /// A watch that fell silent is half-open: resumed. One that never said anything may also be a watch from a version
    /// that the server has not reached, because the cluster was restored or replaced: such a watch is accepted and
    /// silent for ever (WIRE 0.4), and only a list tells.
    fn silent(&mut self, heard: bool, now: Duration) -> Step<T> {
        if heard {
            return self.resume(now);
        }
        self.was_silent = true;
        if self.metrics.bookmarks == 0 {
            // Or a server without bookmarks, which must not be listed every 90 seconds.
            let longest = self.least_timeout().saturating_mul(2).max(self.options.silence);
            self.silence = self.silence.saturating_mul(2).min(longest);
        }
        self.want_newer();
        self.relist(now)
    }

    /// A list from before what could not be read would lead to it again.
    fn relist_beyond(&mut self, error: InformerError, now: Duration) -> Step<T> {
        self.want_newer();
        self.back_off(error, Then::Relist, now)
    }

    /// Pages beside a version are of exactly that version, and would say nothing new.
    pub(super) fn want_newer(&mut self) {
        self.version_unavailable |= self.options.page_size.is_some();
    }
}
