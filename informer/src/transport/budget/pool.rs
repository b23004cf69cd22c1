//! Pool: the connections to one host, their holders, and the requests that are queued for one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::task::Waker;
use std::time::Duration;

use futures::channel::oneshot;

use crate::clock::Clock;
use crate::transport::connections::ConnectionUse;

/// Connections to one host, shared by all transports to it.
pub(super) struct Host {
    pub(super) clock: Rc<dyn Clock>,
    pub(super) streams: RefCell<Pool>,
    pub(super) answers: RefCell<Pool>,
}

impl Host {
    pub(super) fn pool(&self, purpose: Purpose) -> &RefCell<Pool> {
        match purpose {
            Purpose::Stream => &self.streams,
            Purpose::Finite => &self.answers,
        }
    }

    pub(super) fn take(self: &Rc<Self>, purpose: Purpose, own: &Rc<Cell<usize>>) -> Slot {
        own.set(own.get() + usize::from(purpose == Purpose::Stream));
        let holder = Rc::new(ConnectionHolder {
            own: Rc::clone(own),
            since: Cell::new(self.clock.now()),
            revoked: Cell::new(false),
            movable: Cell::new(false),
            waker: RefCell::default(),
        });
        self.pool(purpose).borrow_mut().holders.push(Rc::clone(&holder));
        Slot { host: Rc::downgrade(self), purpose, holder }
    }
}

/// Connections for one purpose.
#[derive(Default)]
pub(super) struct Pool {
    /// Requests that have a connection.
    pub(super) holders: Vec<Rc<ConnectionHolder>>,
    /// Requests that are queued for a connection; some may be cancelled.
    pub(super) queue: VecDeque<Queued>,
}

/// Request that is queued for a connection.
pub(super) struct Queued {
    pub(super) sender: oneshot::Sender<Slot>,
    /// Number of streams of its transport, and the maximum.
    pub(super) own: Rc<Cell<usize>>,
    pub(super) own_limit: usize,
}

impl Queued {
    pub(super) fn is_canceled(&self) -> bool {
        self.sender.is_canceled()
    }

    pub(super) fn may_take(&self, purpose: Purpose) -> bool {
        purpose == Purpose::Finite || self.own.get() < self.own_limit
    }
}

impl Pool {
    pub(super) fn connection_use(&self, limit: usize) -> ConnectionUse {
        let queued = self.queue.iter().filter(|queued| !queued.is_canceled()).count();
        ConnectionUse { used: self.holders.len(), limit, queued }
    }
}

/// Purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Stream,
    /// A finite response.
    Finite,
}

/// Request that has a connection.
pub(super) struct ConnectionHolder {
    /// Number of streams of its transport, which identifies the transport, too.
    pub(super) own: Rc<Cell<usize>>,
    /// Time of its response; before the response, the time when it got the connection.
    pub(super) since: Cell<Duration>,
    pub(super) revoked: Cell<bool>,
    /// Whether the request can be repeated over a WebSocket at no cost but the handshake.
    pub(super) movable: Cell<bool>,
    pub(super) waker: RefCell<Option<Waker>>,
}

impl ConnectionHolder {
    /// Begins the turn of a stream whose response has arrived. The response may have waited for a connection elsewhere
    /// for longer than a turn, and would otherwise end before its first byte.
    pub(super) fn begin_turn(&self, now: Duration) {
        self.since.set(now);
        self.revoked.set(false);
    }

    pub(super) fn revoke(&self) {
        self.revoked.set(true);
        let waker = self.waker.borrow_mut().take();
        // Without a borrow: waking may run the task at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Connection of a request. Dropping it passes it to the next request in the queue.
pub(super) struct Slot {
    pub(super) host: Weak<Host>,
    pub(super) purpose: Purpose,
    pub(super) holder: Rc<ConnectionHolder>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some(host) = self.host.upgrade() else { return };
        let pool = host.pool(self.purpose);
        pool.borrow_mut().holders.retain(|holder| !Rc::ptr_eq(holder, &self.holder));
        let own = &self.holder.own;
        own.set(own.get() - usize::from(self.purpose == Purpose::Stream));
        let next = {
            let queue = &mut pool.borrow_mut().queue;
            queue.retain(|queued| !queued.is_canceled());
            let at = queue.iter().position(|queued| queued.may_take(self.purpose));
            at.and_then(|at| queue.remove(at))
        };
        if let Some(Queued { sender, own, .. }) = next {
            drop(sender.send(host.take(self.purpose, &own)));
        }
    }
}
