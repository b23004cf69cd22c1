//! Handlers as applications write them, well-behaved and otherwise; each records its calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use informer::{
    ChangeBatch, ChangeBatchHandler, HandlerOptions, Keyed, Object, Registration, SharedInformer, SharedInformerFactory,
};

use crate::delivered::{Delivered, Kind, News, state_of};
use crate::resync::Resync;
use crate::scope::SCOPES;
use crate::server::Server;
use crate::story::Manner;

/// Informer as its users see it.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) line: crate::server::Line,
    pub(crate) informer: SharedInformer<Object>,
    pub(crate) started: Rc<Cell<bool>>,
    pub(crate) stopped: Rc<Cell<bool>>,
}

impl Subject {
    /// Stops it directly. A later request to the factory for the same resource returns another informer, which lists.
    pub(crate) fn stop(&self, server: &Server) {
        self.stopped.set(true);
        server.state.borrow_mut().traffic.entry(self.line).or_default().nothing_wrong = false;
        self.informer.stop();
    }
}

/// A handler's place.
pub(crate) struct Slot {
    pub(crate) subject: Subject,
    pub(crate) registration: Registration<Object>,
    pub(crate) told: Rc<RefCell<Delivered>>,
    /// Number of batches that it accepts; `None` is any number.
    pub(crate) budget: Rc<Cell<Option<u8>>>,
    /// Whether it could not take more once.
    pub(crate) held: Cell<bool>,
}

/// State that handlers share: the other handlers, and the objects that they use from inside a callback.
pub(crate) struct Registry {
    pub(crate) server: Rc<Server>,
    pub(crate) slots: RefCell<BTreeMap<u8, Slot>>,
    /// Handlers that lost their slot to another one but are still registered.
    pub(crate) others: RefCell<Vec<Slot>>,
    pub(crate) factory: RefCell<Rc<SharedInformerFactory<Object>>>,
    /// Held by everything that must be released.
    pub(crate) token: Rc<()>,
}

struct Probe {
    registry: Rc<Registry>,
    told: Rc<RefCell<Delivered>>,
    manner: Manner,
    slot: u8,
    changes: u8,
    budget: Rc<Cell<Option<u8>>>,
    /// Whether it was added to an informer that was reopened, before that ran again.
    reopened: bool,
    /// Held only by those whose manner it is.
    subject: Option<Subject>,
    _token: Rc<()>,
}

impl Registry {
    /// Adds a handler; the one that was in its slot stays where it was.
    pub(crate) fn add(self: &Rc<Self>, slot: u8, subject: &Subject, manner: Manner, options: HandlerOptions) {
        let told = Rc::new(RefCell::new(Delivered::new(subject.line)));
        told.borrow_mut().lossy = options.backlog_bound < HandlerOptions::default().backlog_bound;
        if subject.informer.has_synced() {
            told.borrow_mut().join(subject.informer.indexer().list());
        }
        let budget = Rc::new(Cell::new(None));
        let probe = Probe {
            registry: Rc::clone(self),
            told: Rc::clone(&told),
            manner,
            slot,
            changes: 0,
            budget: Rc::clone(&budget),
            reopened: subject.informer.has_synced() && !subject.started.get(),
            subject: (manner != Manner::Plain).then(|| subject.clone()),
            _token: Rc::clone(&self.token),
        };
        // A stopped one accepts no handler, and does not keep it.
        let Ok(registration) = subject.informer.add_batch_handler(probe, options) else { return };
        told.borrow_mut().resync = Resync::new(registration.resync_period(), self.server.now());
        let added = Slot { subject: subject.clone(), registration, told, budget, held: Cell::default() };
        let replaced = self.slots.borrow_mut().insert(slot, added);
        self.others.borrow_mut().extend(replaced);
    }

    /// Removes a handler from outside its own callback.
    pub(crate) fn remove(&self, slot: u8) -> bool {
        let Some(removed) = self.slots.borrow_mut().remove(&slot) else { return false };
        // A handler that is on the stack marks itself at the end of its batch.
        if let Ok(mut told) = removed.told.try_borrow_mut() {
            told.removed = true;
        }
        removed.registration.remove();
        true
    }

    /// Makes a handler accept this number of further batches, and no others until it resumes.
    pub(crate) fn hold(&self, slot: u8, after: u8) {
        if let Some(slot) = self.slots.borrow().get(&slot) {
            slot.budget.set(Some(after));
            slot.held.set(true);
            let mut told = slot.told.borrow_mut();
            // Resyncs alone exceed its backlog.
            told.lossy |= !told.resync.period.is_zero();
        }
    }

    /// Handlers that could not take more can again.
    pub(crate) fn resume(&self, which: Option<u8>) {
        let resume = |slot: &Slot| {
            if slot.budget.take().is_some() {
                self.server.note(|| format!("   a handler of {} resumes", slot.subject.line.1));
                slot.registration.resume();
            }
        };
        match which {
            Some(which) => self.slots.borrow().get(&which).into_iter().for_each(resume),
            None => self.all(resume),
        }
    }

    pub(crate) fn all(&self, mut look: impl FnMut(&Slot)) {
        self.slots.borrow().values().for_each(&mut look);
        self.others.borrow().iter().for_each(&mut look);
    }
}

impl Probe {
    fn check(&self, result: Result<(), String>) {
        if let Err(why) = result {
            let (slot, line) = (self.slot, self.told.borrow().line);
            self.registry.server.fail(|| format!("handler {slot} of {} {}: {why}", line.0, line.1));
        }
    }

    fn act(&self) {
        let Some(subject) = &self.subject else { return };
        let (registry, server) = (&self.registry, &self.registry.server);
        let due = |at: u8| self.changes == at;
        match self.manner {
            Manner::LeavesAt(at) if due(at) => {
                server.note(|| format!("   handler {} leaves", self.slot));
                let own =
                    registry.slots.borrow().get(&self.slot).is_some_and(|slot| Rc::ptr_eq(&slot.told, &self.told));
                if own {
                    registry.remove(self.slot);
                }
            }
            Manner::BringsAt(at) if due(at) => {
                server.note(|| format!("   handler {} adds handler {}", self.slot, self.slot + 10));
                registry.add(self.slot + 10, subject, Manner::Plain, HandlerOptions::default());
            }
            Manner::RemovesNextAt(at) if due(at) => {
                server.note(|| format!("   handler {} removes handler {}", self.slot, self.slot + 1));
                registry.remove(self.slot + 1);
            }
            Manner::AsksAt(at) if due(at) => {
                server.note(|| format!("   handler {} requests another informer and releases it", self.slot));
                let factory = Rc::clone(&registry.factory.borrow());
                let pods = "v1/pods".parse().expect("a resource");
                let (key, _) = factory.for_resource(pods, SCOPES[2].options(500)).expect("well-formed");
                factory.start_one(&key);
                factory.release(&key);
            }
            Manner::StopsAt(at) if due(at) => {
                server.note(|| format!("   handler {} stops its informer", self.slot));
                subject.stop(server);
            }
            _ => {}
        }
    }
}

impl ChangeBatchHandler<Object> for Probe {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        if self.told.borrow().removed {
            self.check(Err("received a change after it was removed".to_owned()));
        }
        if let Some(left) = self.budget.get() {
            self.budget.set(Some(left.saturating_sub(1)));
            if left == 0 {
                self.check(Err("received a batch while it was not ready".to_owned()));
            }
        }
        let mut heard_all = Vec::new();
        for change in &batch.changes {
            let Some(news) = News::of(change) else {
                self.check(Err(format!("received an object that the server never had: {}", change.object().key())));
                continue;
            };
            let heard = self.told.borrow_mut().hear(&news, batch.relist, &self.registry.server);
            self.check(heard);
            heard_all.push(news);
            self.changes = self.changes.saturating_add(1);
            self.act();
        }
        let (in_order, now) = (!self.registry.server.state.borrow().by_key, self.registry.server.now());
        if heard_all.iter().any(|news| matches!(news.kind, Kind::Update { same: true, .. })) {
            self.registry.server.note(|| format!("   handler {} is resynced: {}", self.slot, heard_all.len()));
        }
        if self.reopened
            && batch.relist
            && heard_all.iter().any(|news| matches!(news.kind, Kind::Delete { unknown: true }))
        {
            let line = self.told.borrow().line;
            self.registry.server.note(|| format!("   {} tells handler {} what was missed", line.0, self.slot));
        }
        let heard = self.told.borrow_mut().hear_batch(&heard_all, in_order, now);
        self.check(heard);
        let reached = self.told.borrow().hear_version(&batch.resource_version, &self.registry.server);
        self.check(reached);
        if let Some(subject) = self.subject.as_ref().filter(|_| self.manner == Manner::Holds) {
            for (key, _) in batch.changes.iter().filter_map(|change| state_of(change.object())) {
                let cached =
                    subject.informer.indexer().get_by_key(&key.to_string()).and_then(|object| state_of(object));
                let shown =
                    self.told.borrow().is_shown(key, cached.map(|(_, state)| state).as_ref(), &self.registry.server);
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
        if self.told.borrow().removed {
            self.check(Err("received synced after it was removed".to_owned()));
        }
        let heard = self.told.borrow_mut().hear_synced(self.registry.server.now());
        self.check(heard);
    }
}
