//! Simulated apiserver: receives requests and sends responses, with faults of every kind in between.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;

use crate::chronicle;
use crate::connection::{Connection, Order};
use crate::faults::{Fault, Faults, Kind, Schedule};
use crate::scope::Scope;
use crate::store::{Key, Pod, Store};
use crate::traffic::Traffic;

/// Client and scope: requests of one line come from one informer after the other.
pub(crate) type Line = (&'static str, Scope);

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
    pub(crate) traffic: BTreeMap<Line, Traffic>,
    /// Keys of undecodable events on a line, without a later event.
    pub(crate) mangled: BTreeSet<(Line, Key)>,
    /// The same, forever.
    pub(crate) once_mangled: BTreeSet<(Line, Key)>,
    /// Keys for which a line received undecodable but identifiable objects: their number, and the last hidden state. Only
    /// for these the client may be behind.
    pub(crate) hidden: BTreeMap<(Line, Key), (usize, chronicle::State)>,
    pub(crate) may: May,
    /// Whether informers of the application merge changes by key, so that the version of a batch guarantees nothing.
    pub(crate) by_key: bool,
    /// Whether watches last less than a minute, and so are not trusted forever.
    pub(crate) short_watches: bool,
    /// Cluster identity that each client received last.
    identified: BTreeMap<&'static str, u32>,
    /// Clients that received another identity.
    dropped: BTreeSet<&'static str>,
    /// The version up to which watches are served while the server drains.
    pub(crate) draining: Option<u64>,
    away_until: Duration,
    later: Vec<(Duration, Later)>,
    next_connection: u64,
    seed: u64,
    pub(crate) log: Option<Vec<String>>,
    pub(crate) failure: Option<String>,
}

/// Events of the server so far that excuse clients.
#[expect(clippy::struct_excessive_bools, reason = "each excuses clients from something else")]
pub(crate) struct May {
    /// Delivered the same event twice.
    pub(crate) repeat: bool,
    /// Left out bookmarks.
    pub(crate) miss_bookmarks: bool,
    /// Requested a pause longer than any wait of a client, or delayed a response for as long.
    pub(crate) pause_long: bool,
    /// Sent a false bookmark, or ended a watch on time with unsent events.
    pub(crate) lie: bool,
    /// Left a watch open and silent: a client may take that for a server that sends no bookmarks, and wait longer next time.
    pub(crate) stall: bool,
}

/// Later event of the whole server.
enum Later {
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
            mangled: BTreeSet::new(),
            once_mangled: BTreeSet::new(),
            hidden: BTreeMap::new(),
            by_key: false,
            may: May { repeat: false, miss_bookmarks: !traits.bookmarks, pause_long: false, lie: false, stall: false },
            short_watches: false,
            identified: BTreeMap::new(),
            dropped: BTreeSet::new(),
            draining: None,
            away_until: Duration::ZERO,
            later: Vec::new(),
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

    /// A line of the story, if it is recorded.
    pub(crate) fn note(&self, text: impl FnOnce() -> String) {
        let now = self.now();
        self.state.borrow_mut().note(now, text);
    }

    /// The first thing that is not as it must be; the story ends with it.
    pub(crate) fn fail(&self, text: impl FnOnce() -> String) {
        self.state.borrow_mut().fail(self.now(), text);
    }

    /// Rewrites the history of the cluster: every watcher may have to list again.
    pub(crate) fn rewrite<R>(&self, rewrite: impl FnOnce(&mut Store, Duration) -> R) -> R {
        self.state.borrow_mut().traffic.values_mut().for_each(Traffic::wrong);
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

    pub(crate) fn order(&self, order: Order) {
        let state = &mut *self.state.borrow_mut();
        for connection in state.open.values() {
            // A clean end in the middle of the data, possibly at the regular end of the watch.
            state.may.lie |= order == Order::End && connection.borrow().has_unread();
            state.may.stall |= order == Order::Stall;
            connection.borrow_mut().order(order, self.clock.now());
            let line = connection.borrow().line;
            let traffic = state.traffic.entry(line).or_default();
            // After a few watches that end at once, a resource is polled until a watch sends a message.
            traffic.may_only_list |= connection.borrow().watch.is_some();
            traffic.trouble = self.clock.now();
            traffic.wrong();
        }
    }

    pub(crate) fn begin_fault(&self, schedule: Schedule) {
        let state = &mut *self.state.borrow_mut();
        state.may.repeat |= schedule.fault == Fault::Duplicate;
        state.may.miss_bookmarks |= schedule.fault == Fault::DropBookmarks;
        state.may.lie |= matches!(schedule.fault, Fault::NothingNew | Fault::Silence);
        state.may.stall |= matches!(schedule.fault, Fault::Stall(_));
        // A page that keeps arriving may take ten minutes at most.
        state.may.pause_long |= matches!(schedule.fault, Fault::Status(_, 60..) | Fault::Slow(_));
        state.faults.add(schedule, self.now());
    }

    /// Ends all faults; connections that hang keep hanging.
    pub(crate) fn lift_faults(&self) {
        let mut state = self.state.borrow_mut();
        state.faults.lift();
        state.away_until = Duration::ZERO;
        let drains = state.draining.is_some();
        drop(state);
        if drains {
            self.end_of_drain();
        }
    }

    /// The proxy cannot reach the apiserver for a while.
    pub(crate) fn away(&self, time: Duration) {
        let until = self.now() + time;
        let mut state = self.state.borrow_mut();
        state.away_until = state.away_until.max(until);
    }

    /// Killed, and back with an empty watch cache.
    pub(crate) fn restart(&self, away: Duration) {
        self.state.borrow_mut().draining = None;
        self.rewrite(|store, _| store.compact());
        self.order(Order::Cut);
        self.away(away);
    }

    /// A slow shutdown: watches stay open with bookmarks but without events, then end cleanly.
    pub(crate) fn drain(&self, time: Duration) {
        self.away(time);
        let until = self.now() + time;
        let mut state = self.state.borrow_mut();
        let version = state.store.version;
        state.draining.get_or_insert(version);
        state.later.push((until, Later::EndOfDrain));
    }

    fn end_of_drain(&self) {
        if self.state.borrow_mut().draining.take().is_some() {
            self.order(Order::End);
            self.rewrite(|store, _| store.compact());
        }
    }

    /// Time of the next event of the whole server.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.state.borrow().later.iter().map(|(due, _)| *due).min()
    }

    /// Performs the due events.
    pub(crate) fn tick(&self) {
        let now = self.now();
        let due: Vec<_> = self.state.borrow_mut().later.extract_if(.., |(due, _)| *due <= now).collect();
        for (_, Later::EndOfDrain) in due {
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

    /// Opens a connection with its own random numbers, so that it does not depend on other lines.
    pub(crate) fn connect(&mut self, line: Line) -> (u64, Rc<RefCell<Connection>>) {
        self.next_connection += 1;
        let ordinal = self.traffic.entry(line).or_default().connections;
        let name = line.0.bytes().fold(u64::from(line.1.web), |sum, byte| sum * 31 + u64::from(byte));
        let scope = line.1.namespace.map_or(7, u64::from);
        let mixed = [self.seed, name, scope, ordinal]
            .iter()
            .fold(0_u64, |sum, part| (sum ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
        let connection =
            Rc::new(RefCell::new(Connection::new(line, ordinal, Rng::with_seed(mixed), self.traits.chunk)));
        self.open.insert(self.next_connection, Rc::clone(&connection));
        (self.next_connection, connection)
    }

    /// Sends a client the cluster's identity, or rejects its request. Either may cause the client to list again.
    pub(crate) fn identify(&mut self, client: &'static str, now: Duration) -> Option<u32> {
        let uid = (!self.is_away(now)).then_some(self.store.replaced);
        let before = uid.and_then(|uid| self.identified.insert(client, uid));
        if uid != before {
            self.traffic.iter_mut().filter(|(line, _)| line.0 == client).for_each(|(_, traffic)| traffic.wrong());
        }
        if before.is_some() && uid != before {
            self.traffic.iter_mut().filter(|(line, _)| line.0 == client).for_each(|(_, traffic)| traffic.replace(now));
            self.dropped.insert(client);
        }
        self.note(now, || format!("   {client} asks which cluster it is: {uid:?}"));
        uid
    }

    /// Whether a client learned of another cluster, and may therefore have dropped everything.
    pub(crate) fn may_drop(&self, client: &str) -> bool {
        self.dropped.contains(client)
    }

    pub(crate) fn is_away(&self, now: Duration) -> bool {
        now < self.away_until
    }

    /// Returns the fault of a request: an absent server first, then any other fault in force.
    pub(crate) fn strike(&mut self, line: Line, kind: Kind, now: Duration) -> Option<Fault> {
        if self.is_away(now) {
            self.traffic.entry(line).or_default().lose_server();
            return Some(if line.0 == "app" { Fault::Plain(500) } else { Fault::Refused });
        }
        self.faults.on_request(line, kind, now)
    }

    /// Returns the fault of an event or an item.
    pub(crate) fn befall(&mut self, line: Line, now: Duration, is: impl Fn(Fault) -> bool) -> Option<Fault> {
        let fault = self.faults.on_event(line, now, is)?;
        let traffic = self.traffic.entry(line).or_default();
        traffic.wrong();
        traffic.may_only_list |= matches!(fault, Fault::Garbage | Fault::Broken | Fault::Unreadable);
        Some(fault)
    }

    pub(crate) fn mangle(&mut self, line: Line, key: Key) {
        self.mangled.insert((line, key));
        self.once_mangled.insert((line, key));
    }

    /// Records that an undecodable but identifiable object was sent instead of this pod.
    pub(crate) fn hide(&mut self, line: Line, pod: &Pod) {
        self.mangled.insert((line, pod.key));
        let state = chronicle::State { uid: pod.uid, version: pod.version };
        let times = self.hidden.get(&(line, pod.key)).map_or(0, |(times, _)| *times);
        self.hidden.insert((line, pod.key), (times + 1, state));
    }

    /// Number of times that a line may have fallen behind with a key.
    pub(crate) fn times_hidden(&self, line: Line, key: Key) -> usize {
        self.hidden.get(&(line, key)).map_or(0, |(times, _)| *times)
    }
}
