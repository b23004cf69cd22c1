//! Quiet points: once faults are lifted and time has passed, every cache must equal the server's state.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use informer::{Freshness, InformerStatus, NAMESPACE_INDEX, Phase};

use crate::actors::{EARLY_INDEX, LATE_INDEX};
use crate::chronicle::State;
use crate::connection::Connection;
use crate::delivered::state_of;
use crate::handlers::Subject;
use crate::pages::{ENGINE, Page};
use crate::scope::NAMESPACES;
use crate::server::Line;
use crate::store::{Key, Pod};
use crate::traffic::Traffic;
use crate::world::World;

/// The longest time to recover: the last wait of a backoff, a half-open watch, and one from a version of the future.
const RECOVERY: Duration = Duration::from_secs(8 * 60);

/// The same when a server may have asked for a pause of five minutes, or bookmarks were missing: then a watch may be
/// silent for ten.
const SLOW_RECOVERY: Duration = Duration::from_secs(20 * 60);

/// Maximum age of a state shown as live, and maximum time for which an informer may trust a server after a failure: a
/// half-open watch is found after 90 s of silence, the watch that resumes it may be one from a future version, which takes
/// another 90 s, and events of a slow line are some more seconds late.
const STALE_AFTER: Duration = Duration::from_secs(240);

/// Maximum time after a restore for which the earlier state may be shown as live: a half-open watch is found after 90 s of
/// silence. Then, as after every outage, a probe precedes the watch; but not after a pause of a minute that the server
/// requested itself.
const RESTORED_AFTER: Duration = Duration::from_secs(160);

/// The same without bookmarks: 600 s of silence each.
const STALE_AFTER_WITHOUT_BOOKMARKS: Duration = Duration::from_secs(1_300);

/// Difference between the state of a subscriber and the pods of the server.
pub(crate) fn differs<'a>(known: &BTreeMap<Key, State>, pods: impl Iterator<Item = &'a Rc<Pod>>) -> Option<String> {
    let expected: BTreeMap<Key, State> =
        pods.map(|pod| (pod.key, State { uid: pod.uid, version: pod.version })).collect();
    let keys: BTreeSet<&Key> = known.keys().chain(expected.keys()).collect();
    let key = keys.into_iter().find(|key| known.get(key) != expected.get(key))?;
    Some(format!("has {key} as {:?}, but it is {:?}", known.get(key), expected.get(key)))
}

pub(crate) fn cached(subject: &Subject) -> BTreeMap<Key, State> {
    subject.informer.indexer().list().filter_map(|object| state_of(object)).collect()
}

/// Whether it sends no requests for long: it failed, or it polls.
pub(crate) fn wants_waking(status: &InformerStatus) -> bool {
    status.phase == Phase::Failed || (status.freshness == Freshness::Polling && status.phase == Phase::Reconnecting)
}

impl World {
    /// Waits until all clients agree with the server, and fails with the difference otherwise.
    pub(crate) fn quiet(&mut self) {
        self.server.note(|| "quiet: faults are lifted".to_owned());
        self.server.lift_faults();
        self.touch_mangled();
        self.registry.resume(None);
        self.pages.values_mut().for_each(Page::take_all);
        let slow = {
            let may = &self.server.state.borrow().may;
            may.miss_bookmarks || may.pause_long
        };
        let recovery = if slow { SLOW_RECOVERY } else { RECOVERY };
        let deadline = self.now() + recovery;
        loop {
            self.settle();
            if self.failed() {
                return;
            }
            self.wake_failed();
            self.settle();
            let Some(diverged) = self.diverged() else {
                // In agreement, and still so after the data in flight has arrived.
                self.pass(Duration::from_secs(1));
                if self.diverged().is_none() {
                    return;
                }
                continue;
            };
            let Some(due) = self.next_due().filter(|due| *due <= deadline) else {
                self.server.fail(|| format!("not recovered after {recovery:?}: {diverged}"));
                return;
            };
            self.jump(due);
        }
    }

    /// Retries informers that failed or poll, as a user does with the button.
    fn wake_failed(&mut self) {
        for subject in self.subjects() {
            if wants_waking(&subject.informer.status()) {
                subject.informer.wake();
                self.excuse(subject.line.0, subject.line.1);
            }
        }
        let woken: Vec<_> = self.pages.values_mut().flat_map(Page::wake_failed).collect();
        for scope in woken {
            self.excuse(ENGINE, scope);
        }
    }

    /// An event that could not be decoded is repeated.
    fn touch_mangled(&mut self) {
        let mangled = std::mem::take(&mut self.server.state.borrow_mut().mangled);
        let keys: BTreeSet<Key> = mangled.into_iter().map(|(_, key)| key).collect();
        for key in keys {
            self.server.note(|| format!("{key} is touched, because news of it could not be read"));
            self.server.write(|store, now| {
                let there = store.pods().contains_key(&key);
                if !there {
                    store.put(key, false, 1, now);
                }
                // Into and out of the label selector, in whichever order.
                store.put(key, true, 1, now);
                if there {
                    store.put(key, true, 1, now);
                } else {
                    store.delete(key, 1, now);
                }
            });
        }
    }

    /// Returns a difference between a client and the server.
    fn diverged(&mut self) -> Option<String> {
        for subject in self.subjects() {
            if let Some(why) = self.subject_diverged(&subject) {
                return Some(format!("informer {} {}: {why}", subject.line.0, subject.line.1));
            }
        }
        let mut diverged = None;
        let state = self.server.state.borrow();
        self.registry.all(|slot| {
            let (subject, told) = (&slot.subject, slot.told.borrow());
            if diverged.is_some() || told.removed || !subject.started.get() || subject.stopped.get() {
                return;
            }
            let pods = state.store.pods().values().filter(|pod| subject.line.1.matches(pod));
            diverged = differs(&told.states(), pods).map(|why| format!("a handler of {} {why}", subject.line.1));
            if !told.synced || !slot.registration.has_synced() {
                diverged = Some(format!("a handler of {} never received synced", subject.line.1));
            }
        });
        drop(state);
        diverged.or_else(|| {
            self.pages.values_mut().find_map(|page| {
                page.hear();
                page.diverged()
            })
        })
    }

    fn subject_diverged(&self, subject: &Subject) -> Option<String> {
        let status = subject.informer.status();
        if status.freshness != Freshness::Live || status.phase != Phase::Watching || status.last_error.is_some() {
            return Some(format!("is {:?} and {:?}, {:?}", status.phase, status.freshness, status.last_error));
        }
        if !status.has_synced || status.queue_depth > 0 {
            return Some(format!("has not synced, {} entries are queued", status.queue_depth));
        }
        let state = self.server.state.borrow();
        let pods = || state.store.pods().values().filter(|pod| subject.line.1.matches(pod));
        if let Some(why) = differs(&cached(subject), pods()) {
            return Some(why);
        }
        let indexer = subject.informer.indexer();
        for (index, name) in NAMESPACES.iter().enumerate() {
            let inside = pods().filter(|pod| usize::from(pod.key.namespace) == index);
            let mut expected: Vec<String> = inside.map(|pod| pod.key.to_string()).collect();
            expected.sort_unstable();
            let keys = indexer.index_keys(NAMESPACE_INDEX, name).unwrap_or_default();
            if keys != expected {
                return Some(format!("the namespace index finds {keys:?} in {name:?}, not {expected:?}"));
            }
        }
        let expected: BTreeSet<String> = pods().map(|pod| pod.version.to_string()).collect();
        for index in [EARLY_INDEX, LATE_INDEX] {
            if let Ok(values) = indexer.list_index_func_values(index)
                && !values.iter().eq(expected.iter())
            {
                return Some(format!("the {index} index has versions {values:?}, not {expected:?}"));
            }
        }
        None
    }

    /// A busy watch that falls silent is found long before a bookmark is late.
    pub(crate) fn check_busy(&self) {
        let now = self.now();
        let state = self.server.state.borrow();
        let held = |connection: &&Rc<RefCell<Connection>>| connection.borrow().let_go_by.is_some_and(|by| by < now);
        let held = state.open.values().find(held).map(|connection| connection.borrow().name());
        drop(state);
        if let Some(name) = held {
            self.server.fail(|| format!("{name} was busy and fell silent, and is still open"));
        }
    }

    /// Checks that a live state is not old.
    pub(crate) fn check_freshness(&self) {
        for subject in self.subjects() {
            let status = subject.informer.status();
            if status.phase == Phase::Stopped {
                self.server.fail(|| format!("informer {} stopped by itself", subject.line.1));
            }
            if status.freshness == Freshness::Live {
                if !status.has_synced {
                    self.server.fail(|| format!("{} {} is live and has not synced", subject.line.0, subject.line.1));
                }
                let known = cached(&subject);
                let keys: Vec<Key> = self.server.state.borrow().store.chronicle.keys().collect();
                for key in keys {
                    if status.queue_depth == 0 {
                        self.check_caught_up(subject.line, key, known.get(&key));
                    }
                    self.check_truth(subject.line, key, known.get(&key));
                }
            }
        }
        for (scope, key, state) in self.pages.values().flat_map(Page::live_rows) {
            self.check_truth((ENGINE, scope), key, Some(&state));
        }
    }

    /// After an outage, no state is live that is older than the newest version that the server then reported.
    fn check_caught_up(&self, line: Line, key: Key, known: Option<&State>) {
        let state = self.server.state.borrow();
        let Some(shown) = state.traffic.get(&line).and_then(Traffic::shown_at) else { return };
        let Some(since) = state.store.chronicle.outdated_since(key, line.1, known) else { return };
        let broken = |lines: &BTreeSet<(Line, Key)>| lines.contains(&(line, key));
        let excused = state.may.lie || broken(&state.mangled) || broken(&state.once_mangled);
        drop(state);
        if !excused && since < shown {
            self.server.fail(|| {
                format!(
                    "{} {} is live, but {key} is as it was before {since:?}: the server has shown at {shown:?} that it is further",
                    line.0, line.1
                )
            });
        }
    }

    fn check_truth(&self, line: Line, key: Key, known: Option<&State>) {
        let state = self.server.state.borrow();
        // A slow body, or a false bookmark, may take as long. `check_caught_up` has no such exception.
        let may = &state.may;
        let patient = may.miss_bookmarks || may.pause_long || may.lie;
        let bound = if patient { STALE_AFTER_WITHOUT_BOOKMARKS } else { STALE_AFTER };
        let trouble = state.traffic.get(&line).map_or(Duration::ZERO, |traffic| traffic.trouble);
        let started = state.traffic.get(&line).map_or(Duration::ZERO, |traffic| traffic.begun);
        let Some(since) = state.store.chronicle.outdated_since(key, line.1, known) else { return };
        let excused = state.mangled.contains(&(line, key));
        let of_another_life = !(patient || may.stall) && state.store.begun.is_some_and(|begun| since <= begun);
        let until = match state.store.begun {
            Some(begun) if of_another_life => begun.max(started) + RESTORED_AFTER,
            _ => since.max(trouble) + bound,
        };
        drop(state);
        if !excused && until < self.now() {
            self.server
                .fail(|| format!("{} {} is live, but {key} has its state from before {since:?}", line.0, line.1));
        }
    }
}
