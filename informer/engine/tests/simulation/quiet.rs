//! Quiet points: once faults are lifted and time has passed, every cache must equal the server's state.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use informer::{Freshness, InformerStatus, NAMESPACE_INDEX, Phase};

use crate::actors::{EARLY_INDEX, LATE_INDEX};
use crate::connection::Connection;
use crate::delivered::state_of;
use crate::handlers::Subject;
use crate::pages::{ENGINE, Page};
use crate::pod_history::State;
use crate::scope::NAMESPACES;
use crate::server::RequestSource;
use crate::store::{Key, Pod};
use crate::traffic::Traffic;
use crate::world::World;

/// Maximum time to recover: the last wait of a backoff, a half-open watch, and one from a version of the future.
const RECOVERY: Duration = Duration::from_secs(8 * 60);

/// Maximum time to recover if a server may have requested a pause of five minutes, or bookmarks were missing: then a
/// watch may be silent for ten minutes.
const SLOW_RECOVERY: Duration = Duration::from_secs(20 * 60);

/// Maximum age of a state shown as live, and maximum time for which an informer may trust a server after a failure: a
/// half-open watch is found after 90 s of silence, the watch that resumes it may be one from a future version, which
/// takes another 90 s, and events of a slow connection are some more seconds late.
const STALE_AFTER: Duration = Duration::from_secs(240);

/// Maximum time after a restore for which the earlier state may be shown as live: a half-open watch is found after 90 s
/// of silence. Then, as after every outage, a probe precedes the watch; but not after a pause of a minute that the
/// server requested itself.
const RESTORED_AFTER: Duration = Duration::from_secs(160);

/// `STALE_AFTER` without bookmarks: 600 s of silence each.
const STALE_AFTER_WITHOUT_BOOKMARKS: Duration = Duration::from_secs(1_300);

/// Returns the difference between the state of a subscriber and the pods of the server.
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
pub(crate) fn needs_wake(status: &InformerStatus) -> bool {
    status.phase == Phase::Failed || (status.freshness == Freshness::Polling && status.phase == Phase::Reconnecting)
}

impl World {
    /// Waits until all clients agree with the server, and fails with the difference otherwise.
    pub(crate) fn quiet(&mut self) {
        self.server.note(|| "quiet: faults are lifted".to_owned());
        self.server.lift_faults();
        self.update_undecodable();
        self.registry.resume(None);
        self.pages.values_mut().for_each(Page::acknowledge_all);
        let slow = {
            let excuses = &self.server.state.borrow().excuses;
            excuses.missing_bookmarks || excuses.long_pause
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
            if needs_wake(&subject.informer.status()) {
                subject.informer.wake();
                self.excuse(subject.source.0, subject.source.1);
            }
        }
        let woken: Vec<_> = self.pages.values_mut().flat_map(Page::wake_failed).collect();
        for scope in woken {
            self.excuse(ENGINE, scope);
        }
    }

    /// Changes each object whose event could not be decoded, so that clients receive another event.
    fn update_undecodable(&mut self) {
        let undecodable = std::mem::take(&mut self.server.state.borrow_mut().undecodable);
        let keys: BTreeSet<Key> = undecodable.into_iter().map(|(_, key)| key).collect();
        for key in keys {
            self.server.note(|| format!("{key} is touched, because news of it could not be read"));
            self.server.write(|store, now| {
                let exists = store.pods().contains_key(&key);
                if !exists {
                    store.put(key, false, 1, now);
                }
                // Into and out of the label selector, in whichever order.
                store.put(key, true, 1, now);
                if exists {
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
                return Some(format!("informer {} {}: {why}", subject.source.0, subject.source.1));
            }
        }
        let mut diverged = None;
        let state = self.server.state.borrow();
        self.registry.for_each_slot(|slot| {
            let (subject, delivered) = (&slot.subject, slot.delivered.borrow());
            if diverged.is_some() || delivered.removed || !subject.started.get() || subject.stopped.get() {
                return;
            }
            let pods = state.store.pods().values().filter(|pod| subject.source.1.matches(pod));
            diverged = differs(&delivered.states(), pods).map(|why| format!("a handler of {} {why}", subject.source.1));
            if !delivered.synced || !slot.registration.has_synced() {
                diverged = Some(format!("a handler of {} never received synced", subject.source.1));
            }
        });
        drop(state);
        diverged.or_else(|| {
            self.pages.values_mut().find_map(|page| {
                page.process_messages();
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
        let pods = || state.store.pods().values().filter(|pod| subject.source.1.matches(pod));
        if let Some(why) = differs(&cached(subject), pods()) {
            return Some(why);
        }
        let indexer = subject.informer.indexer();
        for (index, name) in NAMESPACES.iter().enumerate() {
            let in_namespace = pods().filter(|pod| usize::from(pod.key.namespace) == index);
            let mut expected: Vec<String> = in_namespace.map(|pod| pod.key.to_string()).collect();
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

    /// Checks that a busy watch that fell silent was closed, long before a bookmark is late.
    pub(crate) fn check_busy(&self) {
        let now = self.now();
        let state = self.server.state.borrow();
        let is_overdue =
            |connection: &&Rc<RefCell<Connection>>| connection.borrow().must_close_by.is_some_and(|by| by < now);
        let is_overdue = state.open.values().find(is_overdue).map(|connection| connection.borrow().name());
        drop(state);
        if let Some(name) = is_overdue {
            self.server.fail(|| format!("{name} was busy and fell silent, and is still open"));
        }
    }

    /// Checks that a live state is not old.
    pub(crate) fn check_freshness(&self) {
        for subject in self.subjects() {
            let status = subject.informer.status();
            if status.phase == Phase::Stopped {
                self.server.fail(|| format!("informer {} stopped by itself", subject.source.1));
            }
            if status.freshness == Freshness::Live {
                if !status.has_synced {
                    self.server
                        .fail(|| format!("{} {} is live and has not synced", subject.source.0, subject.source.1));
                }
                let known = cached(&subject);
                let keys: Vec<Key> = self.server.state.borrow().store.pod_history.keys().collect();
                for key in keys {
                    if status.queue_depth == 0 {
                        self.check_caught_up(subject.source, key, known.get(&key));
                    }
                    self.check_truth(subject.source, key, known.get(&key));
                }
            }
        }
        for (scope, key, state) in self.pages.values().flat_map(Page::live_rows) {
            self.check_truth((ENGINE, scope), key, Some(&state));
        }
    }

    /// Checks that after an outage no live state is older than the newest version that the server then reported.
    fn check_caught_up(&self, source: RequestSource, key: Key, known: Option<&State>) {
        let state = self.server.state.borrow();
        let Some(newest_sent_at) = state.traffic.get(&source).and_then(Traffic::newest_sent_at) else { return };
        let Some(since) = state.store.pod_history.outdated_since(key, source.1, known) else { return };
        let broken = |objects: &BTreeSet<(RequestSource, Key)>| objects.contains(&(source, key));
        let excused = state.excuses.false_progress || broken(&state.undecodable) || broken(&state.ever_undecodable);
        drop(state);
        if !excused && since < newest_sent_at {
            self.server.fail(|| {
                format!(
                    "{} {} is live, but {key} is as it was before {since:?}: the server has shown at {newest_sent_at:?} that it is further",
                    source.0, source.1
                )
            });
        }
    }

    /// Checks that no live state has been outdated for too long.
    fn check_truth(&self, source: RequestSource, key: Key, known: Option<&State>) {
        let state = self.server.state.borrow();
        // A slow body, or a false bookmark, may take as long. `check_caught_up` has no such exception.
        let excuses = &state.excuses;
        let patient = excuses.missing_bookmarks || excuses.long_pause || excuses.false_progress;
        let bound = if patient { STALE_AFTER_WITHOUT_BOOKMARKS } else { STALE_AFTER };
        let disrupted_at = state.traffic.get(&source).map_or(Duration::ZERO, |traffic| traffic.disrupted_at);
        let started = state.traffic.get(&source).map_or(Duration::ZERO, |traffic| traffic.started_at);
        let Some(since) = state.store.pod_history.outdated_since(key, source.1, known) else { return };
        let is_undecodable = state.undecodable.contains(&(source, key));
        let of_another_life =
            !(patient || excuses.silent_watch) && state.store.life_began.is_some_and(|life_began| since <= life_began);
        let until = match state.store.life_began {
            Some(life_began) if of_another_life => life_began.max(started) + RESTORED_AFTER,
            _ => since.max(disrupted_at) + bound,
        };
        drop(state);
        if !is_undecodable && until < self.now() {
            self.server
                .fail(|| format!("{} {} is live, but {key} has its state from before {since:?}", source.0, source.1));
        }
    }
}
