//! History of the pods: every state that each pod had, in order and with times, which all results are compared with.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::scope::Scope;
use crate::store::{Key, Pod};

/// Number of versions of one life of the cluster.
pub(crate) const VERSIONS_PER_LIFE: u64 = 10_000;

/// State of a key from a time on: a pod, or none.
struct HistoryEntry {
    at: Duration,
    /// Version of the change that led to this state; 0 if no event reported it, so that only a relist can.
    version: u64,
    pod: Option<Rc<Pod>>,
}

/// State as it is delivered to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) uid: u32,
    pub(crate) version: u64,
}

#[derive(Default)]
pub(crate) struct PodHistory(BTreeMap<Key, Vec<HistoryEntry>>);

impl PodHistory {
    pub(crate) fn record(&mut self, key: Key, at: Duration, version: u64, pod: Option<&Rc<Pod>>) {
        let entries = self.0.entry(key).or_default();
        // The first pods are older than every life of the cluster; all others were not there once.
        if entries.is_empty() && version >= VERSIONS_PER_LIFE {
            entries.push(HistoryEntry { at: Duration::ZERO, version: 0, pod: None });
        }
        let same = |a: &Rc<Pod>, b: &Rc<Pod>| a.uid == b.uid && a.version == b.version;
        let unchanged = entries.last().is_some_and(|last| match (&last.pod, pod) {
            (None, None) => true,
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        });
        if !unchanged {
            entries.push(HistoryEntry { at, version, pod: pod.cloned() });
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.keys().copied()
    }

    fn entries(&self, key: Key) -> &[HistoryEntry] {
        self.0.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Returns the first index, from `from` on, at which a client of `scope` could have received this state.
    pub(crate) fn find(&self, key: Key, scope: Scope, from: usize, state: &State) -> Option<usize> {
        self.entries(key)
            .iter()
            .skip(from)
            .position(|entry| matches_state(entry, scope, Some(state)))
            .map(|at| at + from)
    }

    /// Returns the first index, from `from` on, at which the key was missing in `scope`.
    pub(crate) fn find_absence(&self, key: Key, scope: Scope, from: usize) -> Option<usize> {
        self.entries(key).iter().skip(from).position(|entry| pod_in_scope(entry, scope).is_none()).map(|at| at + from)
    }

    /// Returns the first index, from `from` on, of the deletion that an event of this version reported.
    pub(crate) fn find_deletion(&self, key: Key, scope: Scope, from: usize, version: u64) -> Option<usize> {
        let matches_state = |entry: &HistoryEntry| entry.version == version && pod_in_scope(entry, scope).is_none();
        self.entries(key).iter().skip(from).position(matches_state).map(|at| at + from)
    }

    /// Whether the state just before an index is `state` (or absence): no state was skipped in between.
    pub(crate) fn is_next(&self, key: Key, scope: Scope, state: Option<&State>, index: usize) -> bool {
        index
            .checked_sub(1)
            .and_then(|before| self.entries(key).get(before))
            .is_some_and(|entry| matches_state(entry, scope, state))
    }

    /// Whether, after `state` (or absence) was last true, something happened to the key up to a version of that
    /// version's own life.
    pub(crate) fn has_more(&self, key: Key, scope: Scope, state: Option<&State>, version: u64) -> bool {
        let Some(after) = self.latest(key, scope, state) else { return false };
        let entries = self.entries(key);
        let life = |version: u64| version / VERSIONS_PER_LIFE;
        let changed_in_life = |pair: &[HistoryEntry]| {
            let (before, now) = (pod_in_scope(&pair[0], scope), pod_in_scope(&pair[1], scope));
            let changed = match (before, now) {
                (Some(a), Some(b)) => !Rc::ptr_eq(a, b),
                (None, None) => false,
                _ => true,
            };
            changed && life(pair[1].version) == life(version) && pair[1].version <= version
        };
        entries.get(after..).is_some_and(|rest| rest.windows(2).any(changed_in_life))
    }

    /// Returns the time since which `state` (or absence) is outdated; `None` if it is current, `Some(ZERO)` if it never
    /// was.
    pub(crate) fn outdated_since(&self, key: Key, scope: Scope, state: Option<&State>) -> Option<Duration> {
        let entries = self.entries(key);
        if entries.is_empty() {
            return state.map(|_| Duration::ZERO);
        }
        match self.latest(key, scope, state) {
            Some(last) => entries.get(last + 1).map(|next| next.at),
            None => Some(Duration::ZERO),
        }
    }

    /// Returns the last index at which `state` (or absence) was true.
    fn latest(&self, key: Key, scope: Scope, state: Option<&State>) -> Option<usize> {
        self.entries(key).iter().rposition(|entry| matches_state(entry, scope, state))
    }
}

fn matches_state(entry: &HistoryEntry, scope: Scope, state: Option<&State>) -> bool {
    match (pod_in_scope(entry, scope), state) {
        (None, None) => true,
        (Some(pod), Some(state)) => (pod.uid, pod.version) == (state.uid, state.version),
        _ => false,
    }
}

fn pod_in_scope(entry: &HistoryEntry, scope: Scope) -> Option<&Rc<Pod>> {
    entry.pod.as_ref().filter(|pod| scope.matches(pod))
}
