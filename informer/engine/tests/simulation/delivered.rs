//! Delivered changes of one handler, compared with the chronicle as they arrive.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use informer::{Change, Keyed, Object};

use crate::chronicle::{Chronicle, State};
use crate::pages::ENGINE;
use crate::resync::Resync;
use crate::scope::NAMESPACES;
use crate::server::{Line, Server};
use crate::store::Key;

/// A change in the words of the model.
pub(crate) struct News {
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

/// The account of one handler.
pub(crate) struct Delivered {
    pub(crate) line: Line,
    /// Per key: the delivered place in its chronicle, and the state of the handler.
    known: BTreeMap<Key, (usize, Option<State>)>,
    pub(crate) synced: bool,
    /// Cache at the time when it joined a synced informer: the handler must have received it before its own `synced`.
    pub(crate) joined: Option<BTreeMap<Key, State>>,
    /// Removed from outside, or from inside in an earlier batch: it must receive nothing further.
    pub(crate) removed: bool,
    /// Waiting changes may be merged, so states may be skipped.
    pub(crate) lossy: bool,
    pub(crate) resync: Resync,
    /// Number of times that it was behind with a key because of undecodable objects.
    behind: BTreeMap<Key, usize>,
}

/// The key of a pod by namespace and name.
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

impl News {
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
    pub(crate) fn new(line: Line) -> Self {
        Self {
            line,
            known: BTreeMap::new(),
            synced: false,
            joined: None,
            removed: false,
            lossy: false,
            resync: Resync::default(),
            behind: BTreeMap::new(),
        }
    }

    /// Joins an informer that has synced, with this in its cache.
    pub(crate) fn join<'a>(&mut self, cached: impl Iterator<Item = &'a Arc<Object>>) {
        self.joined = Some(cached.filter_map(|object| state_of(object)).collect());
    }

    /// State that it has of each key.
    pub(crate) fn states(&self) -> BTreeMap<Key, State> {
        let present = |(key, (_, state)): (&Key, &(usize, Option<State>))| Some((*key, state.clone()?));
        self.known.iter().filter_map(present).collect()
    }

    /// Takes a delivered change; an error has the reason why it is invalid. Only a relist may skip states.
    pub(crate) fn hear(&mut self, news: &News, relist: bool, server: &Server) -> Result<(), String> {
        let world = server.state.borrow();
        let News { key, state, kind } = news;
        let (line, chronicle) = (self.line, &world.store.chronicle);
        let (at, known) = self.known.get(key).cloned().unwrap_or((0, None));
        let excused = world.once_mangled.contains(&(line, *key));
        let told = format!("{key} {kind:?} u{} @{}", state.uid, state.version);
        if let Kind::Add { initial } = kind
            && *initial == self.synced
            && (*initial || !self.lossy)
        {
            return Err(format!("{told}: an initial addition after synced, or another one before it"));
        }
        if let Kind::Update { same: true, .. } = kind {
            let wanted = !self.resync.period.is_zero() && known.as_ref() == Some(state);
            return if wanted { Ok(()) } else { Err(format!("{told}: a resync that it did not ask for")) };
        }
        let hidden = world.times_hidden(line, *key);
        let place = match (&known, kind) {
            (None, Kind::Add { .. }) => find(chronicle, *key, line, at, state),
            (Some(known), Kind::Update { old, .. }) if known == old => {
                // The same state may be delivered again only if the server sent it again.
                let again = state == old && !world.may.repeat && !self.lossy;
                find(chronicle, *key, line, at, state).filter(|_| !again)
            }
            // An undecodable object may be deleted and added again unchanged. So may an object that the new one of two
            // clusters sent before its replacement was detected.
            (Some(known), Kind::Delete { unknown: true }) if known == state && (excused || world.may_drop(line.0)) => {
                Some(at)
            }
            (Some(known), Kind::Delete { unknown: true }) if known == state => {
                chronicle.find_absence(*key, line.1, at + 1)
            }
            // The same where changes before it were coalesced.
            (Some(_), Kind::Delete { unknown: true }) if self.lossy && (excused || world.may_drop(line.0)) => {
                find(chronicle, *key, line, at, state)
            }
            (Some(_), Kind::Delete { unknown: true }) if self.lossy => {
                find(chronicle, *key, line, at, state).and_then(|last| chronicle.find_absence(*key, line.1, last + 1))
            }
            (Some(known), Kind::Delete { unknown: false })
                if known.uid == state.uid || excused || hidden > 0 || self.lossy =>
            {
                chronicle.find_deletion(*key, line.1, at + 1, state.version)
            }
            _ => None,
        };
        let Some(place) = place else {
            return Err(format!("{told}, after {known:?} (place {at}), is not a state of the history"));
        };
        let again = known.as_ref() == Some(state) && !matches!(kind, Kind::Delete { .. });
        let told_before = self.known.contains_key(key) && !excused && !again;
        let may_skip = relist || self.lossy || !told_before;
        if !may_skip && !chronicle.is_next(*key, line.1, known.as_ref(), place) {
            // Once for each time that something broken hid a state.
            let behind = self.behind.entry(*key).or_default();
            *behind += 1;
            if *behind > hidden {
                return Err(format!("{told}, after {known:?}: a state between them was skipped"));
            }
        }
        let now = if matches!(kind, Kind::Delete { .. }) { None } else { Some(state.clone()) };
        self.learn(*key, place, now);
        Ok(())
    }

    /// Sets its state of a key.
    pub(crate) fn learn(&mut self, key: Key, place: usize, state: Option<State>) {
        self.known.insert(key, (place, state));
    }

    /// Checks the guarantee of a batch: with it, all changes up to its version have been delivered.
    pub(crate) fn hear_version(&self, version: &str, server: &Server) -> Result<(), String> {
        let world = server.state.borrow();
        // A part of the first list is not a state of the server, nor are the objects left after a release.
        if version.is_empty() && (!self.synced || (world.may_drop(self.line.0) && self.states().is_empty())) {
            return Ok(());
        }
        let version: u64 = version.parse().map_err(|_| format!("a batch at version {version:?}"))?;
        if world.by_key && self.line.0 != ENGINE {
            return Ok(());
        }
        let chronicle = &world.store.chronicle;
        let hidden = |key: Key| {
            let (_, state) = world.hidden.get(&(self.line, key))?;
            (!chronicle.has_more(key, self.line.1, Some(state), version)).then_some(())
        };
        let missed = chronicle.keys().find(|key| {
            let state = self.known.get(key).and_then(|(_, state)| state.as_ref());
            let excused = world.once_mangled.contains(&(self.line, *key));
            !excused && chronicle.has_more(*key, self.line.1, state, version) && hidden(*key).is_none()
        });
        missed.map_or(Ok(()), |key| Err(format!("a batch has version {version}, but {key} was not delivered")))
    }

    pub(crate) fn hear_synced(&mut self, now: Duration) -> Result<(), String> {
        self.begin_resyncs(now);

        if std::mem::replace(&mut self.synced, true) {
            return Err("synced twice".to_owned());
        }
        match self.joined.take() {
            Some(joined) if joined != self.states() && !self.lossy => {
                Err(format!("synced with {:?}, but {joined:?} was cached when it was added", self.states()))
            }
            _ => Ok(()),
        }
    }

    /// Whether the cached state of a key is not older than the state that the handler just received.
    pub(crate) fn is_shown(&self, key: Key, cached: Option<&State>, server: &Server) -> bool {
        let world = server.state.borrow();
        let chronicle = &world.store.chronicle;
        if world.once_mangled.contains(&(self.line, key)) {
            return true;
        }
        let at = self.known.get(&key).map_or(0, |(at, _)| *at);
        match cached {
            Some(state) => chronicle.find(key, self.line.1, at, state).is_some(),
            None => chronicle.find_absence(key, self.line.1, at).is_some(),
        }
    }
}

fn find(chronicle: &Chronicle, key: Key, line: Line, at: usize, state: &State) -> Option<usize> {
    chronicle.find(key, line.1, at, state)
}
