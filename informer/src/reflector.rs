//! The list/watch protocol as a pure state machine.
//!
//! [`Reflector::step`] takes one thing that happened and says what to do next. It performs nothing, knows no network
//! and no timer, so every schedule of faults replays from a seed; `reflector/driver.rs` does what it says. The rules
//! are client-go's (`tools/cache/reflector.go`), and where they differ a comment says why.

pub(crate) mod driver;
mod options;
mod step;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::backoff::Backoff;
use crate::error::{ErrorCode, InformerError, Result};
use crate::list::ListPage;
use crate::list_watch::{ListOptions, WatchOptions};
use crate::object::Keyed;
use crate::status::Phase;
use crate::watch::WatchEvent;

pub use options::ReflectorOptions;
pub use step::{Command, Input, Step, StoreCall};

/// A watch that ends within this time without an event is a failure, not a timeout (client-go: `VeryShortWatchError`).
const VERY_SHORT_WATCH: Duration = Duration::from_secs(1);

#[derive(Debug)]
enum State<T> {
    Idle,
    Listing(Listing<T>),
    Opening { sent: Duration, timeout: Duration },
    Watching(Watching),
    Waiting { until: Duration, then: Then },
    Stopped,
    Failed,
}

/// An open watch.
#[derive(Debug)]
struct Watching {
    sent: Duration,
    timeout: Duration,
    /// When anything came last.
    last_sign: Duration,
    /// Events and bookmarks that could be read.
    heard: u64,
    /// The version it began at.
    from: String,
}

/// A list in progress. Its pages are staged here, so a broken list leaves nothing behind.
#[derive(Debug)]
struct Listing<T> {
    /// What the first page was asked for.
    version: Option<String>,
    /// What the list is of; the first page says it.
    list_version: String,
    staged: Vec<T>,
    page_due: Duration,
    /// The whole list at once, because a page token expired.
    unpaged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    List,
    Watch,
}

/// Counters of a [`Reflector`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReflectorMetrics {
    /// Lists begun.
    pub lists: u64,
    /// Lists begun after one had succeeded.
    pub relists: u64,
    /// Watches begun.
    pub watches: u64,
    /// Events applied.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    /// Events and items left out because they could not be read.
    pub dropped: u64,
}

/// The list/watch protocol. See the module.
#[derive(Debug)]
pub struct Reflector<T> {
    options: ReflectorOptions,
    state: State<T>,
    /// Where a watch would resume: verbatim, never read as a number. Empty until a list succeeded.
    last_version: String,
    /// The server no longer has `last_version`, or not yet: ask for the newest (client-go:
    /// `isLastSyncResourceVersionUnavailable`). Cleared only by a list that succeeds.
    version_unavailable: bool,
    /// A list at version `"0"` came in pages: this server has no watch cache, so page on (client-go's
    /// `paginatedResult`).
    pages_at_zero: bool,
    /// How long a watch may be silent: longer on servers that send no bookmarks.
    silence: Duration,
    /// Watches in a row that ended soon and brought nothing.
    idle_watches: u32,
    backoff: Backoff,
    random: fastrand::Rng,
    last_error: Option<InformerError>,
    metrics: ReflectorMetrics,
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
            version_unavailable: false,
            pages_at_zero: false,
            idle_watches: 0,
            last_error: None,
            metrics: ReflectorMetrics::default(),
        }
    }

    /// Where it is in the protocol.
    pub fn phase(&self) -> Phase {
        match &self.state {
            State::Idle => Phase::Idle,
            State::Listing(_) => Phase::Listing,
            State::Watching(_) => Phase::Watching,
            State::Opening { .. } | State::Waiting { .. } => Phase::Reconnecting,
            State::Stopped => Phase::Stopped,
            State::Failed => Phase::Failed,
        }
    }

    /// The version that a watch would resume from; empty before the first list.
    pub fn last_sync_resource_version(&self) -> &str {
        &self.last_version
    }

    /// What went wrong last, until an opened watch proves that it is over.
    pub fn last_error(&self) -> Option<&InformerError> {
        self.last_error.as_ref()
    }

    /// The counters.
    pub fn metrics(&self) -> ReflectorMetrics {
        self.metrics
    }

    /// Objects staged by the list in flight.
    pub fn staged(&self) -> usize {
        match &self.state {
            State::Listing(listing) => listing.staged.len(),
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

    /// When [`Input::Timer`] is due.
    pub fn deadline(&self) -> Option<Duration> {
        match &self.state {
            State::Idle | State::Stopped | State::Failed => None,
            State::Listing(listing) => Some(listing.page_due),
            State::Opening { sent, .. } => Some(*sent + self.options.open_timeout),
            // A server that was to end the watch and did not, or one from which nothing comes.
            State::Watching(watch) => Some((watch.sent + watch.timeout + GRACE).min(watch.last_sign + self.silence)),
            State::Waiting { until, .. } => Some(*until),
        }
    }

    /// Takes what happened and says what to do.
    ///
    /// Inputs that do not fit the state come from I/O that was dropped meanwhile; they change nothing.
    pub fn step(&mut self, input: Input<T>, now: Duration) -> Step<T> {
        let due = self.deadline().is_some_and(|deadline| deadline <= now);
        match (input, &mut self.state) {
            (_, State::Stopped) => Step::none(),
            (Input::Stop, _) => {
                self.state = State::Stopped;
                Step::command(Command::Halt)
            }
            (Input::Start, State::Idle) | (Input::Wake, State::Failed) => self.list(now),
            (Input::Page(page), State::Listing(_)) => self.page(page, now),
            (Input::Failed(error), State::Listing(_)) => self.list_failed(error, now),
            (Input::Opened, State::Opening { sent, timeout }) => {
                let (sent, timeout) = (*sent, *timeout);
                let from = self.last_version.clone();
                self.state = State::Watching(Watching { sent, timeout, last_sign: now, heard: 0, from });
                self.last_error = None;
                Step::none()
            }
            (Input::Failed(error), State::Opening { .. }) => self.watch_refused(error, now),
            (Input::Event(event), State::Watching(watch)) => {
                watch.last_sign = now;
                watch.heard += u64::from(event.is_ok());
                self.event(event, now)
            }
            (Input::Ended(error), State::Watching(_)) => self.watch_ended(error, now),
            (Input::Timer, _) if due => self.due(now),
            (Input::Wake, State::Waiting { then, .. }) => {
                let then = *then;
                self.attempt(then, now)
            }
            _ => Step::none(),
        }
    }

    fn due(&mut self, now: Duration) -> Step<T> {
        let timeout = |what: &str| InformerError::new(ErrorCode::Timeout, what);
        match &self.state {
            State::Waiting { then, .. } => self.attempt(*then, now),
            State::Listing(_) => self.list_failed(timeout("the list did not come in time"), now),
            State::Opening { .. } => self.watch_refused(timeout("the watch was not answered in time"), now),
            // It outlived its time: the server's end of it got lost.
            State::Watching(watch) if watch.sent + watch.timeout + GRACE <= now => self.watch(now),
            State::Watching(watch) => {
                let heard = watch.heard > 0;
                let error = timeout("nothing came on the watch for longer than a bookmark takes");
                // What is shown is not known to be true any more, from now until the next answer.
                self.last_error = Some(error.clone());
                Step { report: Some(error), ..self.silent(heard, now) }
            }
            State::Idle | State::Stopped | State::Failed => Step::none(),
        }
    }

    /// A watch that fell silent is half-open: resumed. One that never said anything may also be a watch from a version
    /// that the server has not reached, because the cluster was restored or replaced: such a watch is accepted and
    /// silent for ever (WIRE 0.4), and only a list tells.
    fn silent(&mut self, heard: bool, now: Duration) -> Step<T> {
        if heard {
            return self.watch(now);
        }
        if self.metrics.bookmarks == 0 {
            // Or a server without bookmarks, which must not be listed every 90 seconds.
            self.silence = (self.silence * 2).min(self.options.min_watch_timeout * 2);
        }
        self.list(now)
    }

    fn attempt(&mut self, then: Then, now: Duration) -> Step<T> {
        match then {
            Then::List => self.list(now),
            Then::Watch => self.watch(now),
        }
    }

    /// The version that a list asks for (client-go: `relistResourceVersion`).
    fn list_version(&self) -> Option<String> {
        match (self.version_unavailable, self.last_version.as_str()) {
            (true, _) => None,
            // In pages, relists too: a whole list over a slow line would be cut off by the server after a minute.
            (false, _) if self.options.consistent_lists => None,
            (false, "") => Some("0".to_owned()),
            (false, version) => Some(version.to_owned()),
        }
    }

    fn list(&mut self, now: Duration) -> Step<T> {
        self.metrics.lists += 1;
        self.metrics.relists += u64::from(!self.last_version.is_empty());
        let version = self.list_version();
        // Beside a version other than "0" a limit would mean exactly that version, read from etcd.
        let paged = self.pages_at_zero || version.as_deref().is_none_or(|version| version == "0");
        self.state = State::Listing(Listing {
            version: version.clone(),
            list_version: String::new(),
            staged: Vec::new(),
            page_due: now + self.options.page_timeout,
            unpaged: false,
        });
        let limit = paged.then_some(self.options.page_size);
        Step::command(Command::List(ListOptions { resource_version: version, limit, continue_token: None }))
    }

    fn page(&mut self, page: ListPage<T>, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        self.metrics.dropped += page.unreadable.len() as u64;
        if listing.list_version.is_empty() {
            listing.list_version = page.resource_version;
        }
        listing.staged.extend(page.items);
        let report = page.unreadable.into_iter().next();
        if !page.continue_token.is_empty() {
            self.pages_at_zero |= listing.version.as_deref() == Some("0");
            listing.page_due = now + self.options.page_timeout;
            let options = ListOptions {
                resource_version: None,
                limit: Some(self.options.page_size),
                continue_token: Some(page.continue_token),
            };
            return Step { report, ..Step::command(Command::List(options)) };
        }
        let (items, version) = (std::mem::take(&mut listing.staged), std::mem::take(&mut listing.list_version));
        self.last_version.clone_from(&version);
        self.version_unavailable = false;
        let step = self.watch(now);
        Step { call: Some(StoreCall::Replace(items, version)), report, ..step }
    }

    fn list_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        let State::Listing(listing) = &mut self.state else { return Step::none() };
        let first_page = listing.list_version.is_empty();
        match error.code() {
            // A page token that expired: the whole list at once, at the version first asked for.
            ErrorCode::Expired if !first_page && !listing.unpaged => {
                let version = listing.version.clone();
                (listing.unpaged, listing.page_due) = (true, now + self.options.page_timeout);
                (listing.list_version, listing.staged) = (String::new(), Vec::new());
                Step::command(Command::List(ListOptions {
                    resource_version: version,
                    limit: None,
                    continue_token: None,
                }))
            }
            // At once, without backoff: the server is well, only the version cannot be had.
            ErrorCode::Expired | ErrorCode::TooLargeResourceVersion if listing.version.is_some() => {
                self.version_unavailable = true;
                self.list(now)
            }
            // Too much for one answer: the next attempt asks for pages.
            ErrorCode::Timeout if first_page && listing.version.as_deref().is_some_and(|v| v != "0") => {
                self.version_unavailable = true;
                self.back_off(error, Then::List, now)
            }
            // Asked for in the plainest form and still wrong: a selector or a path that no retry mends.
            ErrorCode::BadRequest if first_page && listing.version.as_deref().is_none_or(|v| v == "0") => {
                self.state = State::Failed;
                self.last_error = Some(error.clone());
                Step { report: Some(error), ..Step::command(Command::Wait) }
            }
            ErrorCode::BadRequest => {
                self.version_unavailable = true;
                self.back_off(error, Then::List, now)
            }
            _ => self.back_off(error, Then::List, now),
        }
    }

    fn watch(&mut self, now: Duration) -> Step<T> {
        self.metrics.watches += 1;
        let timeout = self.options.min_watch_timeout.mul_f64(1.0 + self.random.f64());
        self.state = State::Opening { sent: now, timeout };
        Step::command(Command::Watch(WatchOptions { resource_version: self.last_version.clone(), timeout }))
    }

    fn watch_refused(&mut self, error: InformerError, now: Duration) -> Step<T> {
        let then = match error.code() {
            // The server is away or busy; it still has the version, as far as anybody knows.
            ErrorCode::Network | ErrorCode::Timeout | ErrorCode::Throttled | ErrorCode::Internal => Then::Watch,
            // 410 as HTTP status is treated as the in-stream one; anything else begins a new cycle.
            _ => Then::List,
        };
        self.back_off(error, then, now)
    }

    fn event(&mut self, event: Result<WatchEvent<T>>, now: Duration) -> Step<T> {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                self.metrics.dropped += 1;
                return Step { report: Some(error), ..Step::none() };
            }
        };
        match event {
            WatchEvent::Bookmark { resource_version, .. } => {
                self.metrics.bookmarks += 1;
                self.reached(&resource_version);
                Step::none()
            }
            WatchEvent::Added(object) => Step::call(StoreCall::Add(self.applied(object))),
            WatchEvent::Modified(object) => Step::call(StoreCall::Update(self.applied(object))),
            WatchEvent::Deleted(object) => Step::call(StoreCall::Delete(self.applied(object))),
            WatchEvent::Error(error) => match error.code() {
                ErrorCode::Throttled => self.back_off(error, Then::Watch, now),
                // Expired too: the first relist asks for "at least what I have", only its refusal for the newest.
                _ => self.back_off(error, Then::List, now),
            },
        }
    }

    fn applied(&mut self, object: T) -> T {
        self.metrics.events += 1;
        self.reached(object.resource_version());
        object
    }

    /// A watch from no version would begin anew and never tell what was deleted meanwhile: one without is passed over.
    fn reached(&mut self, version: &str) {
        if matches!(version, "" | "0") || version == self.last_version {
            return;
        }
        version.clone_into(&mut self.last_version);
        // Progress is proof of health; an answer alone is not.
        self.backoff.reset();
        self.idle_watches = 0;
    }

    fn watch_ended(&mut self, error: Option<InformerError>, now: Duration) -> Step<T> {
        let State::Watching(watch) = &self.state else { return Step::none() };
        let (lived, heard) = (now.saturating_sub(watch.sent), watch.heard > 0);
        let progress = watch.from != self.last_version || lived >= LONG_WATCH;
        match error {
            // The same version would bring the same line.
            Some(error) if error.code() == ErrorCode::Decode => self.back_off(error, Then::List, now),
            // Ended by its timeout, or broken off after a life: go on from where it was, at once.
            _ if progress => self.watch(now),
            // Broken off at once: the server is not well. It has said nothing about the version.
            Some(error) if lived < VERY_SHORT_WATCH && !heard => self.back_off(error, Then::Watch, now),
            // Ended cleanly at once and without an event: it may be its way to say that the version is gone.
            None if lived < VERY_SHORT_WATCH && !heard => {
                self.give_up_version("the watch ended within a second, without an event", now)
            }
            _ if self.idle_watches >= IDLE_WATCHES => {
                self.give_up_version("watch after watch ended without anything new", now)
            }
            _ => {
                self.idle_watches += 1;
                self.watch(now)
            }
        }
    }

    fn give_up_version(&mut self, why: &str, now: Duration) -> Step<T> {
        self.idle_watches = 0;
        self.back_off(InformerError::new(ErrorCode::Internal, why), Then::List, now)
    }

    fn back_off(&mut self, error: InformerError, then: Then, now: Duration) -> Step<T> {
        let until = now + self.backoff.wait(error.retry_after());
        self.state = State::Waiting { until, then };
        self.last_error = Some(error.clone());
        Step { report: Some(error), ..Step::command(Command::Wait) }
    }
}

/// A watch that lived so long has done its work, even if nothing happened meanwhile.
const LONG_WATCH: Duration = Duration::from_secs(60);

/// So many shorter ones in a row without progress, and the version is not trusted any more (WAT-28).
const IDLE_WATCHES: u32 = 5;

/// What a server may be late with ending a watch.
const GRACE: Duration = Duration::from_secs(10);
