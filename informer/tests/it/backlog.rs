//! What waits for a slow handler (scenarios SHI-24, SYN-01).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use informer::{Change, ChangeBatch, ChangeBatchHandler, Registration};

use crate::source::{Thing, word};

/// A batch handler that can be paused, and that may pause itself after each batch. Writes down what it is told.
#[derive(Clone, Default)]
pub(crate) struct Pausing(Rc<Pause>);

#[derive(Default)]
struct Pause {
    paused: Cell<bool>,
    one_at_a_time: Cell<bool>,
    told: RefCell<Vec<String>>,
}

impl Pausing {
    pub(crate) fn pause(&self) {
        self.0.paused.set(true);
    }

    pub(crate) fn unpause(&self, registration: &Registration<Thing>) {
        self.0.paused.set(false);
        registration.resume();
    }

    /// Pauses by itself after each batch.
    pub(crate) fn one_at_a_time(&self) {
        self.0.one_at_a_time.set(true);
    }

    pub(crate) fn take(&self) -> Vec<String> {
        self.0.told.take()
    }
}

impl ChangeBatchHandler<Thing> for Pausing {
    fn on_changes(&mut self, batch: &ChangeBatch<Thing>) {
        let mut told = self.0.told.borrow_mut();
        for change in &batch.changes {
            told.push(match change {
                Change::Add { object, is_in_initial_list } => {
                    format!("+{}{}", word(object), if *is_in_initial_list { "!" } else { "" })
                }
                Change::Update { old, new } => format!("~{}>{}", word(old), new.version),
                Change::Delete { object, final_state_unknown } => {
                    format!("-{}{}", word(object), if *final_state_unknown { "?" } else { "" })
                }
            });
        }
        if self.0.one_at_a_time.get() {
            self.pause();
        }
    }

    fn on_synced(&mut self) {
        self.0.told.borrow_mut().push("synced".into());
    }

    fn is_ready(&self) -> bool {
        !self.0.paused.get()
    }
}
