//! Chronicle: the true history of each pod, in order and with times, which every result is compared with.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::scope::Scope;
use crate::store::{Key, Pod};

/// Range of the versions of one life of the cluster.
pub(crate) const LIFE: u64 = 10_000;

/// One state of a key: a pod, or none.
struct Moment {
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
pub(crate) struct Chronicle(BTreeMap<Key, Vec<Moment>>);

impl Chronicle {
    pub(crate) fn note(&mut self, key: Key, at: Duration, version: u64, pod: Option<&Rc<Pod>>) {
        let moments = self.0.entry(key).or_default();
        // The first pods are older than every life of the cluster; all others were not there once.
        if moments.is_empty() && version >= LIFE {
            moments.push(Moment { at: Duration::ZERO, version: 0, pod: None });
        }
        let same = |a: &Rc<Pod>, b: &Rc<Pod>| a.uid == b.uid && a.version == b.version;
        let unchanged = moments.last().is_some_and(|last| match (&last.pod, pod) {
            (None, None) => true,
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        });
        if !unchanged {
            moments.push(Moment { at, version, pod: pod.cloned() });
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.keys().copied()
    }

    fn moments(&self, key: Key) -> &[Moment] {
        self.0.get(&key).map_or(&[], Vec::as_slice)
    }

    /// First place, from a place on, at which a client of `scope` could have received this state.
    pub(crate) fn find(&self, key: Key, scope: Scope, from: usize, state: &State) -> Option<usize> {
        self.moments(key).iter().skip(from).position(|moment| is(moment, scope, Some(state))).map(|at| at + from)
    }

    /// First place, from a place on, at which the key was missing in `scope`.
    pub(crate) fn find_absence(&self, key: Key, scope: Scope, from: usize) -> Option<usize> {
        self.moments(key).iter().skip(from).position(|moment| seen(moment, scope).is_none()).map(|at| at + from)
    }

    /// The same, by the deletion that an event of this version reported.
    pub(crate) fn find_deletion(&self, key: Key, scope: Scope, from: usize, version: u64) -> Option<usize> {
        let is = |moment: &Moment| moment.version == version && seen(moment, scope).is_none();
        self.moments(key).iter().skip(from).position(is).map(|at| at + from)
    }

    /// Whether the state just before a place is `state` (or absence): no state was skipped in between.
    pub(crate) fn is_next(&self, key: Key, scope: Scope, state: Option<&State>, place: usize) -> bool {
        place
            .checked_sub(1)
            .and_then(|before| self.moments(key).get(before))
            .is_some_and(|moment| is(moment, scope, state))
    }

    /// Whether, after `state` (or absence) was last true, something happened to the key up to a version of that
    /// version's own life.
    pub(crate) fn has_more(&self, key: Key, scope: Scope, state: Option<&State>, version: u64) -> bool {
        let Some(after) = self.latest(key, scope, state) else { return false };
        let moments = self.moments(key);
        let life = |version: u64| version / LIFE;
        let news = |pair: &[Moment]| {
            let (before, now) = (seen(&pair[0], scope), seen(&pair[1], scope));
            let changed = match (before, now) {
                (Some(a), Some(b)) => !Rc::ptr_eq(a, b),
                (None, None) => false,
                _ => true,
            };
            changed && life(pair[1].version) == life(version) && pair[1].version <= version
        };
        moments.get(after..).is_some_and(|rest| rest.windows(2).any(news))
    }

    /// Since when `state` (or absence) has not been true any more; `None` when it is true now, `Some(ZERO)` when it
    /// never was.
    pub(crate) fn outdated_since(&self, key: Key, scope: Scope, state: Option<&State>) -> Option<Duration> {
        let moments = self.moments(key);
        if moments.is_empty() {
            return state.map(|_| Duration::ZERO);
        }
        match self.latest(key, scope, state) {
            Some(last) => moments.get(last + 1).map(|next| next.at),
            None => Some(Duration::ZERO),
        }
    }

    /// Last place at which `state` (or absence) was true.
    fn latest(&self, key: Key, scope: Scope, state: Option<&State>) -> Option<usize> {
        self.moments(key).iter().rposition(|moment| is(moment, scope, state))
    }
}

fn is(moment: &Moment, scope: Scope, state: Option<&State>) -> bool {
    match (seen(moment, scope), state) {
        (None, None) => true,
        (Some(pod), Some(state)) => (pod.uid, pod.version) == (state.uid, state.version),
        _ => false,
    }
}

fn seen(moment: &Moment, scope: Scope) -> Option<&Rc<Pod>> {
    moment.pod.as_ref().filter(|pod| scope.matches(pod))
}
