//! What whoever asked is told of its place among those who share connections.

use std::cell::Cell;
use std::rc::Rc;

/// A place in the queue for connections. Who asks keeps it, and who shares them out writes on it; nobody is woken by that,
/// as what is written always goes with a turn of the future or the stream that it is about.
#[derive(Clone, Debug, Default)]
pub struct Ticket(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Cell<bool>,
    recalled: Cell<bool>,
}

impl Ticket {
    /// Whether the request has not been sent, because there is no connection for it.
    pub fn is_waiting(&self) -> bool {
        self.0.waiting.get()
    }

    /// Whether the stream was ended for others to have their turn; says so once.
    pub fn take_recalled(&self) -> bool {
        self.0.recalled.take()
    }

    pub(super) fn wait(&self) {
        self.0.waiting.set(true);
    }

    pub(super) fn sent(&self) {
        self.0.waiting.set(false);
        self.0.recalled.set(false);
    }

    pub(super) fn recall(&self) {
        self.0.recalled.set(true);
    }
}

/// It says nothing of what is asked for.
impl PartialEq for Ticket {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Ticket {}
