//! Reflector: the list/watch protocol as a pure state machine.
//!
//! [`Reflector::step`] takes one [`Input`] and returns a [`Step`]: the next command, a call of the queue, an error to
//! report. It performs no I/O and starts no timer, so every schedule of faults replays from a seed;
//! `reflector/driver.rs` performs the steps. The rules are client-go's (`tools/cache/reflector.go`); comments give the
//! reason of each difference.
//!
//! To read it: `state.rs` has the states, [`Reflector::step`] below maps each state and input to a transition, and
//! `list.rs`, `watch.rs`, `watch_end.rs`, `watch_list.rs` and `liveness/` hold the transitions. The table in
//! `tests/table.rs` has every state and every input.

mod current_error;
pub(crate) mod driver;
mod history;
mod list;
mod listing;
mod liveness;
mod metrics;
mod options;
mod retry;
mod slot;
mod staging;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod version;
mod watch;
mod watch_end;
mod watch_health;
mod watch_list;

use std::time::Duration;

use crate::backoff::Backoff;
use crate::deadlines::{LATE_TIMER, SECOND_LOOK};
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::phase::Phase;

use current_error::CurrentError;
use history::History;
use liveness::{Liveness, Polling};
use slot::Slot;
use state::{Baseline, Pause, State};
use version::{Version, is_version};
use watch_health::WatchHealth;
use watch_list::{STREAMS, Streams};

pub use history::{HistoryEntry, ProtocolStep};
pub use metrics::ReflectorMetrics;
pub use options::ReflectorOptions;
pub use step::{Command, Input, Step, StoreCall};

/// The list/watch protocol of one resource. See the module.
#[derive(Debug)]
pub struct Reflector<T> {
    options: ReflectorOptions,
    state: State<T>,
    /// State of the queue that the next list is compared with.
    baseline: Baseline,
    /// Version from which a watch resumes, and which a list requests.
    version: Version,
    /// Whether lists of this resource are streamed.
    streams: Streams,
    /// Liveness of the server and of the open watch.
    liveness: Liveness,
    /// Backoff and health of the watches.
    health: WatchHealth,
    /// Set while the resource can only be listed.
    polling: Option<Polling>,
    /// The last error.
    current_error: CurrentError,
    /// Time until which the request in flight is not overdue, because a busy thread measured it.
    second_look: Option<Duration>,
    backoff: Backoff,
    random: fastrand::Rng,
    metrics: ReflectorMetrics,
    history: History,
}

impl<T: Keyed> Reflector<T> {
    /// Creates a reflector whose jitter is derived from `seed`.
    pub fn new(options: ReflectorOptions, seed: u64) -> Self {
        Self {
            backoff: Backoff::new(options.backoff, seed),
            random: fastrand::Rng::with_seed(seed.wrapping_add(1)),
            liveness: Liveness::new(options.silence_timeout),
            options,
            state: State::Idle,
            baseline: Baseline::Empty,
            version: Version::default(),
            streams: Streams::default(),
            health: WatchHealth::default(),
            polling: None,
            current_error: CurrentError::None,
            second_look: None,
            metrics: ReflectorMetrics::default(),
            history: History::default(),
        }
    }

    /// Disables streaming lists, regardless of the options, because the source does not support them.
    pub fn decline_watch_list(&mut self) {
        self.streams.decline();
    }

    /// Passes on what the server has shown to another reflector of the resource: its
    /// [`Reflector::watch_list_paused_until`].
    pub fn pause_watch_list(&mut self, until: Duration) {
        self.streams.pause(until);
    }

    /// Declares, before the start, that the cache holds a persisted state: lists are compared with it. If its version
    /// is known, a watch from there replaces the first list, provided that the server has that version.
    pub fn resume_from(&mut self, version: Option<String>) {
        let version = version.filter(|version| is_version(version));
        self.baseline = if version.is_some() { Baseline::Restored } else { Baseline::UNLISTED };
        self.version.restored(version);
    }

    /// Takes an input and returns the next step.
    ///
    /// Inputs that do not fit the state belong to I/O that was dropped meanwhile; they change nothing. A stopped
    /// reflector starts again with [`Input::Start`], at the version that it had reached.
    pub fn step(&mut self, input: Input<T>, now: Duration) -> Step<T> {
        self.history.note_input(now, &input);
        self.liveness.suspicion.before_step(&input, now);
        let step = self.transition(input, now);
        self.end_suspicion();
        if let Some(command) = &step.command {
            self.second_look = None;
            self.note_command(now, command);
        }
        step
    }

    /// Performs the transition of a state and an input.
    #[expect(clippy::match_same_arms, reason = "arms stand with their subject")]
    fn transition(&mut self, input: Input<T>, now: Duration) -> Step<T> {
        let is_due = self.deadline().is_some_and(|deadline| deadline <= now);
        match (input, &mut self.state) {
            // Start and stop.
            (Input::Start, State::Idle) if self.baseline == Baseline::Restored => self.start_restored(now),
            (Input::Start, State::Idle | State::Stopped) | (Input::Wake, State::Failed) => self.relist(now),
            (_, State::Stopped) => Step::none(),
            (Input::Stop, _) => {
                self.state = State::Stopped;
                Step::command(Command::Halt)
            }

            // Lists, and probes, which are lists of one object.
            (Input::Page(page), State::Listing(_)) => self.page(page, now),
            (Input::Page(page), State::Probing(_)) => self.probed(&page.resource_version, now),
            (Input::Progress, State::Listing(listing)) => {
                listing.progress(&self.options, now);
                self.server_responded();
                Step::none()
            }

            // Watches and streaming lists.
            (Input::Opened, State::OpeningStream(request)) if STREAMS => {
                let request = *request;
                self.watch_list_opened(request, now)
            }
            (Input::Opened, State::OpeningWatch(request, follows)) => {
                let (request, follows) = (*request, *follows);
                self.watch_opened(request, follows, now)
            }
            (Input::Event(event), State::Streaming(_)) => self.initial_event(event, now),
            (Input::Event(event), State::Watching(_)) => self.event(event, now),
            (Input::Ended(error), State::Streaming(_)) => self.initial_events_broken(error, now),
            (Input::Ended(error), State::Watching(_)) => self.watch_ended(error, now),

            // Failures and deadlines.
            (Input::Failed(error), _) => self.request_failed(error, now),
            (Input::Timer, _) if is_due => self.due(now),
            // A list in flight is measured itself, and only a list replaces what a pause before one would end.
            (
                Input::Full,
                State::Watching(_)
                | State::OpeningWatch(..)
                | State::Probing(_)
                | State::Paused(Pause { next: state::Next::Watch, .. }),
            ) => self.too_large(),

            // Connections.
            (Input::Queued(queued), _) => self.queued(queued, now),
            // The watch did not fail, and its version is still valid.
            (Input::Revoked, State::Watching(_)) => self.resume(now),
            (Input::Revoked, State::Streaming(_)) => self.relist(now),

            // Signals from other requests and from the engine.
            (Input::Wake, State::Paused(pause)) => {
                let next = pause.next;
                self.wake_from_pause(next, now)
            }
            (Input::Wake, _) => self.page_became_visible(now),
            (Input::OthersRefused, _) => self.others_refused(now),
            (Input::Unreachable(error), _) => self.unreachable(error, now),
            (Input::Reachable, _) => self.reachable(now),
            (Input::Replaced { since, certain }, _) => self.replaced(since, certain, now),
            (Input::Slept, _) => self.slept(now),
            _ => Step::none(),
        }
    }

    /// Returns the step after a request that failed: it was rejected or timed out.
    fn request_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        match &self.state {
            State::Listing(_) => self.list_failed(error, now),
            State::OpeningStream(_) => self.watch_list_rejected(error, now),
            State::OpeningWatch(..) => self.watch_rejected(error, now),
            State::Probing(_) => self.probe_failed(error, now),
            _ => Step::none(),
        }
    }

    /// Returns the step after the deadline of the state has passed.
    fn due(&mut self, now: Duration) -> Step<T> {
        let late = match &self.state {
            State::Paused(pause) => return self.attempt(pause.next, now),
            State::Watching(_) => return self.watch_due(now),
            State::Listing(_) => "the list timed out",
            State::OpeningStream(_) | State::OpeningWatch(..) => "the watch request timed out",
            State::Probing(_) => "the probe timed out",
            State::Streaming(_) => "",
            State::Idle | State::Stopped | State::Failed => return Step::none(),
        };
        // The response may be unread in the browser.
        if self.second_look.is_none() && self.deadline().is_some_and(|due| now.saturating_sub(due) > LATE_TIMER) {
            self.second_look = Some(now.saturating_add(SECOND_LOOK));
            return Step::none();
        }
        self.note_overdue(now);
        if matches!(self.state, State::Streaming(_)) {
            return self.initial_events_overdue(now);
        }
        self.request_failed(InformerError::new(ErrorCode::Timeout, late), now)
    }

    /// Records that the request in flight joined or left the queue for a connection, so its deadline restarts.
    fn queued(&mut self, queued: bool, now: Duration) -> Step<T> {
        let to = if queued { Slot::Queued } else { Slot::Granted };
        match &mut self.state {
            State::Listing(listing) => listing.request(to, &self.options, now),
            State::OpeningStream(request) | State::OpeningWatch(request, _) => (request.sent, request.slot) = (now, to),
            State::Probing(probing) => {
                (probing.due, probing.slot) = (now.saturating_add(self.options.open_timeout), to);
            }
            State::Streaming(stream) => stream.request.slot = to,
            State::Watching(watch) => watch.request.slot = to,
            State::Idle | State::Paused(_) | State::Stopped | State::Failed => {}
        }
        Step::none()
    }

    /// Time at which [`Input::Timer`] is due. A time limit of [`Duration::MAX`] among the options is never reached.
    pub fn deadline(&self) -> Option<Duration> {
        let due = match &self.state {
            State::Idle | State::Stopped | State::Failed => None,
            State::Streaming(stream) => Some(stream.staging.end_due),
            State::Watching(watch) => Some(self.watch_deadline(watch)),
            State::Paused(pause) => Some(pause.until),
            // No response is late to a request that has not been sent.
            _ if self.is_queued_for_connection() => None,
            State::Listing(listing) => Some(listing.due()),
            State::OpeningStream(request) | State::OpeningWatch(request, _) => {
                Some(request.sent.saturating_add(self.options.open_timeout))
            }
            State::Probing(probing) => Some(probing.due),
        };
        self.second_look.map_or(due, |second_look| due.map(|due| due.max(second_look)))
    }

    /// Returns the phase of the protocol.
    pub fn phase(&self) -> Phase {
        match &self.state {
            State::Idle => Phase::Idle,
            State::Listing(_) | State::OpeningStream(_) | State::Streaming(_) => Phase::Listing,
            State::Watching(_) => Phase::Watching,
            State::OpeningWatch(..) | State::Probing(_) | State::Paused(_) => Phase::Reconnecting,
            State::Stopped => Phase::Stopped,
            State::Failed => Phase::Failed,
        }
    }

    /// Time until which lists are not streamed because of what the server has shown; [`Duration::MAX`] if it cannot
    /// stream lists. Independent of [`Reflector::decline_watch_list`].
    pub fn watch_list_paused_until(&self) -> Option<Duration> {
        self.streams.plain_until()
    }

    /// Whether a list has succeeded, in this run or an earlier one.
    pub(crate) fn has_listed(&self) -> bool {
        self.version.has_listed()
    }

    /// Version from which a watch would resume; empty before the first list, and if lists have no version.
    pub fn last_sync_resource_version(&self) -> &str {
        self.version.as_str()
    }

    /// The last error, until an opened watch clears it. For a healthy resource that can only be listed
    /// ([`Reflector::is_polling`]), the reason of polling.
    pub fn last_error(&self) -> Option<&InformerError> {
        self.current_error().or_else(|| self.polling.as_ref().map(|polling| &polling.reason))
    }

    /// The last error, without the reason of polling.
    pub(crate) fn current_error(&self) -> Option<&InformerError> {
        self.current_error.error()
    }

    /// The counters.
    pub fn metrics(&self) -> ReflectorMetrics {
        self.metrics
    }

    /// Objects received so far by the list in flight.
    pub fn staged(&self) -> usize {
        match &self.state {
            State::Listing(listing) => listing.len(),
            State::Streaming(stream) => stream.staging.len(),
            _ => 0,
        }
    }

    /// Time of the next attempt, during a pause.
    pub fn next_attempt(&self) -> Option<Duration> {
        if let State::Paused(pause) = &self.state { Some(pause.until) } else { None }
    }

    /// Whether the request is queued for a connection, of which a browser has few.
    pub fn is_queued_for_connection(&self) -> bool {
        self.state.slot() == Some(Slot::Queued)
    }
}
