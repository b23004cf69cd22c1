//! Observers of an informer's events.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::error::InformerError;

/// Event of an informer that its owner may need at once.
#[derive(Clone, Debug, PartialEq)]
pub enum InformerEvent {
    /// [`crate::SharedInformer::status`] changed. The events of one chunk of a watch are one change, reported once they
    /// are cached.
    Status,
    /// An error that the informer survives. Corresponds to client-go's watch-error handler, and also reports failed
    /// handlers, index functions and transforms.
    Error(InformerError),
}

type Observe = Rc<dyn Fn(&InformerEvent)>;

/// Observers of one informer.
#[derive(Default)]
pub(super) struct Observers(Rc<RefCell<ObserverList>>);

#[derive(Default)]
struct ObserverList {
    next: u64,
    /// In order of registration; few. Copied only if it changes during a notification.
    all: Rc<Vec<(u64, Observe)>>,
}

/// Guard of an observer; dropping it removes the observer.
#[must_use = "dropping it removes the observer"]
pub struct Observer {
    id: u64,
    observers: Weak<RefCell<ObserverList>>,
}

impl Drop for Observer {
    fn drop(&mut self) {
        if let Some(observers) = self.observers.upgrade() {
            let removed = observers.borrow_mut().remove(self.id);
            // Without a borrow: dropping its captured values may call back.
            drop(removed);
        }
    }
}

impl ObserverList {
    fn remove(&mut self, id: u64) -> Option<(u64, Observe)> {
        let at = self.all.iter().position(|(other, _)| *other == id)?;
        Some(Rc::make_mut(&mut self.all).remove(at))
    }
}

impl Observers {
    pub(super) fn add(&self, observe: impl Fn(&InformerEvent) + 'static) -> Observer {
        let mut list = self.0.borrow_mut();
        list.next += 1;
        let id = list.next;
        Rc::make_mut(&mut list.all).push((id, Rc::new(observe)));
        Observer { id, observers: Rc::downgrade(&self.0) }
    }

    pub(super) fn notify(&self, event: &InformerEvent) {
        let observers = Rc::clone(&self.0.borrow().all);
        for (_, observer) in &*observers {
            observer(event);
        }
    }
}
