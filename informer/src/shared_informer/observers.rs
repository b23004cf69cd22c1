//! Observers of an informer's events.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::error::InformerError;

/// Something an informer's owner may want to know at once.
#[derive(Clone, Debug, PartialEq)]
pub enum InformerEvent {
    /// [`crate::SharedInformer::status`] has changed.
    Status,
    /// Something went wrong; the informer goes on. client-go's watch-error handler, which hears of handlers, index
    /// functions and transforms that failed too.
    Error(InformerError),
}

type Observe = Rc<dyn Fn(&InformerEvent)>;

/// The observers of one informer.
#[derive(Default)]
pub(super) struct Observers(Rc<RefCell<Listed>>);

#[derive(Default)]
struct Listed {
    next: u64,
    /// In the order in which they came; few.
    all: Vec<(u64, Observe)>,
}

/// Keeps an observer; dropping it removes the observer.
#[must_use = "dropping it removes the observer"]
pub struct Observer {
    id: u64,
    observers: Weak<RefCell<Listed>>,
}

impl Drop for Observer {
    fn drop(&mut self) {
        if let Some(observers) = self.observers.upgrade() {
            let removed = observers.borrow_mut().remove(self.id);
            // With nothing borrowed: what it holds may be an observer too.
            drop(removed);
        }
    }
}

impl Listed {
    fn remove(&mut self, id: u64) -> Option<(u64, Observe)> {
        let at = self.all.iter().position(|(other, _)| *other == id)?;
        Some(self.all.remove(at))
    }
}

impl Observers {
    pub(super) fn add(&self, observe: impl Fn(&InformerEvent) + 'static) -> Observer {
        let mut listed = self.0.borrow_mut();
        listed.next += 1;
        let id = listed.next;
        listed.all.push((id, Rc::new(observe)));
        Observer { id, observers: Rc::downgrade(&self.0) }
    }

    pub(super) fn tell(&self, event: &InformerEvent) {
        let observers = self.0.borrow().all.clone();
        for (_, observer) in observers {
            observer(event);
        }
    }
}
