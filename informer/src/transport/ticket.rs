//! What whoever asked is told of its place among those who share connections.

use std::cell::Cell;
use std::rc::Rc;

/// What carries a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carrier {
    /// A connection of its own for each request, as `fetch` has over HTTP/1.1, or one of many streams in one.
    #[default]
    Http,
    /// A WebSocket.
    WebSocket,
}

impl Carrier {
    /// Its name in messages and in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "fetch",
            Self::WebSocket => "websocket",
        }
    }
}

/// A place in the queue for connections. Who asks keeps it, and who shares them out writes on it; nobody is woken by that,
/// as what is written always goes with a turn of the future or the stream that it is about.
#[derive(Clone, Debug, Default)]
pub struct Ticket(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Cell<bool>,
    recalled: Cell<bool>,
    carrier: Cell<Carrier>,
}

impl Ticket {
    /// Whether the request has not been sent, because there is no connection for it.
    pub fn is_waiting(&self) -> bool {
        self.0.waiting.get()
    }

    /// What carries the stream, or carried it last.
    pub fn carrier(&self) -> Carrier {
        self.0.carrier.get()
    }

    /// Whether the stream was ended for others to have their turn; says so once.
    pub fn take_recalled(&self) -> bool {
        self.0.recalled.take()
    }

    pub(super) fn wait(&self) {
        self.0.waiting.set(true);
    }

    pub(super) fn send_by(&self, carrier: Carrier) {
        self.0.waiting.set(false);
        self.0.recalled.set(false);
        self.0.carrier.set(carrier);
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
