//! Watch in the simulated server: history first, then live, with bookmarks, selectors and a time to end.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use crate::connection::{Connection, ConnectionEnd};
use crate::faults::Fault;
use crate::server::{Server, State};
use crate::store::{Change, Pod};
use crate::wire;

const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

/// Progress of a watch.
pub(crate) struct Watch {
    /// Position in the changes of this life of the cluster.
    pub(crate) cursor: usize,
    /// Version up to which events were sent; a watch from a future version sends none.
    pub(crate) version: u64,
    pub(crate) future: bool,
    /// Initial objects, before the end bookmark.
    pub(crate) initial: VecDeque<Rc<Pod>>,
    pub(crate) initial_end: bool,
    /// Whether it sends nothing, because of a fault.
    pub(crate) silent: bool,
    /// Number of events after which it ends.
    pub(crate) events_left: Option<u32>,
    pub(crate) opened: Duration,
    pub(crate) deadline: Duration,
    /// Number of bookmarks that were sent.
    pub(crate) bookmarks: u32,
}

impl Watch {
    /// Writes the due events to the connection. Returns the time of the next ones.
    pub(crate) fn send_due(&mut self, server: &Server, connection: &mut Connection) -> Duration {
        let now = server.now();
        let state = &mut *server.state.borrow_mut();
        if !self.silent {
            while let Some(pod) = self.initial.pop_front() {
                self.event("ADDED", &pod, pod.version, state, connection, now);
            }
            if std::mem::take(&mut self.initial_end)
                && self.events_left != Some(0)
                && state.event_fault(connection.source, now, |fault| fault == Fault::NoEndBookmark).is_none()
            {
                state.note(now, || format!("   {} initial end @{}", connection.name(), self.version));
                connection.send(wire::bookmark(self.version, true).as_bytes());
                connection.queue_initial_end(state.traffic.entry(connection.source).or_default().failures);
            }
        }
        if !self.silent && !self.future {
            self.changes(state, connection, now);
            // A watch that ends early has skipped the later events, so it has no version for a bookmark.
            if self.bookmark_due(state) <= now && self.events_left != Some(0) {
                self.bookmark(state, connection, now);
            }
        }
        if self.deadline <= now || self.events_left == Some(0) {
            connection.end(ConnectionEnd::End);
        }
        if self.silent || self.future { self.deadline } else { self.bookmark_due(state).min(self.deadline) }
    }

    fn changes(&mut self, state: &mut State, connection: &mut Connection, now: Duration) {
        let last = state.draining.unwrap_or(u64::MAX);
        while let Some(change) = state.store.changes.get(self.cursor).filter(|change| change.version <= last).cloned() {
            self.cursor += 1;
            self.version = change.version;
            let Change { version, before, after } = change;
            let scope = connection.source.1;
            let before = before.filter(|pod| scope.matches(pod));
            match (before, after.filter(|pod| scope.matches(pod))) {
                (None, None) => {}
                (None, Some(after)) => self.event("ADDED", &after, version, state, connection, now),
                (Some(_), Some(after)) => self.event("MODIFIED", &after, version, state, connection, now),
                (Some(before), None) => self.event("DELETED", &before, version, state, connection, now),
            }
        }
        if state.draining.is_none() {
            self.version = self.version.max(state.store.version);
        }
    }

    fn event(
        &mut self,
        kind: &str,
        pod: &Rc<Pod>,
        version: u64,
        state: &mut State,
        connection: &mut Connection,
        now: Duration,
    ) {
        if self.events_left == Some(0) {
            return;
        }
        self.events_left = self.events_left.map(|left| left - 1);
        let source = connection.source;
        let applies = |fault: Fault| !matches!(fault, Fault::DropBookmarks | Fault::NoEndBookmark);
        let fault = state.event_fault(source, now, applies);
        let description = || format!("   {} {kind} {} u{} @{version}", connection.name(), pod.key, pod.uid);
        state.note(now, || fault.map_or_else(description, |fault| format!("{}, but {fault:?}", description())));
        let text = wire::event(kind, pod, version);
        match fault {
            // A deletion of something broken cannot be applied: a relist finds it.
            Some(Fault::Broken) => {
                if kind != "DELETED" {
                    state.hide(source, pod);
                }
                let which = connection.rng.u64(..);
                return connection.send(wire::broken(&text, which).as_bytes());
            }
            Some(Fault::Unreadable) => {
                // Its object is unknown: a list must correct it.
                state.ever_undecodable.insert((source, pod.key));
                state.traffic.entry(source).or_default().lost_event = true;
                let which = connection.rng.u64(..);
                connection.send(wire::unreadable_event(kind, which).as_bytes());
                return;
            }
            // Its object is unknown: only a relist corrects it.
            Some(Fault::Garbage) => return connection.send(wire::GARBAGE),
            Some(Fault::Stray) => {
                state.traffic.entry(source).or_default().lost_event = true;
                connection.send(wire::STRAY.as_bytes());
            }
            Some(Fault::Duplicate) => connection.send(text.as_bytes()),
            Some(Fault::DelayEvents(ms)) => connection.pause(Duration::from_millis(ms)),
            _ => {}
        }
        connection.send(text.as_bytes());
        connection.record_event(now);
        state.traffic.entry(source).or_default().record_version(version, now);
    }

    /// Each minute, and, with a time to end, also two seconds and one second before it.
    fn bookmark_due(&self, state: &State) -> Duration {
        if !state.traits.bookmarks {
            return self.deadline;
        }
        let minutes = self.opened + BOOKMARK_EVERY * (self.bookmarks + 1);
        let last = self.deadline.saturating_sub(Duration::from_secs(2));
        minutes.min(if self.bookmarks < 1_000 { last.max(self.opened) } else { self.deadline })
    }

    fn bookmark(&mut self, state: &mut State, connection: &mut Connection, now: Duration) {
        let at_end = self.deadline.saturating_sub(Duration::from_secs(2)) <= now;
        self.bookmarks = if at_end { 1_000 } else { self.bookmarks + 1 };
        let source = connection.source;
        if state.event_fault(source, now, |fault| fault == Fault::DropBookmarks).is_some() {
            return;
        }
        state.note(now, || format!("   {} bookmark @{}", connection.name(), self.version));
        connection.send(wire::bookmark(self.version, false).as_bytes());
        state.traffic.entry(source).or_default().record_version(self.version, now);
    }
}
