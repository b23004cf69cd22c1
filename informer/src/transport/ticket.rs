//! Connection slots: the state of a request that is queued for a shared connection, and its result.

use std::cell::Cell;
use std::rc::Rc;

/// What a stream goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The answer to an HTTP request, which stays open.
    Fetch,
    /// A WebSocket.
    WebSocket,
}

impl Carrier {
    /// Its name in messages and in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::WebSocket => "websocket",
        }
    }
}

/// A place in the queue for connections. The requester keeps it, and the budget writes to it; this wakes no task,
/// as what is written always goes with a turn of the future or the stream that it is about.
#[derive(Clone, Debug, Default)]
pub struct Ticket(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    queued: Cell<bool>,
    revoked: Cell<bool>,
    over_socket: Cell<bool>,
    streaming: Cell<bool>,
    requests: Cell<u64>,
    bytes: Cell<u64>,
}

impl Ticket {
    /// Whether the request has not been sent, because there is no connection for it.
    pub fn is_queued(&self) -> bool {
        self.0.queued.get()
    }

    /// Whether the connection slot was revoked, so that another stream can have it; true once.
    pub fn take_revoked(&self) -> bool {
        self.0.revoked.take()
    }

    /// What carries the stream that is open; `None` while none is.
    pub fn carrier(&self) -> Option<Carrier> {
        let carrier = if self.0.over_socket.get() { Carrier::WebSocket } else { Carrier::Fetch };
        self.0.streaming.get().then_some(carrier)
    }

    /// How often something was asked for.
    pub fn requests(&self) -> u64 {
        self.0.requests.get()
    }

    /// Bytes of answers, as they were read: a browser has decompressed them by then.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.get()
    }

    /// Counts on from where another one is.
    pub(crate) fn count_on_from(&self, before: &Self) {
        if !Rc::ptr_eq(&self.0, &before.0) {
            self.0.requests.set(self.requests() + before.requests());
            self.0.bytes.set(self.bytes() + before.bytes());
        }
    }

    /// Something is asked for.
    pub(crate) fn asked(&self) {
        self.0.requests.set(self.requests() + 1);
    }

    /// So many bytes of an answer were read.
    pub(crate) fn came(&self, bytes: usize) {
        self.0.bytes.set(self.bytes() + bytes as u64);
    }

    /// A stream is open, until what is returned is dropped.
    pub(crate) fn streams(&self) -> Streaming {
        self.0.streaming.set(true);
        Streaming(self.clone())
    }

    /// There is no connection, until what is returned is dropped: it was got, or is not wanted any more.
    pub(super) fn queue(&self) -> Queued {
        self.0.queued.set(true);
        Queued(self.clone())
    }

    pub(super) fn sent(&self) {
        self.0.queued.set(false);
        self.0.revoked.set(false);
        self.0.over_socket.set(false);
    }

    /// What was sent went over a WebSocket.
    pub(super) fn went_over_socket(&self) {
        self.0.over_socket.set(true);
    }

    pub(super) fn revoke(&self) {
        self.0.revoked.set(true);
    }
}

/// It says nothing of what is asked for.
impl PartialEq for Ticket {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Ticket {}

/// A stream that is open.
pub(crate) struct Streaming(Ticket);

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.0.streaming.set(false);
    }
}

/// A request that is queued for a connection.
pub(super) struct Queued(Ticket);

impl Drop for Queued {
    fn drop(&mut self) {
        self.0.0.queued.set(false);
    }
}
