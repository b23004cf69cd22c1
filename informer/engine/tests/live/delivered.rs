//! Recording handler: a log of its calls.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use informer::{Keyed, Object, ResourceEventHandler, SharedInformer};

/// Changes that a handler received, in order and by name: `initial a`, `synced`, `add b`, `update b`, `delete b`.
#[derive(Clone, Default)]
pub(crate) struct Delivered(Rc<RefCell<Vec<String>>>);

impl Delivered {
    /// Records the changes of the informer from now on, beginning with the cached objects.
    pub(crate) fn of(informer: &SharedInformer<Object>) -> Self {
        let deliveries = Self::default();
        informer.add_event_handler(deliveries.clone()).expect("not stopped");
        deliveries
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    /// Changes since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.take()
    }

    fn record(&self, what: &str, object: &Object) {
        self.0.borrow_mut().push(format!("{what} {}", object.name()));
    }
}

impl ResourceEventHandler<Object> for Delivered {
    fn on_add(&mut self, object: &Arc<Object>, is_in_initial_list: bool) {
        self.record(if is_in_initial_list { "initial" } else { "add" }, object);
    }

    fn on_update(&mut self, old: &Arc<Object>, new: &Arc<Object>) {
        assert_ne!(old.resource_version(), new.resource_version(), "nothing is resynced here");
        self.record("update", new);
    }

    fn on_delete(&mut self, object: &Arc<Object>, _: bool) {
        self.record("delete", object);
    }

    fn on_synced(&mut self) {
        self.0.borrow_mut().push("synced".to_owned());
    }
}
