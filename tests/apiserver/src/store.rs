//! Store: every resource, one revision counter, one lock.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::watch;

use crate::history::{Change, History, Verb};
use crate::kinds::{Kind, built_in, metrics_kinds};
use crate::object::Entry;
use crate::status::Status;
use crate::write::Origin;

/// Settings of the store.
#[derive(Debug, Clone)]
pub(crate) struct StoreOptions {
    /// Changes kept per resource.
    pub(crate) history: usize,
    /// Whether a kubelet is simulated: deleted pods then stay Terminating until it confirms.
    pub(crate) kubelet: bool,
    pub(crate) seed: u64,
    /// Whether metrics.k8s.io is served.
    pub(crate) metrics: bool,
}

/// The cluster's state.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) state: Mutex<State>,
    pub(crate) options: StoreOptions,
    /// Newest revision, for requests that wait for one.
    revision: watch::Sender<u64>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) revision: u64,
    resources: HashMap<String, Resource>,
    /// All kinds in the order of discovery.
    kinds: Vec<Arc<Kind>>,
    /// Resource and key of the objects of each owner UID.
    owned: HashMap<String, BTreeSet<(String, String)>>,
    pub(crate) random: fastrand::Rng,
}

#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) kind: Arc<Kind>,
    pub(crate) objects: BTreeMap<String, Arc<Entry>>,
    pub(crate) history: History,
    /// Wakes the watches of this resource.
    changed: watch::Sender<u64>,
}

/// Start of a watch.
pub(crate) struct Subscription {
    pub(crate) changed: watch::Receiver<u64>,
    pub(crate) cursor: u64,
    pub(crate) revision: u64,
    /// Objects at `revision`, if the watch begins with them.
    pub(crate) initial: Vec<Arc<Entry>>,
}

impl Store {
    pub(crate) fn new(options: StoreOptions) -> Self {
        let mut state = State {
            revision: 1,
            resources: HashMap::new(),
            kinds: Vec::new(),
            owned: HashMap::new(),
            random: fastrand::Rng::with_seed(options.seed),
        };
        let metrics = options.metrics.then(metrics_kinds).unwrap_or_default();
        for kind in built_in().into_iter().chain(metrics) {
            state.register(kind, options.history);
        }
        let store = Self { state: Mutex::new(state), options, revision: watch::Sender::new(1) };
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            let namespace = json!({"metadata": {"name": name}});
            // Cannot fail: the names are valid and new.
            let _ = store.create("namespaces", "", namespace, Origin::Client);
        }
        store
    }

    /// Returns the kinds that are served.
    pub(crate) fn kinds(&self) -> Vec<Arc<Kind>> {
        self.state.lock().kinds.clone()
    }

    /// Returns the kind of a URL; distinguishes an unknown group from an unknown resource.
    pub(crate) fn find_kind(&self, group: &str, version: &str, plural: &str) -> Result<Arc<Kind>, Status> {
        let state = self.state.lock();
        let mut in_version = state
            .kinds
            .iter()
            .filter(|kind| kind.group == group && kind.versions.iter().any(|served| served == version))
            .peekable();
        if in_version.peek().is_none() {
            // A version of an existing group; the core group always exists.
            let known = group.is_empty() || state.kinds.iter().any(|kind| kind.group == group);
            return Err(if known { Status::unknown_resource() } else { Status::unknown_path() });
        }
        in_version.find(|kind| kind.plural == plural).cloned().ok_or_else(Status::unknown_resource)
    }

    pub(crate) fn get(&self, kind: &Kind, key: &str) -> Result<Arc<Entry>, Status> {
        self.state.lock().get(&kind.id(), key)
    }

    /// Returns an object, if it exists.
    pub(crate) fn find(&self, id: &str, key: &str) -> Option<Arc<Entry>> {
        self.state.lock().get(id, key).ok()
    }

    pub(crate) fn revision(&self) -> u64 {
        *self.revision.borrow()
    }

    pub(crate) fn watch_revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// Returns the objects of a resource, now or at an older version (`Err` with the 410 if it has expired).
    pub(crate) fn snapshot(&self, id: &str, at: Option<u64>) -> Result<(BTreeMap<String, Arc<Entry>>, u64), Status> {
        let state = self.state.lock();
        let resource = state.resource(id)?;
        let mut objects = resource.objects.clone();
        let Some(revision) = at else { return Ok((objects, state.revision)) };
        if resource.history.rewind(&mut objects, revision) {
            Ok((objects, revision))
        } else {
            Err(Status::expired("The resourceVersion for the provided list is too old."))
        }
    }

    /// Returns the start of a watch: all objects, or the position in the history after a version.
    pub(crate) fn subscribe(&self, id: &str, from: Option<u64>) -> Result<Subscription, Status> {
        let state = self.state.lock();
        let resource = state.resource(id)?;
        let (cursor, initial) = match from {
            None => (resource.history.end(), resource.objects.values().cloned().collect()),
            Some(from) => match resource.history.resume(from) {
                Ok(cursor) => (cursor, Vec::new()),
                Err(oldest) => {
                    return Err(Status::expired(format!("too old resource version: {from} ({oldest})")));
                }
            },
        };
        Ok(Subscription { changed: resource.changed.subscribe(), cursor, revision: state.revision, initial })
    }

    /// Returns changes from `cursor` on and their revision; `None` if the watch has fallen behind too far.
    pub(crate) fn changes(&self, id: &str, cursor: u64, limit: usize) -> Option<(Vec<Arc<Change>>, u64)> {
        let state = self.state.lock();
        let changes = state.resources.get(id)?.history.read(cursor, limit)?;
        Some((changes, state.revision))
    }

    /// Drops the history: every older version gets a 410.
    pub(crate) fn compact(&self) {
        let mut state = self.state.lock();
        // Creates a new version: it must be usable, while all before it must not.
        state.revision += 1;
        let revision = state.revision;
        for resource in state.resources.values_mut() {
            resource.history.compact(revision);
        }
        // Under the lock: a later write must not be published before this one.
        self.publish(&state);
    }

    /// Notifies waiting requests, after a write.
    pub(crate) fn publish(&self, state: &State) {
        self.revision.send_replace(state.revision);
    }
}

impl State {
    pub(crate) fn resource(&self, id: &str) -> Result<&Resource, Status> {
        self.resources.get(id).ok_or_else(Status::unknown_resource)
    }

    pub(crate) fn get(&self, id: &str, key: &str) -> Result<Arc<Entry>, Status> {
        let resource = self.resource(id)?;
        resource.objects.get(key).cloned().ok_or_else(|| {
            let name = key.rsplit('/').next().unwrap_or(key);
            Status::not_found(&resource.kind.group, &resource.kind.plural, name)
        })
    }

    /// Adds or replaces a kind.
    pub(crate) fn register(&mut self, kind: Arc<Kind>, history: usize) {
        let id = kind.id();
        if let Some(resource) = self.resources.get_mut(&id) {
            resource.kind = Arc::clone(&kind);
            self.kinds.retain(|known| known.id() != id);
        } else {
            let resource = Resource {
                kind: Arc::clone(&kind),
                objects: BTreeMap::new(),
                history: History::new(history, self.revision),
                changed: watch::Sender::new(self.revision),
            };
            self.resources.insert(id, resource);
        }
        self.kinds.push(kind);
    }

    /// Removes a kind. Its watches end after the last changes, so its history stays.
    pub(crate) fn unregister(&mut self, id: &str) {
        self.kinds.retain(|kind| kind.id() != id);
        if let Some(resource) = self.resources.get_mut(id) {
            resource.changed = watch::Sender::new(self.revision);
        }
    }

    /// Returns the objects of an owner.
    pub(crate) fn owned_by(&self, uid: &str) -> Vec<(String, String)> {
        self.owned.get(uid).into_iter().flatten().cloned().collect()
    }

    /// Returns everything in a namespace.
    pub(crate) fn in_namespace(&self, namespace: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for kind in self.kinds.iter().filter(|kind| kind.namespaced) {
            let id = kind.id();
            let objects = self.resources.get(&id).into_iter().flat_map(|resource| resource.objects.values());
            found.extend(
                objects.filter(|entry| entry.namespace == namespace).map(|entry| (id.clone(), entry.key.clone())),
            );
        }
        found
    }

    /// Returns every object of every resource.
    pub(crate) fn all(&self) -> Vec<(String, Arc<Entry>)> {
        let objects = |(id, resource): (&String, &Resource)| {
            let id = id.clone();
            resource.objects.values().map(move |entry| (id.clone(), Arc::clone(entry))).collect::<Vec<_>>()
        };
        self.resources.iter().flat_map(objects).collect()
    }

    /// Replaces an object without an event.
    pub(crate) fn restore(&mut self, id: &str, entry: &Arc<Entry>) {
        let Some(resource) = self.resources.get_mut(id) else { return };
        let previous = resource.objects.insert(entry.key.clone(), Arc::clone(entry));
        self.index_owners(id, previous.as_deref(), Some(entry));
    }

    /// Clears all histories; every reader has then fallen behind.
    pub(crate) fn clear_histories(&mut self) {
        for resource in self.resources.values_mut() {
            resource.history.restart(self.revision);
            resource.changed.send_replace(self.revision);
        }
    }

    /// Updates the index of owners.
    fn index_owners(&mut self, id: &str, previous: Option<&Entry>, entry: Option<&Entry>) {
        for (uid, key) in previous.iter().flat_map(|entry| entry.owners.iter().map(|uid| (uid, &entry.key))) {
            if let Some(owned) = self.owned.get_mut(uid) {
                owned.remove(&(id.to_owned(), key.clone()));
                if owned.is_empty() {
                    self.owned.remove(uid);
                }
            }
        }
        for (uid, key) in entry.iter().flat_map(|entry| entry.owners.iter().map(|uid| (uid, &entry.key))) {
            self.owned.entry(uid.clone()).or_default().insert((id.to_owned(), key.clone()));
        }
    }

    /// Commits a new state of an object at the next revision.
    pub(crate) fn commit(&mut self, id: &str, verb: Verb, entry: Entry) -> Result<Arc<Entry>, Status> {
        let resource = self.resources.get_mut(id).ok_or_else(Status::unknown_resource)?;
        let entry = Arc::new(entry);
        let previous = match verb {
            Verb::Deleted => resource.objects.remove(&entry.key),
            Verb::Added | Verb::Modified => resource.objects.insert(entry.key.clone(), Arc::clone(&entry)),
        };
        self.index_owners(id, previous.as_deref(), (verb != Verb::Deleted).then_some(&*entry));
        self.revision = self.revision.max(entry.revision);
        let Some(resource) = self.resources.get_mut(id) else { return Ok(entry) };
        resource.history.push(Change { revision: entry.revision, verb, object: Arc::clone(&entry), previous });
        resource.changed.send_replace(entry.revision);
        Ok(entry)
    }
}
