//! Proof that an open watch is what it seems: alive, and of a server that has reached the version.
//!
//! A server accepts a watch from a version that it has not reached, because the cluster was restored from a backup, and
//! says nothing for ever (WIRE 0.4). So after an outage the newest version is asked for before the watch is opened again:
//! a list of one object, behind which a watch is believed once it has come as far (`catch_up.rs`). To open the watch first and ask beside it would save
//! the round trip where an event comes in time; but it wants a second request in flight beside the stream, of which a
//! browser has few, and states in which both can fail.
//!
//! An open watch is doubted when it was busy and falls silent, when the machine has slept, when somebody looks after a
//! silence, and when the server is seen to refuse others, as one does that is told to end and keeps its watches open for a
//! minute (WIRE 6). It must give a sign of life soon then, or it is resumed.

use std::time::Duration;

use super::list_phase::went_back;
use super::state::{State, Then, Told, Watching};
use super::{Command, ProtocolStep, Reflector, Step, StoreCall};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;

/// That the server has the version is believed for so long when a watch is resumed: for as long as a bookmark takes and a
/// little more, so that no watch that has lived well costs a request beside the next.
const BELIEVED: Duration = Duration::from_secs(65);

/// A sign of life is believed for so long when somebody looks, and so is an accepted watch when others are refused. Half
/// the time between two bookmarks: who goes from tab to tab must not cost a request for each.
const RECENT: Duration = Duration::from_secs(30);

/// Whether a server that was away like this may come back as another.
pub(super) fn is_outage(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::Network | ErrorCode::Timeout | ErrorCode::Internal)
}

/// Whether an error says nothing about the version, or whether it may be watched.
pub(super) fn is_passing(code: ErrorCode) -> bool {
    is_outage(code) || code == ErrorCode::Throttled
}

impl<T: Keyed> Reflector<T> {
    /// The watch from where it was, behind a proof where one is wanted.
    pub(super) fn resume(&mut self, now: Duration) -> Step<T> {
        self.listed = false;
        // In a long pause nobody would have noticed that the server was away: it asked for one, or others had the connection.
        let proven = !self.unproven && !self.catch_up.is_pending();
        if proven && now.saturating_sub(self.proven) <= BELIEVED {
            return self.watch(now);
        }
        self.metrics.probes += 1;
        self.state = State::Probing { due: now.saturating_add(self.options.open_timeout) };
        Step::command(Command::Probe)
    }

    /// What the server says is its newest version.
    pub(super) fn probed(&mut self, version: &str, now: Duration) -> Step<T> {
        if went_back(&self.last_version, version) {
            // It would be waited for in vain.
            self.version_unavailable = true;
            self.history.note(now, ProtocolStep::WentBack);
            return self.relist(now);
        }
        if self.falls_behind(version) {
            self.want_newer();
            return self.relist(now);
        }
        self.prove(now);
        self.catch_up.probed(version, &self.last_version);
        self.watch(now)
    }

    /// The server has the version.
    pub(super) fn prove(&mut self, now: Duration) {
        (self.unproven, self.proven) = (false, now);
    }

    pub(super) fn probe_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        // What may not be listed any more says so in a list.
        let then = if is_passing(error.code()) { Then::Watch } else { Then::Relist };
        self.back_off(error, then, now)
    }

    /// Something came on the watch, news or not: it is alive, and knows its version.
    pub(super) fn sign(&mut self, is_news: bool, now: Duration) {
        let State::Watching(watch) = &mut self.state else { return };
        let after = now.saturating_sub(watch.last_sign);
        (watch.last_sign, watch.doubted) = (now, None);
        let plain = watch.staging.is_none();
        self.refute_suspicion(is_news, after);
        self.heard();
        if plain {
            self.pace.sign(is_news, after, now);
            self.prove(now);
        }
    }

    /// When nothing has come on a watch for longer than that may be.
    pub(super) fn silent_at(&self, watch: &Watching<T>) -> Duration {
        let may_suspect = self.options.busy_silence < self.silence;
        let busy = self.pace.patience(self.options.busy_silence, watch.last_sign).filter(|_| may_suspect);
        let silent = watch.last_sign.saturating_add(busy.map_or(self.silence, |patience| patience.min(self.silence)));
        silent.max(self.suspicion.second_look())
    }

    /// Whether an open watch is suspected, because it was busy: no bookmark is late yet.
    pub(super) fn is_suspect(&self, now: Duration) -> bool {
        matches!(&self.state, State::Watching(watch @ Watching { staging: None, doubted: None, .. })
            if now < watch.overdue().min(watch.last_sign.saturating_add(self.silence)))
    }

    /// A busy watch that fell silent may be half-open, or all is quiet: the next one tells, or the ones after that.
    pub(super) fn suspect(&mut self, now: Duration) -> Step<T> {
        self.begin_suspicion(now);
        self.pace.suspect(self.options.busy_silence, now);
        self.unproven = true;
        self.catch_up.be_lenient();
        self.resume(now)
    }

    /// Another cluster is there, or may be. What was listed before that goes at once if it is: who knows whether the new one
    /// lets itself be listed. What was listed since may be of either, so it stays until the next list is there.
    pub(super) fn replaced(&mut self, since: Duration, certain: bool, now: Duration) -> Step<T> {
        let listing = match &self.state {
            State::Idle => return Step::none(),
            State::Listing(listing) => Some(listing.begun),
            State::Opening { sent, initial_events: true, .. }
            | State::Watching(Watching { sent, staging: Some(_), .. }) => Some(*sent),
            _ => None,
        };
        let is_old = self.listed_at <= since;
        // A list that is on its way would break off with the old one.
        if listing.map_or(self.told == Told::Nothing || !(certain || is_old), |begun| begun > since) {
            return Step::none();
        }
        if certain {
            self.history.note(now, ProtocolStep::Replaced);
        }
        // Before the first list is whole the next one is the first, and is compared with what came of it.
        let goes = certain && is_old && self.has_listed() && !self.resumes;
        self.streams.forget();
        (self.version_unavailable, self.silence) = (true, self.options.silence);
        let nothing = StoreCall::Replace {
            items: Vec::new(),
            unchanged: Vec::new(),
            resource_version: String::new(),
            unread: Vec::new(),
        };
        let pauses = self.last_error.is_some() || self.polls_after_a_pause();
        let step = match &mut self.state {
            // After what went wrong there is a pause, whoever asks.
            State::Waiting { then, .. } if pauses => {
                *then = Then::Relist;
                Step::none()
            }
            _ => self.relist(now),
        };
        Step { call: goes.then_some(nothing), ..step }
    }

    /// Somebody looks: not what was heard of a moment ago is doubted.
    pub(super) fn woken(&mut self, now: Duration) -> Step<T> {
        if matches!(&self.state, State::Watching(watch) if now.saturating_sub(watch.last_sign) > RECENT) {
            self.doubt(now);
        }
        Step::none()
    }

    /// The server refuses others: it has accepted this watch before that, or would have refused it.
    pub(super) fn warned(&mut self, now: Duration) -> Step<T> {
        if matches!(&self.state, State::Watching(watch) if now.saturating_sub(watch.sent) > RECENT) {
            self.doubt(now);
        }
        Step::none()
    }

    /// The machine has slept; clocks may have stood still meanwhile.
    pub(super) fn slept(&mut self, now: Duration) -> Step<T> {
        let soon = now.saturating_add(self.draw_patience());
        if let Some(polling) = &mut self.polling {
            polling.current = false;
        }
        if let State::Waiting { until, .. } = &mut self.state {
            // Not at once: all informers are woken together, and the network takes a moment longer.
            *until = soon.min(*until);
        } else {
            self.doubt(now);
            // That nothing was heard for that long is certain.
            self.suspicion.show();
        }
        Step::none()
    }

    /// From now on an open watch must prove that it is one. A streaming list has a deadline that is as near.
    pub(super) fn doubt(&mut self, now: Duration) {
        let due = now.saturating_add(self.draw_patience());
        // A busy one is given no more time than without the doubt.
        let usual = match &self.state {
            State::Watching(watch) => watch.overdue().min(self.silent_at(watch)),
            _ => due,
        };
        let due = if usual >= now { due.min(usual) } else { due };
        if let State::Watching(watch @ Watching { staging: None, .. }) = &mut self.state {
            self.unproven = true;
            if watch.doubted.is_none() {
                watch.doubted = Some(due);
                self.history.note(now, ProtocolStep::Doubted);
                self.begin_suspicion(now);
            }
        }
    }

    /// Spread, or all informers of all tabs would come back at once.
    fn draw_patience(&mut self) -> Duration {
        let half = self.options.doubt / 2;
        half + half.mul_f64(self.random.f64())
    }
}
