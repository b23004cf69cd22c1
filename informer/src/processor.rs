//! Who is told, and how far each has come.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use crate::controller::{Change, ChangeBatch};

/// Is told of changes. Called from a task of the informer, never while a caller of the informer is on the stack, and
/// may call the informer itself. It should be quick: who has much to do puts keys into a work queue.
pub trait ResourceEventHandler<T> {
    /// The object is new in the cache.
    fn on_add(&mut self, object: &Arc<T>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }

    /// The object changed.
    fn on_update(&mut self, old: &Arc<T>, new: &Arc<T>) {
        let _ = (old, new);
    }

    /// The object is gone; with `final_state_unknown` its last states were missed.
    fn on_delete(&mut self, object: &Arc<T>, final_state_unknown: bool) {
        let _ = (object, final_state_unknown);
    }

    /// A batch of changes, for handlers that care for batches. Calls the other methods unless implemented.
    fn on_changes(&mut self, batch: &ChangeBatch<T>) {
        for change in &batch.changes {
            match change {
                Change::Add { object, is_in_initial_list } => self.on_add(object, *is_in_initial_list),
                Change::Update { old, new } => self.on_update(old, new),
                Change::Delete { object, final_state_unknown } => self.on_delete(object, *final_state_unknown),
            }
        }
    }

    /// Everything that was there when the handler was added has been told.
    fn on_synced(&mut self) {}
}

/// A handler's place in an informer: client-go's `ResourceEventHandlerRegistration`.
#[derive(Clone)]
pub struct Registration<T> {
    listener: Rc<Listener<T>>,
}

impl<T> Registration<T> {
    /// Whether the handler has been told everything that was there when it was added.
    pub fn has_synced(&self) -> bool {
        self.listener.synced.get()
    }

    /// Ends the registration and lets go of the handler; may be called from the handler itself. What waits is not told
    /// any more; a batch that is being told is told to its end, as in client-go.
    pub fn remove(&self) {
        self.listener.removed.set(true);
        let (waiting, handler) = (self.listener.pending.take(), self.listener.take_handler());
        // Last, and with nothing borrowed: what a handler holds may call back when it goes.
        drop((waiting, handler));
    }
}

struct Listener<T> {
    /// None when it has been removed.
    handler: RefCell<Option<Box<dyn ResourceEventHandler<T>>>>,
    pending: RefCell<VecDeque<Notice<T>>>,
    synced: Cell<bool>,
    removed: Cell<bool>,
}

impl<T> Listener<T> {
    /// The handler, unless it is being called: then the loop that calls it lets go of it.
    fn take_handler(&self) -> Option<Box<dyn ResourceEventHandler<T>>> {
        self.handler.try_borrow_mut().ok()?.take()
    }
}

enum Notice<T> {
    Batch(Rc<ChangeBatch<T>>),
    Synced,
}

impl<T> Clone for Notice<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Batch(batch) => Self::Batch(Rc::clone(batch)),
            Self::Synced => Self::Synced,
        }
    }
}

/// client-go's `sharedProcessor`: hands every batch to every listener.
pub(crate) struct Processor<T> {
    listeners: Vec<Rc<Listener<T>>>,
    /// Whether the first list has been distributed.
    pub(crate) synced: bool,
}

impl<T> Default for Processor<T> {
    fn default() -> Self {
        Self { listeners: Vec::new(), synced: false }
    }
}

impl<T> Processor<T> {
    /// Adds a handler. `cached` is what it is told first; `synced` whether that is already all there is to begin with.
    pub(crate) fn add(
        &mut self,
        handler: Box<dyn ResourceEventHandler<T>>,
        cached: Vec<Arc<T>>,
        resource_version: String,
        synced: bool,
    ) -> Registration<T> {
        let mut pending = VecDeque::new();
        if !cached.is_empty() {
            let add = |object| Change::Add { object, is_in_initial_list: true };
            let changes = cached.into_iter().map(add).collect();
            let batch = ChangeBatch { changes, resource_version, relist: false };
            pending.push_back(Notice::Batch(Rc::new(batch)));
        }
        if synced {
            pending.push_back(Notice::Synced);
        }
        let listener = Rc::new(Listener {
            handler: RefCell::new(Some(handler)),
            pending: RefCell::new(pending),
            synced: Cell::new(false),
            removed: Cell::new(false),
        });
        self.listeners.push(Rc::clone(&listener));
        Registration { listener }
    }

    pub(crate) fn distribute(&self, batch: ChangeBatch<T>) {
        if !batch.changes.is_empty() {
            self.enqueue(&Notice::Batch(Rc::new(batch)));
        }
    }

    pub(crate) fn distribute_synced(&self) {
        self.enqueue(&Notice::Synced);
    }

    fn enqueue(&self, notice: &Notice<T>) {
        for listener in self.listeners.iter().filter(|listener| !listener.removed.get()) {
            listener.pending.borrow_mut().push_back(notice.clone());
        }
    }

    /// Tells listeners what waits for them. `processor` is borrowed only to see who listens, so handlers may add and
    /// remove handlers.
    pub(crate) fn deliver(processor: &RefCell<Self>) {
        let (listeners, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut processor.borrow_mut().listeners).into_iter().partition(|l| !l.removed.get());
        processor.borrow_mut().listeners.clone_from(&listeners);
        drop(gone);
        for listener in listeners {
            // A handler that is on the stack already is told by the loop that called it.
            let Ok(mut slot) = listener.handler.try_borrow_mut() else { continue };
            while let Some(handler) = slot.as_mut().filter(|_| !listener.removed.get()) {
                let Some(notice) = listener.pending.borrow_mut().pop_front() else { break };
                match notice {
                    Notice::Batch(batch) => handler.on_changes(&batch),
                    Notice::Synced => {
                        if !listener.synced.replace(true) {
                            handler.on_synced();
                        }
                    }
                }
            }
            let removed = if listener.removed.get() { slot.take() } else { None };
            drop(slot);
            drop(removed);
        }
    }

    /// Lets go of all handlers: nothing will be told any more. A handler that holds its informer would keep it, and
    /// its cache, for ever.
    pub(crate) fn clear(processor: &RefCell<Self>) {
        let listeners = std::mem::take(&mut processor.borrow_mut().listeners);
        let handlers: Vec<_> = listeners.iter().map(|listener| listener.take_handler()).collect();
        drop((listeners, handlers));
    }
}
