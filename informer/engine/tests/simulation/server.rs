//! Simulated apiserver: receives requests and sends responses, with faults of every kind in between.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;

use crate::connection::{Connection, ConnectionEnd};
use crate::faults::{Fault, Faults, Kind, Schedule};
use crate::pod_history;
use crate::scope::Scope;
use crate::store::{Key, Pod, Store};
use crate::traffic::Traffic;

/// Source of requests: a client and a scope. The informers of one source run one after the other.
pub(crate) type RequestSource = (&'static str, Scope);

/// Properties of the server for a whole story.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traits {
    /// Whether it sends bookmarks each minute.
    pub(crate) bookmarks: bool,
    /// Whether it has no watch cache, and therefore pages lists at version "0".
    pub(crate) pages_at_zero: bool,
    /// Maximum size of a chunk; 0 for whole responses.
    pub(crate) chunk: usize,
    /// Maximum lag of a list without a required version, in versions.
    pub(crate) lag: u64,
}

pub(crate) struct Server {
    pub(crate) clock: VirtualClock,
    pub(crate) state: RefCell<State>,
}

pub(crate) struct State {
    pub(crate) store: Store,
    pub(crate) traits: Traits,
    pub(crate) faults: Faults,
    pub(crate) open: BTreeMap<u64, Rc<RefCell<Connection>>>,
    pub(crate) traffic: BTreeMap<RequestSource, Traffic>,
    /// Keys of undecodable events that a source received, without a later event.
    pub(crate) undecodable: BTreeSet<(RequestSource, Key)>,
    /// Keys of all undecodable events that a source ever received.
    pub(crate) ever_undecodable: BTreeSet<(RequestSource, Key)>,
    /// Keys for which a source received undecodable but identifiable objects: their number, and the last hidden state.
    /// Only for these the client may be behind.
    pub(crate) hidden: BTreeMap<(RequestSource, Key), (usize, pod_history::State)>,
    pub(crate) excuses: Excuses,
    /// Whether informers of the application merge changes by key, so that the version of a batch guarantees nothing.
    pub(crate) by_key: bool,
    /// Whether watches last less than a minute, and so are not trusted forever.
    pub(crate) short_watches: bool,
    /// Cluster identity that each client received last.
    sent_identities: BTreeMap<&'static str, u32>,
    /// Clients that received another identity.
    saw_replacement: BTreeSet<&'static str>,
    /// The version up to which watches are served while the server drains.
    pub(crate) draining: Option<u64>,
    unreachable_until: Duration,
    scheduled: Vec<(Duration, ScheduledEvent)>,
    next_connection: u64,
    seed: u64,
    pub(crate) log: Option<Vec<String>>,
    pub(crate) failure: Option<String>,
}

/// Past behaviour of the server that excuses clients.
#[expect(clippy::struct_excessive_bools, reason = "each excuses clients from something else")]
pub(crate) struct Excuses {
    /// Sent the same event twice.
    pub(crate) repeated_event: bool,
    /// Omitted bookmarks.
    pub(crate) missing_bookmarks: bool,
    /// Requested a pause longer than any wait of a client, or delayed a response for as long.
    pub(crate) long_pause: bool,
    /// Sent a false bookmark, or ended a watch on time with unsent events.
    pub(crate) false_progress: bool,
    /// Left a watch open and silent: a client may take that for a server that sends no bookmarks, and wait longer next
    /// time.
    pub(crate) silent_watch: bool,
}

/// Scheduled event of the whole server.
enum ScheduledEvent {
    EndOfDrain,
}

impl Server {
    pub(crate) fn new(clock: VirtualClock, store: Store, traits: Traits, seed: u64) -> Rc<Self> {
        let state = State {
            store,
            traits,
            faults: Faults::default(),
            open: BTreeMap::new(),
            traffic: BTreeMap::new(),
            undecodable: BTreeSet::new(),
            ever_undecodable: BTreeSet::new(),
            hidden: BTreeMap::new(),
            by_key: false,
            excuses: Excuses {
                repeated_event: false,
                missing_bookmarks: !traits.bookmarks,
                long_pause: false,
                false_progress: false,
                silent_watch: false,
            },
            short_watches: false,
            sent_identities: BTreeMap::new(),
            saw_replacement: BTreeSet::new(),
            draining: None,
            unreachable_until: Duration::ZERO,
            scheduled: Vec::new(),
            next_connection: 0,
            seed,
            log: None,
            failure: None,
        };
        Rc::new(Self { clock, state: RefCell::new(state) })
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Adds a line to the log, if there is one.
    pub(crate) fn note(&self, text: impl FnOnce() -> String) {
        let now = self.now();
        self.state.borrow_mut().note(now, text);
    }

    /// Records the failure of a check, if it is the first; the story ends with it.
    pub(crate) fn fail(&self, text: impl FnOnce() -> String) {
        self.state.borrow_mut().fail(self.now(), text);
    }

    /// Rewrites the history of the cluster: every watcher may have to list again.
    pub(crate) fn rewrite<R>(&self, rewrite: impl FnOnce(&mut Store, Duration) -> R) -> R {
        self.state.borrow_mut().traffic.values_mut().for_each(Traffic::record_failure);
        self.write(rewrite)
    }

    /// Changes the store, and notifies watches.
    pub(crate) fn write<R>(&self, write: impl FnOnce(&mut Store, Duration) -> R) -> R {
        let result = write(&mut self.state.borrow_mut().store, self.now());
        self.wake();
        result
    }

    fn wake(&self) {
        for connection in self.state.borrow().open.values() {
            connection.borrow_mut().wake();
        }
    }

    pub(crate) fn end_connections(&self, end: ConnectionEnd) {
        let state = &mut *self.state.borrow_mut();
        for connection in state.open.values() {
            // A clean end in the middle of the data, possibly at the regular end of the watch.
            state.excuses.false_progress |= end == ConnectionEnd::End && connection.borrow().has_unread();
            state.excuses.silent_watch |= end == ConnectionEnd::Stall;
            connection.borrow_mut().command_end(end, self.clock.now());
            let source = connection.borrow().source;
            let traffic = state.traffic.entry(source).or_default();
            // After a few watches that end at once, a resource is polled until a watch sends a message.
            traffic.may_only_list |= connection.borrow().watch.is_some();
            traffic.disrupted_at = self.clock.now();
            traffic.record_failure();
        }
    }

    pub(crate) fn begin_fault(&self, schedule: Schedule) {
        let state = &mut *self.state.borrow_mut();
        state.excuses.repeated_event |= schedule.fault == Fault::Duplicate;
        state.excuses.missing_bookmarks |= schedule.fault == Fault::DropBookmarks;
        state.excuses.false_progress |= matches!(schedule.fault, Fault::NothingNew | Fault::Silence);
        state.excuses.silent_watch |= matches!(schedule.fault, Fault::Stall(_));
        // A page that keeps arriving may take ten minutes at most.
        state.excuses.long_pause |= matches!(schedule.fault, Fault::Status(_, 60..) | Fault::Slow(_));
        state.faults.add(schedule, self.now());
    }

    /// Ends all faults; connections that hang keep hanging.
    pub(crate) fn lift_faults(&self) {
        let mut state = self.state.borrow_mut();
        state.faults.lift();
        state.unreachable_until = Duration::ZERO;
        let drains = state.draining.is_some();
        drop(state);
        if drains {
            self.end_of_drain();
        }
    }

    /// Makes the apiserver unreachable for the proxy, for a while.
    pub(crate) fn make_unreachable(&self, time: Duration) {
        let until = self.now() + time;
        let mut state = self.state.borrow_mut();
        state.unreachable_until = state.unreachable_until.max(until);
    }

    /// Kills the server, and restarts it with an empty watch cache.
    pub(crate) fn restart(&self, away: Duration) {
        self.state.borrow_mut().draining = None;
        self.rewrite(|store, _| store.compact());
        self.end_connections(ConnectionEnd::Cut);
        self.make_unreachable(away);
    }

    /// Shuts the server down slowly: watches stay open with bookmarks but without events, then end cleanly.
    pub(crate) fn drain(&self, time: Duration) {
        self.make_unreachable(time);
        let until = self.now() + time;
        let mut state = self.state.borrow_mut();
        let version = state.store.version;
        state.draining.get_or_insert(version);
        state.scheduled.push((until, ScheduledEvent::EndOfDrain));
    }

    fn end_of_drain(&self) {
        if self.state.borrow_mut().draining.take().is_some() {
            self.end_connections(ConnectionEnd::End);
            self.rewrite(|store, _| store.compact());
        }
    }

    /// Time of the next event of the whole server.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.state.borrow().scheduled.iter().map(|(due, _)| *due).min()
    }

    /// Performs the due events.
    pub(crate) fn tick(&self) {
        let now = self.now();
        let due: Vec<_> = self.state.borrow_mut().scheduled.extract_if(.., |(due, _)| *due <= now).collect();
        for (_, ScheduledEvent::EndOfDrain) in due {
            self.end_of_drain();
        }
    }
}

impl State {
    pub(crate) fn fail(&mut self, now: Duration, text: impl FnOnce() -> String) {
        if self.failure.is_none() {
            let text = text();
            self.note(now, || format!("!! {text}"));
            self.failure = Some(text);
        }
    }

    pub(crate) fn note(&mut self, now: Duration, text: impl FnOnce() -> String) {
        if let Some(log) = &mut self.log {
            log.push(format!("{:>9.3}s  {}", now.as_secs_f64(), text()));
        }
    }

    /// Opens a connection with its own random numbers, so that it does not depend on other sources.
    pub(crate) fn connect(&mut self, source: RequestSource) -> (u64, Rc<RefCell<Connection>>) {
        self.next_connection += 1;
        let ordinal = self.traffic.entry(source).or_default().connections;
        let name = source.0.bytes().fold(u64::from(source.1.web), |sum, byte| sum * 31 + u64::from(byte));
        let scope = source.1.namespace.map_or(7, u64::from);
        let mixed = [self.seed, name, scope, ordinal]
            .iter()
            .fold(0_u64, |sum, part| (sum ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        let connection =
            Rc::new(RefCell::new(Connection::new(source, ordinal, Rng::with_seed(mixed), self.traits.chunk)));
        self.open.insert(self.next_connection, Rc::clone(&connection));
        (self.next_connection, connection)
    }

    /// Sends a client the cluster's identity, or rejects its request. Either may cause the client to list again.
    pub(crate) fn identify(&mut self, client: &'static str, now: Duration) -> Option<u32> {
        let uid = (!self.is_unreachable(now)).then_some(self.store.replaced);
        let before = uid.and_then(|uid| self.sent_identities.insert(client, uid));
        if uid != before {
            self.traffic
                .iter_mut()
                .filter(|(source, _)| source.0 == client)
                .for_each(|(_, traffic)| traffic.record_failure());
        }
        if before.is_some() && uid != before {
            self.traffic
                .iter_mut()
                .filter(|(source, _)| source.0 == client)
                .for_each(|(_, traffic)| traffic.identity_replaced(now));
            self.saw_replacement.insert(client);
        }
        self.note(now, || format!("   {client} requests the identity of the cluster: {uid:?}"));
        uid
    }

    /// Whether a client received the identity of another cluster, and may therefore have dropped everything.
    pub(crate) fn may_drop(&self, client: &str) -> bool {
        self.saw_replacement.contains(client)
    }

    pub(crate) fn is_unreachable(&self, now: Duration) -> bool {
        now < self.unreachable_until
    }

    /// Returns the fault of a request: an unreachable server first, then any other fault in force.
    pub(crate) fn request_fault(&mut self, source: RequestSource, kind: Kind, now: Duration) -> Option<Fault> {
        if self.is_unreachable(now) {
            self.traffic.entry(source).or_default().server_missed();
            return Some(if source.0 == "app" { Fault::Plain(500) } else { Fault::Refused });
        }
        self.faults.on_request(source, kind, now)
    }

    /// Returns the fault of an event or an item.
    pub(crate) fn event_fault(
        &mut self,
        source: RequestSource,
        now: Duration,
        is: impl Fn(Fault) -> bool,
    ) -> Option<Fault> {
        let fault = self.faults.on_event(source, now, is)?;
        let traffic = self.traffic.entry(source).or_default();
        traffic.record_failure();
        traffic.may_only_list |= matches!(fault, Fault::Garbage | Fault::Broken | Fault::Unreadable);
        Some(fault)
    }

    pub(crate) fn mark_undecodable(&mut self, source: RequestSource, key: Key) {
        self.undecodable.insert((source, key));
        self.ever_undecodable.insert((source, key));
    }

    /// Records that an undecodable but identifiable object was sent instead of this pod.
    pub(crate) fn hide(&mut self, source: RequestSource, pod: &Pod) {
        self.undecodable.insert((source, pod.key));
        let state = pod_history::State { uid: pod.uid, version: pod.version };
        let times = self.hidden.get(&(source, pod.key)).map_or(0, |(times, _)| *times);
        self.hidden.insert((source, pod.key), (times + 1, state));
    }

    /// Returns the number of times that a source may have fallen behind with a key.
    pub(crate) fn times_hidden(&self, source: RequestSource, key: Key) -> usize {
        self.hidden.get(&(source, key)).map_or(0, |(times, _)| *times)
    }
}
