//! Handlers of applications, correct and faulty ones; each records its calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use informer::{
    ChangeBatch, ChangeBatchHandler, HandlerOptions, Keyed, Object, Registration, SharedInformer, SharedInformerFactory,
};

use crate::delivered::{Delivered, Delivery, Kind, state_of};
use crate::resync::Resync;
use crate::scope::SCOPES;
use crate::server::Server;
use crate::story::HandlerBehavior;

/// Informer of the application, with its state as its users know it.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) source: crate::server::RequestSource,
    pub(crate) informer: SharedInformer<Object>,
    pub(crate) started: Rc<Cell<bool>>,
    pub(crate) stopped: Rc<Cell<bool>>,
}

impl Subject {
    /// Stops it directly. A later request to the factory for the same resource returns another informer, which lists.
    pub(crate) fn stop(&self, server: &Server) {
        self.stopped.set(true);
        server.state.borrow_mut().traffic.entry(self.source).or_default().needs_no_list = false;
        self.informer.stop();
    }
}

/// Slot of a handler.
pub(crate) struct HandlerSlot {
    pub(crate) subject: Subject,
    pub(crate) registration: Registration<Object>,
    pub(crate) delivered: Rc<RefCell<Delivered>>,
    /// Number of batches that it accepts; `None` is any number.
    pub(crate) budget: Rc<Cell<Option<u8>>>,
    /// Whether it ever accepted no further batches.
    pub(crate) was_held: Cell<bool>,
}

/// State that handlers share: the other handlers, and the objects that they use from inside a callback.
pub(crate) struct Registry {
    pub(crate) server: Rc<Server>,
    pub(crate) slots: RefCell<BTreeMap<u8, HandlerSlot>>,
    /// Handlers that lost their slot to another one but are still registered.
    pub(crate) others: RefCell<Vec<HandlerSlot>>,
    pub(crate) factory: RefCell<Rc<SharedInformerFactory<Object>>>,
    /// Token that everything owns that must be released.
    pub(crate) token: Rc<()>,
}

/// Handler that checks each delivery, and performs its behaviour.
struct RecordingHandler {
    registry: Rc<Registry>,
    delivered: Rc<RefCell<Delivered>>,
    behavior: HandlerBehavior,
    slot: u8,
    changes: u8,
    budget: Rc<Cell<Option<u8>>>,
    /// Whether it was added to an informer that was reopened, before that ran again.
    reopened: bool,
    /// Owned only by handlers whose behaviour requires it.
    subject: Option<Subject>,
    _token: Rc<()>,
}

impl Registry {
    /// Adds a handler; the one that was in its slot stays where it was.
    pub(crate) fn add(
        self: &Rc<Self>,
        slot: u8,
        subject: &Subject,
        behavior: HandlerBehavior,
        options: HandlerOptions,
    ) {
        let delivered = Rc::new(RefCell::new(Delivered::new(subject.source)));
        delivered.borrow_mut().lossy = options.backlog_bound < HandlerOptions::default().backlog_bound;
        if subject.informer.has_synced() {
            delivered.borrow_mut().join(subject.informer.indexer().list());
        }
        let budget = Rc::new(Cell::new(None));
        let handler = RecordingHandler {
            registry: Rc::clone(self),
            delivered: Rc::clone(&delivered),
            behavior,
            slot,
            changes: 0,
            budget: Rc::clone(&budget),
            reopened: subject.informer.has_synced() && !subject.started.get(),
            subject: (behavior != HandlerBehavior::Plain).then(|| subject.clone()),
            _token: Rc::clone(&self.token),
        };
        // A stopped one accepts no handler, and does not keep it.
        let Ok(registration) = subject.informer.add_batch_handler(handler, options) else { return };
        delivered.borrow_mut().resync = Resync::new(registration.resync_period(), self.server.now());
        let added =
            HandlerSlot { subject: subject.clone(), registration, delivered, budget, was_held: Cell::default() };
        let replaced = self.slots.borrow_mut().insert(slot, added);
        self.others.borrow_mut().extend(replaced);
    }

    /// Removes a handler from outside its own callback.
    pub(crate) fn remove(&self, slot: u8) -> bool {
        let Some(removed) = self.slots.borrow_mut().remove(&slot) else { return false };
        // A handler that is on the stack marks itself at the end of its batch.
        if let Ok(mut delivered) = removed.delivered.try_borrow_mut() {
            delivered.removed = true;
        }
        removed.registration.remove();
        true
    }

    /// Makes a handler accept this number of further batches, and no others until it resumes.
    pub(crate) fn hold(&self, slot: u8, after: u8) {
        if let Some(slot) = self.slots.borrow().get(&slot) {
            slot.budget.set(Some(after));
            slot.was_held.set(true);
            let mut delivered = slot.delivered.borrow_mut();
            // Resyncs alone exceed its backlog.
            delivered.lossy |= !delivered.resync.period.is_zero();
        }
    }

    /// Makes handlers accept batches again.
    pub(crate) fn resume(&self, which: Option<u8>) {
        let resume = |slot: &HandlerSlot| {
            if slot.budget.take().is_some() {
                self.server.note(|| format!("   a handler of {} resumes", slot.subject.source.1));
                slot.registration.resume();
            }
        };
        match which {
            Some(which) => self.slots.borrow().get(&which).into_iter().for_each(resume),
            None => self.for_each_slot(resume),
        }
    }

    pub(crate) fn for_each_slot(&self, mut visit: impl FnMut(&HandlerSlot)) {
        self.slots.borrow().values().for_each(&mut visit);
        self.others.borrow().iter().for_each(&mut visit);
    }
}

impl RecordingHandler {
    fn check(&self, result: Result<(), String>) {
        if let Err(why) = result {
            let (slot, source) = (self.slot, self.delivered.borrow().source);
            self.registry.server.fail(|| format!("handler {slot} of {} {}: {why}", source.0, source.1));
        }
    }

    fn perform_behavior(&self) {
        let Some(subject) = &self.subject else { return };
        let (registry, server) = (&self.registry, &self.registry.server);
        let due = |at: u8| self.changes == at;
        match self.behavior {
            HandlerBehavior::RemovesItselfAt(at) if due(at) => {
                server.note(|| format!("   handler {} leaves", self.slot));
                let own = registry
                    .slots
                    .borrow()
                    .get(&self.slot)
                    .is_some_and(|slot| Rc::ptr_eq(&slot.delivered, &self.delivered));
                if own {
                    registry.remove(self.slot);
                }
            }
            HandlerBehavior::AddsHandlerAt(at) if due(at) => {
                server.note(|| format!("   handler {} adds handler {}", self.slot, self.slot + 10));
                registry.add(self.slot + 10, subject, HandlerBehavior::Plain, HandlerOptions::default());
            }
            HandlerBehavior::RemovesNextAt(at) if due(at) => {
                server.note(|| format!("   handler {} removes handler {}", self.slot, self.slot + 1));
                registry.remove(self.slot + 1);
            }
            HandlerBehavior::RequestsInformerAt(at) if due(at) => {
                server.note(|| format!("   handler {} requests another informer and releases it", self.slot));
                let factory = Rc::clone(&registry.factory.borrow());
                let pods = "v1/pods".parse().expect("a resource");
                let (key, _) = factory.for_resource(pods, SCOPES[2].options(500)).expect("well-formed");
                factory.start_one(&key);
                factory.release(&key);
            }
            HandlerBehavior::StopsAt(at) if due(at) => {
                server.note(|| format!("   handler {} stops its informer", self.slot));
                subject.stop(server);
            }
            _ => {}
        }
    }
}

impl ChangeBatchHandler<Object> for RecordingHandler {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        if self.delivered.borrow().removed {
            self.check(Err("received a change after it was removed".to_owned()));
        }
        if let Some(left) = self.budget.get() {
            self.budget.set(Some(left.saturating_sub(1)));
            if left == 0 {
                self.check(Err("received a batch while it was not ready".to_owned()));
            }
        }
        let mut deliveries = Vec::new();
        for change in &batch.changes {
            let Some(delivery) = Delivery::of(change) else {
                self.check(Err(format!("received an object that the server never had: {}", change.object().key())));
                continue;
            };
            let result = self.delivered.borrow_mut().check_change(&delivery, batch.relist, &self.registry.server);
            self.check(result);
            deliveries.push(delivery);
            self.changes = self.changes.saturating_add(1);
            self.perform_behavior();
        }
        let (in_order, now) = (!self.registry.server.state.borrow().by_key, self.registry.server.now());
        if deliveries.iter().any(|delivery| matches!(delivery.kind, Kind::Update { same: true, .. })) {
            self.registry.server.note(|| format!("   handler {} is resynced: {}", self.slot, deliveries.len()));
        }
        if self.reopened
            && batch.relist
            && deliveries.iter().any(|delivery| matches!(delivery.kind, Kind::Delete { unknown: true }))
        {
            let source = self.delivered.borrow().source;
            self.registry.server.note(|| format!("   {} tells handler {} what was missed", source.0, self.slot));
        }
        let result = self.delivered.borrow_mut().check_batch(&deliveries, in_order, now);
        self.check(result);
        let result = self.delivered.borrow().check_version(&batch.resource_version, &self.registry.server);
        self.check(result);
        if let Some(subject) = self.subject.as_ref().filter(|_| self.behavior == HandlerBehavior::OwnsInformer) {
            for (key, _) in batch.changes.iter().filter_map(|change| state_of(change.object())) {
                let cached =
                    subject.informer.indexer().get_by_key(&key.to_string()).and_then(|object| state_of(object));
                let shown = self.delivered.borrow().is_cached(
                    key,
                    cached.map(|(_, state)| state).as_ref(),
                    &self.registry.server,
                );
                if !shown {
                    self.check(Err(format!("received {key} before the cache shows it")));
                }
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.budget.get() != Some(0)
    }

    fn on_synced(&mut self) {
        if self.delivered.borrow().removed {
            self.check(Err("received synced after it was removed".to_owned()));
        }
        let result = self.delivered.borrow_mut().check_synced(self.registry.server.now());
        self.check(result);
    }
}
