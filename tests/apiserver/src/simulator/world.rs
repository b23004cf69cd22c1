//! Shared state of the simulation: the store, the random numbers, the agenda, and the changes since the last tick.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::kubelet::Step;
use crate::clock;
use crate::delete::DeleteOptions;
use crate::history::{Change, Verb};
use crate::object::Entry;
use crate::store::Store;
use crate::write::{Origin, Part};

/// Resources whose changes the controllers and kubelets read.
const WATCHED_RESOURCES: [&str; 6] =
    ["deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch", "pods"];

/// Maximum number of changes per read of the store.
const BATCH: usize = 1024;

/// Id of an object: its resource and its key.
pub(super) type ObjectId = (String, String);

/// State of the simulation.
pub(super) struct World {
    pub(super) store: Arc<Store>,
    pub(super) random: fastrand::Rng,
    pub(super) now: u64,
    /// Scheduled steps by tick.
    pub(super) agenda: BTreeMap<u64, Vec<Step>>,
    /// Id of each workload, by UID.
    pub(super) workloads: HashMap<String, ObjectId>,
    /// Workloads to reconcile.
    pub(super) dirty: BTreeSet<ObjectId>,
    /// Keys of the events, the oldest first.
    pub(super) events: VecDeque<String>,
    /// Maximum number of events; a real cluster deletes them after an hour.
    pub(super) event_limit: usize,
    cursors: HashMap<&'static str, u64>,
    /// Revision up to which the churn has been counted.
    counted_revision: u64,
    /// Writes still due, in tenths: a tick is a tenth of a second.
    budget: i64,
}

impl World {
    pub(super) fn new(store: Arc<Store>, seed: u64) -> Self {
        Self {
            store,
            random: fastrand::Rng::with_seed(seed),
            now: 0,
            agenda: BTreeMap::new(),
            workloads: HashMap::new(),
            dirty: BTreeSet::new(),
            events: VecDeque::new(),
            event_limit: 200,
            cursors: HashMap::new(),
            counted_revision: 0,
            budget: 0,
        }
    }

    /// Starts reading changes from the store, after the population.
    pub(super) fn begin(&mut self) {
        for id in WATCHED_RESOURCES {
            self.relist(id);
        }
        // Twice: the status of deployments follows from that of replica sets.
        for _ in 0..2 {
            for object_id in std::mem::take(&mut self.dirty) {
                self.reconcile(&object_id);
            }
            self.read_changes();
        }
        self.dirty.clear();
        self.counted_revision = self.store.revision();
    }

    /// Reads the current state of a resource.
    fn relist(&mut self, id: &'static str) {
        let Ok(subscription) = self.store.subscribe(id, None) else { return };
        self.cursors.insert(id, subscription.cursor);
        for entry in &subscription.initial {
            self.mark_dirty(id, entry);
        }
    }

    /// Marks the workload of an object for reconciliation.
    fn mark_dirty(&mut self, id: &'static str, entry: &Entry) {
        if id == "pods" {
            self.dirty.extend(entry.owners.iter().filter_map(|uid| self.workloads.get(uid).cloned()));
        } else {
            let object_id = (id.to_owned(), entry.key.clone());
            self.workloads.insert(entry.uid.clone(), object_id.clone());
            self.dirty.insert(object_id);
            // A deployment manages its replica sets.
            self.dirty.extend(entry.owners.iter().filter_map(|uid| self.workloads.get(uid).cloned()));
        }
    }

    /// Simulates a tenth of a second.
    pub(super) fn tick(&mut self, churn: u32) {
        self.now += 1;
        self.read_changes();
        let due: Vec<Step> = {
            let later = self.agenda.split_off(&(self.now + 1));
            std::mem::replace(&mut self.agenda, later).into_values().flatten().collect()
        };
        for step in due {
            self.perform(step);
        }
        self.read_changes();
        for object_id in std::mem::take(&mut self.dirty) {
            self.reconcile(&object_id);
        }
        self.churn(churn);
    }

    /// Performs random changes until the writes of this tick, from any controller, reach the rate.
    fn churn(&mut self, churn: u32) {
        // The backlog is limited to one second of writes, so the rate stays even after a burst or a pause.
        let second = i64::from(churn) * 10;
        self.budget = (self.budget + i64::from(churn)).min(second);
        self.charge_writes(second);
        // Bounded, because an action may find nothing to do.
        for _ in 0..churn.min(200) {
            if self.budget < 10 {
                break;
            }
            self.change_randomly();
            self.charge_writes(second);
        }
    }

    /// Subtracts the writes since the last call from the budget.
    fn charge_writes(&mut self, second: i64) {
        let revision = self.store.revision();
        // A replaced cluster restarts its revisions.
        let writes = i64::try_from(revision.saturating_sub(self.counted_revision)).unwrap_or(0);
        self.counted_revision = revision;
        self.budget = (self.budget - writes * 10).max(-second * 10);
    }

    /// Reads changes from the store.
    fn read_changes(&mut self) {
        for id in WATCHED_RESOURCES {
            loop {
                let cursor = self.cursors.get(id).copied().unwrap_or_default();
                let Some((changes, _)) = self.store.changes(id, cursor, BATCH) else {
                    self.relist(id);
                    break;
                };
                if changes.is_empty() {
                    break;
                }
                self.cursors.insert(id, cursor + changes.len() as u64);
                for change in changes {
                    self.process_change(id, &change);
                }
            }
        }
    }

    fn process_change(&mut self, id: &'static str, change: &Change) {
        self.mark_dirty(id, &change.object);
        if change.verb == Verb::Deleted {
            self.workloads.remove(&change.object.uid);
            self.dirty.remove(&(id.to_owned(), change.object.key.clone()));
        }
        if id == "pods" {
            self.schedule_pod_steps(change);
        }
    }

    /// Schedules a step.
    pub(super) fn plan(&mut self, ticks: u64, step: Step) {
        self.agenda.entry(self.now + ticks.max(1)).or_default().push(step);
    }

    /// Creates an object; `None` if the store rejects it, for instance because its namespace was deleted.
    pub(super) fn create(&self, id: &str, namespace: &str, object: Value) -> Option<Arc<Entry>> {
        self.store.create(id, namespace, object, Origin::Cluster).ok()
    }

    /// Changes an object, if it exists.
    pub(super) fn change(&self, id: &str, key: &str, change: impl FnOnce(&mut Value)) -> Option<Arc<Entry>> {
        let changed = self.store.update(id, key, Part::All, |_, mut object| {
            change(&mut object);
            Ok(object)
        });
        changed.ok()
    }

    pub(super) fn delete(&self, id: &str, key: &str) {
        // Another writer may have deleted it.
        drop(self.store.delete(id, key, &DeleteOptions::default()));
    }

    /// Returns the objects of a resource with this owner.
    pub(super) fn owned(&self, uid: &str, id: &str) -> Vec<Arc<Entry>> {
        let state = self.store.state.lock();
        state
            .owned_by(uid)
            .iter()
            .filter(|object_id| object_id.0 == id)
            .filter_map(|(id, key)| state.get(id, key).ok())
            .collect()
    }

    /// Returns a random object of a resource.
    pub(super) fn any(&mut self, id: &str) -> Option<Arc<Entry>> {
        let state = self.store.state.lock();
        let objects = &state.resource(id).ok()?.objects;
        let at = self.random.usize(..objects.len().max(1));
        objects.values().nth(at).cloned()
    }

    /// Formats the time this many seconds ago for the API.
    pub(super) fn ago(seconds: u64) -> String {
        humantime::format_rfc3339_seconds(clock::now() - Duration::from_secs(seconds)).to_string()
    }

    /// Returns a random item.
    pub(super) fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.random.usize(..items.len())]
    }

    /// Returns true with this probability in percent.
    pub(super) fn percent(&mut self, chance: u32) -> bool {
        self.random.u32(..100) < chance
    }
}
