//! The list/watch protocol as a pure state machine.
//!
//! [`Reflector::step`] takes one thing that happened and says what to do next. It performs nothing, knows no network
//! and no timer, so every schedule of faults replays from a seed; `reflector/driver.rs` does what it says. The rules
//! are client-go's (`tools/cache/reflector.go`), and where they differ a comment says why.

mod catch_up;
pub(crate) mod driver;
mod health;
mod heartbeat;
mod history;
mod list_phase;
mod lost_event;
mod options;
mod pace;
mod polling;
mod proof;
mod sleep;
mod state;
mod step;
mod suspicion;
#[cfg(test)]
mod tests;
mod watch_list;
mod watch_phase;

use std::time::Duration;

use crate::backoff::Backoff;
use crate::error::{ErrorCode, InformerError};
use crate::object::Keyed;
use crate::phase::Phase;
use crate::watch::WatchEvent;

use catch_up::CatchUp;
use health::WatchHealth;
use history::History;
use list_phase::is_version;
use lost_event::LostEvents;
use pace::Pace;
use polling::Polling;
use proof::is_outage;
use state::{Staging, State, Then, Told, Watching};
use suspicion::Suspicion;
use watch_list::{STREAMS, Streams};

pub use history::{HistoryEntry, ProtocolStep};
pub use options::ReflectorOptions;
pub use step::{Command, Input, Step, StoreCall};

/// Counters of a [`Reflector`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReflectorMetrics {
    /// Lists begun.
    pub lists: u64,
    /// Streaming lists begun: watches that begin with all there is.
    pub watch_lists: u64,
    /// Lists of either kind begun after one had succeeded.
    pub relists: u64,
    /// Plain watches begun.
    pub watches: u64,
    /// Times that the newest version was asked for, because the server had been away.
    pub probes: u64,
    /// Watches that ended cleanly after a life, and long before their time: the server cuts off who reads too slowly, and
    /// says no more than that. (One that is shut down, or something on the way, may end watches so too.)
    pub early_ends: u64,
    /// Times that an open watch was suspected to be dead.
    pub suspicions: u64,
    /// Suspicions that were refuted: the watch gave a sign of life, or its successor showed that nothing had been missed.
    pub false_suspicions: u64,
    /// Events applied.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    /// Events and items left out because they could not be read.
    pub dropped: u64,
}

/// The list/watch protocol. See the module.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own, beside the state")]
pub struct Reflector<T> {
    options: ReflectorOptions,
    state: State<T>,
    /// Where a watch would resume: verbatim, never read as a number. Empty until a list succeeded, and when the last one
    /// carried no version.
    last_version: String,
    /// The last list that succeeded carried no version: no watch could go on from it.
    unversioned: bool,
    /// The server no longer has `last_version`, or not yet: ask for the newest (client-go:
    /// `isLastSyncResourceVersionUnavailable`). Cleared only by a list that succeeds.
    version_unavailable: bool,
    /// The version of the first pages that were handed on: until a list is whole, none may be older. Counts only while
    /// `last_version` is empty.
    pages_version: String,
    /// A list at version `"0"` came in pages: this server has no watch cache, so page on (client-go's
    /// `paginatedResult`).
    pages_at_zero: bool,
    told: Told,
    /// Whether lists of this resource are streamed.
    streams: Streams,
    /// How long a watch may be silent: longer on servers that send no bookmarks.
    silence: Duration,
    /// The last watch was silent to its end, and no list has succeeded since.
    was_silent: bool,
    /// Watches in a row that ended soon and brought nothing.
    idle_watches: u32,
    /// Watches in a row that brought something and ended within a second.
    short_watches: u32,
    /// Watches in a row that lived long and never said a word.
    unheard_watches: u32,
    /// The cache is at `last_version` from an earlier life, which an open watch is to confirm: no list comes first.
    resumes: bool,
    /// What is to be asked for has not been sent: there is no connection for it.
    waiting: bool,
    /// The server was away, or the watch is doubted: it is not known to have the version, and must prove it.
    unproven: bool,
    /// How far a watch has to come after an outage before it is live.
    catch_up: CatchUp,
    /// A heartbeat failed, and nothing has come since.
    unreachable: bool,
    /// When it last had: a list, a probe, or anything that came on a watch.
    proven: Duration,
    /// When the last list that succeeded was begun.
    listed_at: Duration,
    /// How the watch has fared.
    health: WatchHealth,
    /// How lively the watch has been.
    pace: Pace,
    /// Whether the watch is suspected.
    suspicion: Suspicion,
    /// Whether a list is owed for an event that nobody could read.
    lost_events: LostEvents,
    /// The list before this watch succeeded, and nothing has come of the watch.
    listed: bool,
    /// The watch before this one could not be read from its first line on.
    useless: bool,
    /// The resource can be listed only.
    polling: Option<Polling>,
    backoff: Backoff,
    random: fastrand::Rng,
    last_error: Option<InformerError>,
    metrics: ReflectorMetrics,
    history: History,
}

impl<T: Keyed> Reflector<T> {
    /// A reflector whose jitter follows from `seed`.
    pub fn new(options: ReflectorOptions, seed: u64) -> Self {
        Self {
            backoff: Backoff::new(options.backoff, seed),
            random: fastrand::Rng::with_seed(seed.wrapping_add(1)),
            silence: options.silence,
            options,
            state: State::Idle,
            last_version: String::new(),
            unversioned: false,
            version_unavailable: false,
            pages_version: String::new(),
            pages_at_zero: false,
            was_silent: false,
            told: Told::Nothing,
            streams: Streams::default(),
            idle_watches: 0,
            unheard_watches: 0,
            short_watches: 0,
            resumes: false,
            waiting: false,
            unproven: false,
            catch_up: CatchUp::default(),
            unreachable: false,
            proven: Duration::ZERO,
            listed_at: Duration::ZERO,
            health: WatchHealth::default(),
            pace: Pace::default(),
            suspicion: Suspicion::default(),
            lost_events: LostEvents::default(),
            listed: false,
            useless: false,
            polling: None,
            last_error: None,
            metrics: ReflectorMetrics::default(),
            history: History::default(),
        }
    }

    /// Says that the source does not stream lists, whatever the options want.
    pub fn decline_watch_list(&mut self) {
        self.streams.decline();
    }

    /// Says, before the start, that the cache holds something already: lists are compared with it. With a version that is
    /// its state then, and a watch from there takes the place of the first list, if the server has come so far.
    pub fn resume_from(&mut self, version: Option<String>) {
        let version = version.filter(|version| is_version(version));
        self.told = Told::Something;
        self.resumes = version.is_some();
        self.last_version = version.unwrap_or_default();
    }

    /// Whether the source was found, or said, not to stream lists.
    pub fn watch_list_declined(&self) -> bool {
        self.streams.are_declined()
    }

    /// Where it is in the protocol.
    pub fn phase(&self) -> Phase {
        match &self.state {
            State::Idle => Phase::Idle,
            State::Listing(_)
            | State::Opening { initial_events: true, .. }
            | State::Watching(Watching { staging: Some(_), .. }) => Phase::Listing,
            State::Watching(_) => Phase::Watching,
            State::Opening { .. } | State::Probing { .. } | State::Waiting { .. } => Phase::Reconnecting,
            State::Stopped => Phase::Stopped,
            State::Failed => Phase::Failed,
        }
    }

    /// Whether a list has succeeded, in this life or an earlier one.
    pub(crate) fn has_listed(&self) -> bool {
        self.unversioned || !self.last_version.is_empty()
    }

    /// The version that a watch would resume from; empty before the first list, and where lists carry none.
    pub fn last_sync_resource_version(&self) -> &str {
        &self.last_version
    }

    /// What went wrong last, until an opened watch proves that it is over. While all is well with a resource that can only
    /// be listed ([`Reflector::is_polling`]), why that is so.
    pub fn last_error(&self) -> Option<&InformerError> {
        self.trouble().or_else(|| self.polling.as_ref().map(|polling| &polling.why))
    }

    /// The same without the reason for polling, which is no trouble.
    pub(crate) fn trouble(&self) -> Option<&InformerError> {
        self.last_error.as_ref()
    }

    /// Whether the open watch must still prove that it is alive, or that it has caught up after an outage.
    pub fn is_doubted(&self) -> bool {
        matches!(&self.state, State::Watching(watch) if watch.doubted.is_some() || self.catch_up.is_pending())
    }

    /// The counters.
    pub fn metrics(&self) -> ReflectorMetrics {
        self.metrics
    }

    /// Objects that the list in flight has brought so far.
    pub fn staged(&self) -> usize {
        match &self.state {
            State::Listing(listing) => listing.staged.len() + listing.unchanged.len() + listing.handed_on,
            State::Watching(Watching { staging: Some(staging), .. }) => staging.len(),
            _ => 0,
        }
    }

    /// When the next attempt begins, while it waits for one.
    pub fn next_attempt(&self) -> Option<Duration> {
        match self.state {
            State::Waiting { until, .. } => Some(until),
            _ => None,
        }
    }

    /// Whether its request waits for a connection, of which a browser has few.
    pub fn is_waiting_for_connection(&self) -> bool {
        self.waiting
    }

    /// When [`Input::Timer`] is due. A time of [`Duration::MAX`] among the options is never up.
    pub fn deadline(&self) -> Option<Duration> {
        match &self.state {
            State::Idle | State::Stopped | State::Failed => None,
            // Nobody is late with an answer to what was not sent.
            State::Listing(_) | State::Opening { .. } | State::Probing { .. } if self.waiting => None,
            State::Listing(listing) => Some(listing.page_due.min(listing.page_end)),
            State::Opening { sent, .. } => Some(sent.saturating_add(self.options.open_timeout)),
            State::Watching(Watching { staging: Some(staging), .. }) => Some(staging.end_due),
            State::Probing { due } => Some(*due),
            State::Watching(watch) => {
                // A doubt is sooner than a server that was to end the watch and did not, or one from which nothing comes,
                // and no two informers' at once.
                let silent = watch.doubted.unwrap_or_else(|| watch.overdue().min(self.silent_at(watch)));
                Some(self.owed_at(watch).map_or(silent, |owed| owed.min(silent)))
            }
            State::Waiting { until, .. } => Some(*until),
        }
    }

    /// Takes what happened and says what to do.
    ///
    /// Inputs that do not fit the state come from I/O that was dropped meanwhile; they change nothing. A stopped
    /// reflector starts again with [`Input::Start`], at the version that it had reached.
    pub fn step(&mut self, input: Input<T>, now: Duration) -> Step<T> {
        self.history.note_input(now, &input);
        self.age_suspicion(&input, now);
        let step = self.take(input, now);
        self.end_suspicion();
        if let Some(command) = &step.command {
            // Whatever waited was for another one.
            self.waiting = false;
            self.note_command(now, command);
        }
        step
    }

    fn take(&mut self, input: Input<T>, now: Duration) -> Step<T> {
        let due = self.deadline().is_some_and(|deadline| deadline <= now);
        match (input, &mut self.state) {
            (Input::Start, State::Idle) if self.resumes => {
                // The cluster may have been restored meanwhile, to before the version.
                self.unproven = true;
                self.catch_up.be_lenient();
                self.resume(now)
            }
            (Input::Start, State::Idle | State::Stopped) | (Input::Wake, State::Failed) => self.relist(now),
            (_, State::Stopped) => Step::none(),
            (Input::Stop, _) => {
                self.state = State::Stopped;
                Step::command(Command::Halt)
            }
            (Input::Page(page), State::Listing(_)) => self.page(page, now),
            (Input::Progress, State::Listing(listing)) => {
                listing.page_due = now.saturating_add(self.options.page_timeout);
                self.heard();
                Step::none()
            }
            (Input::Waiting(waiting), state) => {
                self.waiting = waiting;
                match state {
                    State::Listing(listing) => listing.ask(&self.options, now),
                    State::Opening { sent, .. } => *sent = now,
                    State::Probing { due } => *due = now.saturating_add(self.options.open_timeout),
                    _ => {}
                }
                Step::none()
            }
            // It has done nothing wrong, and its version is as good as it was.
            (Input::Recalled, State::Watching(Watching { staging: None, .. })) => self.resume(now),
            (Input::Recalled, State::Watching(_)) => self.relist(now),
            (Input::Failed(error), State::Listing(_)) => self.list_failed(error, now),
            (Input::Page(page), State::Probing { .. }) => self.probed(&page.resource_version, now),
            (Input::Failed(error), State::Probing { .. }) => self.probe_failed(error, now),
            (Input::Opened, State::Opening { sent, timeout, initial_events }) => {
                let (sent, timeout, initial_events) = (*sent, *timeout, *initial_events);
                let staging = (STREAMS && initial_events)
                    .then(|| Staging::new(now.saturating_add(self.options.initial_events_timeout)));
                let from = self.last_version.clone();
                let doubted = None;
                self.state =
                    State::Watching(Watching { sent, timeout, last_sign: now, doubted, heard: 0, from, staging });
                self.pace.opened(now);
                if !initial_events {
                    self.health.opened(now);
                }
                // What was lost is as lost as before.
                self.unreachable = false;
                self.last_error = self.lost_events.owed().cloned();
                self.polling.take_if(|polling| !polling.unread);
                // The server has taken the version: what is cached is the first population.
                let resumed = std::mem::take(&mut self.resumes).then(|| self.last_version.clone());
                let populated = |version| StoreCall::Populate { items: Vec::new(), resource_version: Some(version) };
                Step { call: resumed.map(populated), ..Step::none() }
            }
            (Input::Failed(error), State::Opening { initial_events: true, .. }) => self.watch_list_refused(error, now),
            (Input::Failed(error), State::Opening { .. }) => self.watch_refused(error, now),
            (Input::Event(event), State::Watching(watch)) => {
                watch.heard += u64::from(event.is_ok());
                let staged = watch.staging.is_some();
                let is_news =
                    matches!(event, Ok(WatchEvent::Added(_) | WatchEvent::Modified(_) | WatchEvent::Deleted(_)));
                self.sign(is_news, now);
                if staged { self.initial_event(event, now) } else { self.event(event, now) }
            }
            (Input::Ended(error), State::Watching(Watching { staging: Some(_), .. })) => {
                self.initial_events_broken(error, now)
            }
            (Input::Ended(error), State::Watching(_)) => self.watch_ended(error, now),
            // A list that is on its way is measured itself.
            (
                Input::Full,
                State::Watching(Watching { staging: None, .. })
                | State::Opening { initial_events: false, .. }
                | State::Probing { .. }
                | State::Waiting { then: Then::Watch, .. },
            ) => self.too_large(),
            (Input::Timer, _) if due => self.due(now),
            (Input::Wake, State::Waiting { then, .. }) => {
                let then = *then;
                if let Some(polling) = &mut self.polling {
                    polling.again = now;
                }
                self.attempt(then, now)
            }
            (Input::Wake, _) => self.woken(now),
            (Input::Doubt, _) => self.warned(now),
            (Input::Unreachable(error), _) => self.unreachable(error, now),
            (Input::Reachable, _) => self.reachable(now),
            (Input::Replaced { since, certain }, _) => self.replaced(since, certain, now),
            (Input::Slept, _) => self.slept(now),
            _ => Step::none(),
        }
    }

    fn due(&mut self, now: Duration) -> Step<T> {
        if self.is_owed(now) {
            self.want_newer();
            return self.relist(now);
        }
        if self.is_suspect(now) {
            let due = self.deadline().unwrap_or(now);
            if self.last_error.is_none() && self.suspicion.looks_again(due, now) {
                return Step::none();
            }
            self.history.note(now, ProtocolStep::Doubted);
            return self.suspect(now);
        }
        if !matches!(self.state, State::Waiting { .. }) {
            self.history.note(now, ProtocolStep::Overdue);
        }
        let timeout = |what: &str| InformerError::new(ErrorCode::Timeout, what);
        match &self.state {
            State::Waiting { then, .. } => self.attempt(*then, now),
            State::Listing(_) => self.list_failed(timeout("the list did not come in time"), now),
            State::Opening { initial_events, .. } => {
                let error = timeout("the watch was not answered in time");
                if *initial_events { self.watch_list_refused(error, now) } else { self.watch_refused(error, now) }
            }
            State::Watching(Watching { staging: Some(_), .. }) => self.initial_events_overdue(now),
            State::Probing { .. } => self.probe_failed(timeout("the server was not heard of in time"), now),
            State::Watching(Watching { doubted: Some(_), .. }) => self.resume(now),
            State::Watching(_) => self.watch_overdue(now),
            State::Idle | State::Stopped | State::Failed => Step::none(),
        }
    }

    fn attempt(&mut self, then: Then, now: Duration) -> Step<T> {
        match then {
            Then::Relist => self.relist(now),
            Then::Watch => self.resume(now),
        }
    }

    fn back_off(&mut self, error: InformerError, then: Then, now: Duration) -> Step<T> {
        let until = now.saturating_add(self.draw_wait(&error, now));
        self.unproven |= is_outage(error.code());
        self.catch_up.be_strict();
        self.listed = false;
        self.rewatch_after_outage(error.code(), now);
        // Each attempt to watch is behind a list there.
        let then = if self.polling.is_some() { Then::Relist } else { then };
        self.state = State::Waiting { until, then };
        // An answer to a heartbeat clears the error of a heartbeat, not this one.
        self.unreachable = false;
        self.last_error = Some(error.clone());
        Step { report: Some(error), ..Step::command(Command::Wait) }
    }
}
