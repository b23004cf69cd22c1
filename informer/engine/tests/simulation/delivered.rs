//! Delivered changes of one handler, compared with the history of the pods as they arrive.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use informer::{Change, Keyed, Object};

use crate::pages::ENGINE;
use crate::pod_history::{PodHistory, State};
use crate::resync::Resync;
use crate::scope::NAMESPACES;
use crate::server::{RequestSource, Server};
use crate::store::Key;

/// Change as a handler received it.
pub(crate) struct Delivery {
    pub(crate) key: Key,
    pub(crate) state: State,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Add {
        initial: bool,
    },
    /// With the delivered previous state.
    Update {
        old: State,
        /// The same instance: a resync.
        same: bool,
    },
    Delete {
        unknown: bool,
    },
}

/// Changes that one handler received.
pub(crate) struct Delivered {
    pub(crate) source: RequestSource,
    /// Per key: the delivered index in its history, and the state of the handler.
    known: BTreeMap<Key, (usize, Option<State>)>,
    pub(crate) synced: bool,
    /// Cache at the time when it joined a synced informer: the handler must have received it before its own `synced`.
    pub(crate) cached_at_join: Option<BTreeMap<Key, State>>,
    /// Removed from outside, or from inside in an earlier batch: it must receive nothing further.
    pub(crate) removed: bool,
    /// Waiting changes may be merged, so states may be skipped.
    pub(crate) lossy: bool,
    pub(crate) resync: Resync,
    /// Number of times that it was behind with a key because of undecodable objects.
    times_behind: BTreeMap<Key, usize>,
}

/// Returns the key of a pod by namespace and name.
pub(crate) fn key_of(namespace: &str, name: &str) -> Option<Key> {
    let index = NAMESPACES.iter().position(|known| *known == namespace)?;
    let number = name.strip_prefix("pod-")?.parse().ok()?;
    Some(Key { namespace: u8::try_from(index).ok()?, number })
}

pub(crate) fn state_of(object: &Object) -> Option<(Key, State)> {
    let key = key_of(object.namespace(), object.name())?;
    let uid = object.uid().strip_prefix('u')?.parse().ok()?;
    Some((key, State { uid, version: object.resource_version().parse().ok()? }))
}

impl Delivery {
    pub(crate) fn of(change: &Change<Object>) -> Option<Self> {
        let (key, state) = state_of(change.object())?;
        let kind = match change {
            Change::Add { is_in_initial_list, .. } => Kind::Add { initial: *is_in_initial_list },
            Change::Update { old, new } => Kind::Update { old: state_of(old)?.1, same: Arc::ptr_eq(old, new) },
            Change::Delete { final_state_unknown, .. } => Kind::Delete { unknown: *final_state_unknown },
        };
        Some(Self { key, state, kind })
    }
}

impl Delivered {
    pub(crate) fn new(source: RequestSource) -> Self {
        Self {
            source,
            known: BTreeMap::new(),
            synced: false,
            cached_at_join: None,
            removed: false,
            lossy: false,
            resync: Resync::default(),
            times_behind: BTreeMap::new(),
        }
    }

    /// Joins an informer that has synced, with this in its cache.
    pub(crate) fn join<'a>(&mut self, cached: impl Iterator<Item = &'a Arc<Object>>) {
        self.cached_at_join = Some(cached.filter_map(|object| state_of(object)).collect());
    }

    /// Returns the state that it has of each key.
    pub(crate) fn states(&self) -> BTreeMap<Key, State> {
        let present = |(key, (_, state)): (&Key, &(usize, Option<State>))| Some((*key, state.clone()?));
        self.known.iter().filter_map(present).collect()
    }

    /// Checks a delivered change; an error has the reason why it is invalid. Only a relist may skip states.
    pub(crate) fn check_change(&mut self, delivery: &Delivery, relist: bool, server: &Server) -> Result<(), String> {
        let world = server.state.borrow();
        let Delivery { key, state, kind } = delivery;
        let (source, pod_history) = (self.source, &world.store.pod_history);
        let (at, known) = self.known.get(key).cloned().unwrap_or((0, None));
        let excused = world.ever_undecodable.contains(&(source, *key));
        let description = format!("{key} {kind:?} u{} @{}", state.uid, state.version);
        if let Kind::Add { initial } = kind
            && *initial == self.synced
            && (*initial || !self.lossy)
        {
            return Err(format!("{description}: an initial addition after synced, or another one before it"));
        }
        if let Kind::Update { same: true, .. } = kind {
            let wanted = !self.resync.period.is_zero() && known.as_ref() == Some(state);
            return if wanted { Ok(()) } else { Err(format!("{description}: a resync that it did not request")) };
        }
        let hidden = world.times_hidden(source, *key);
        let index = match (&known, kind) {
            (None, Kind::Add { .. }) => find(pod_history, *key, source, at, state),
            (Some(known), Kind::Update { old, .. }) if known == old => {
                // The same state may be delivered again only if the server sent it again.
                let again = state == old && !world.excuses.repeated_event && !self.lossy;
                find(pod_history, *key, source, at, state).filter(|_| !again)
            }
            // An undecodable object may be deleted and added again unchanged. So may an object that the new one of two
            // clusters sent before its replacement was detected.
            (Some(known), Kind::Delete { unknown: true })
                if known == state && (excused || world.may_drop(source.0)) =>
            {
                Some(at)
            }
            (Some(known), Kind::Delete { unknown: true }) if known == state => {
                pod_history.find_absence(*key, source.1, at + 1)
            }
            // The same where changes before it were coalesced.
            (Some(_), Kind::Delete { unknown: true }) if self.lossy && (excused || world.may_drop(source.0)) => {
                find(pod_history, *key, source, at, state)
            }
            (Some(_), Kind::Delete { unknown: true }) if self.lossy => find(pod_history, *key, source, at, state)
                .and_then(|last| pod_history.find_absence(*key, source.1, last + 1)),
            (Some(known), Kind::Delete { unknown: false })
                if known.uid == state.uid || excused || hidden > 0 || self.lossy =>
            {
                pod_history.find_deletion(*key, source.1, at + 1, state.version)
            }
            _ => None,
        };
        let Some(index) = index else {
            return Err(format!("{description}, after {known:?} (index {at}), is not a state of the history"));
        };
        let again = known.as_ref() == Some(state) && !matches!(kind, Kind::Delete { .. });
        let was_delivered = self.known.contains_key(key) && !excused && !again;
        let may_skip = relist || self.lossy || !was_delivered;
        if !may_skip && !pod_history.is_next(*key, source.1, known.as_ref(), index) {
            // Permitted once for each undecodable object, which hid a state.
            let times_behind = self.times_behind.entry(*key).or_default();
            *times_behind += 1;
            if *times_behind > hidden {
                return Err(format!("{description}, after {known:?}: a state between them was skipped"));
            }
        }
        let now = if matches!(kind, Kind::Delete { .. }) { None } else { Some(state.clone()) };
        self.set_known(*key, index, now);
        Ok(())
    }

    /// Sets its state of a key.
    pub(crate) fn set_known(&mut self, key: Key, index: usize, state: Option<State>) {
        self.known.insert(key, (index, state));
    }

    /// Checks the guarantee of a batch: with it, all changes up to its version have been delivered.
    pub(crate) fn check_version(&self, version: &str, server: &Server) -> Result<(), String> {
        let world = server.state.borrow();
        // A part of the first list is not a state of the server, nor are the objects left after a release.
        if version.is_empty() && (!self.synced || (world.may_drop(self.source.0) && self.states().is_empty())) {
            return Ok(());
        }
        let version: u64 = version.parse().map_err(|_| format!("a batch at version {version:?}"))?;
        if world.by_key && self.source.0 != ENGINE {
            return Ok(());
        }
        let pod_history = &world.store.pod_history;
        let hidden = |key: Key| {
            let (_, state) = world.hidden.get(&(self.source, key))?;
            (!pod_history.has_more(key, self.source.1, Some(state), version)).then_some(())
        };
        let missed = pod_history.keys().find(|key| {
            let state = self.known.get(key).and_then(|(_, state)| state.as_ref());
            let excused = world.ever_undecodable.contains(&(self.source, *key));
            !excused && pod_history.has_more(*key, self.source.1, state, version) && hidden(*key).is_none()
        });
        missed.map_or(Ok(()), |key| Err(format!("a batch has version {version}, but {key} was not delivered")))
    }

    pub(crate) fn check_synced(&mut self, now: Duration) -> Result<(), String> {
        self.begin_resyncs(now);

        if std::mem::replace(&mut self.synced, true) {
            return Err("synced twice".to_owned());
        }
        match self.cached_at_join.take() {
            Some(cached_at_join) if cached_at_join != self.states() && !self.lossy => {
                Err(format!("synced with {:?}, but {cached_at_join:?} was cached when it was added", self.states()))
            }
            _ => Ok(()),
        }
    }

    /// Whether the cached state of a key is not older than the state that the handler just received.
    pub(crate) fn is_cached(&self, key: Key, cached: Option<&State>, server: &Server) -> bool {
        let world = server.state.borrow();
        let pod_history = &world.store.pod_history;
        if world.ever_undecodable.contains(&(self.source, key)) {
            return true;
        }
        let at = self.known.get(&key).map_or(0, |(at, _)| *at);
        match cached {
            Some(state) => pod_history.find(key, self.source.1, at, state).is_some(),
            None => pod_history.find_absence(key, self.source.1, at).is_some(),
        }
    }
}

fn find(pod_history: &PodHistory, key: Key, source: RequestSource, at: usize, state: &State) -> Option<usize> {
    pod_history.find(key, source.1, at, state)
}
