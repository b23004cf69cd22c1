//! Replica: a handler that applies its changes and detects invalid ones.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use informer::{Change, ChangeBatch, ChangeBatchHandler, Registration, ResourceEventHandler};

use crate::source::{Thing, word};

/// State of a handler: the cache as delivered.
#[derive(Clone, Default)]
pub(crate) struct Replica(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    known: BTreeMap<String, Arc<Thing>>,
    synced: bool,
    paused: bool,
    /// Pauses after each batch.
    one_at_a_time: bool,
    violations: Vec<String>,
    deliveries: usize,
}

impl State {
    fn apply(&mut self, change: &Change<Thing>) {
        let key = change.object().key.clone();
        let known = self.known.get(&key);
        let is_valid = match change {
            // Additions after `synced` are not initial.
            Change::Add { is_in_initial_list, .. } => known.is_none() && !(*is_in_initial_list && self.synced),
            Change::Update { old, .. } => known.is_some_and(|known| Arc::ptr_eq(known, old)),
            Change::Delete { .. } => known.is_some(),
        };
        if !is_valid {
            self.violations.push(format!("{change:?} where {known:?} was known, synced: {}", self.synced));
        }
        self.deliveries += 1;
        match change {
            Change::Add { object, .. } | Change::Update { new: object, .. } => {
                self.known.insert(key, Arc::clone(object));
            }
            Change::Delete { .. } => drop(self.known.remove(&key)),
        }
    }

    fn synced(&mut self) {
        if std::mem::replace(&mut self.synced, true) {
            self.violations.push("synced twice".to_owned());
        }
    }
}

impl Replica {
    pub(crate) fn pause(&self) {
        self.0.borrow_mut().paused = true;
    }

    pub(crate) fn unpause(&self, registration: &Registration<Thing>) {
        self.0.borrow_mut().paused = false;
        registration.resume();
    }

    pub(crate) fn one_at_a_time(&self, yes: bool) {
        self.0.borrow_mut().one_at_a_time = yes;
    }

    /// Returns its state, as `key@version`, sorted.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.0.borrow().known.values().map(|thing| word(thing)).collect();
        words.sort();
        words
    }

    /// Returns the invalid changes that it received.
    pub(crate) fn violations(&self) -> Vec<String> {
        self.0.borrow().violations.clone()
    }

    /// Returns the number of received changes.
    pub(crate) fn deliveries(&self) -> usize {
        self.0.borrow().deliveries
    }

    pub(crate) fn is_synced(&self) -> bool {
        self.0.borrow().synced
    }
}

impl ChangeBatchHandler<Thing> for Replica {
    fn on_changes(&mut self, batch: &ChangeBatch<Thing>) {
        let mut state = self.0.borrow_mut();
        for change in &batch.changes {
            state.apply(change);
        }
        state.paused |= state.one_at_a_time;
    }

    fn on_synced(&mut self) {
        self.0.borrow_mut().synced();
    }

    fn is_ready(&self) -> bool {
        !self.0.borrow().paused
    }
}

impl ResourceEventHandler<Thing> for Replica {
    fn on_add(&mut self, object: &Arc<Thing>, is_in_initial_list: bool) {
        self.0.borrow_mut().apply(&Change::Add { object: Arc::clone(object), is_in_initial_list });
    }

    fn on_update(&mut self, old: &Arc<Thing>, new: &Arc<Thing>) {
        self.0.borrow_mut().apply(&Change::Update { old: Arc::clone(old), new: Arc::clone(new) });
    }

    fn on_delete(&mut self, object: &Arc<Thing>, final_state_unknown: bool) {
        self.0.borrow_mut().apply(&Change::Delete { object: Arc::clone(object), final_state_unknown });
    }

    fn on_synced(&mut self) {
        self.0.borrow_mut().synced();
    }
}
