//! What is known of a server beside what informers know: the state of the health probe and of heartbeats.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use informer::clock::Clock;
use informer::transport::{Response, Transport};

/// Between two questions, whatever goes wrong.
pub(super) const EVERY: Duration = Duration::from_secs(10);

/// What is known of a server, beside what informers know.
pub(super) struct Outage {
    /// The way to it, on which nothing is noted.
    pub(super) transport: Rc<dyn Transport>,
    /// Which cluster it is, as far as it has said.
    pub(super) uid: RefCell<Option<String>>,
    /// It does not say so to this user, and is not asked again.
    pub(super) untold: Cell<bool>,
    /// There is reason to ask: nobody did yet, or there was trouble.
    pub(super) wanted: Cell<bool>,
    /// When, since the last answer, somebody was first refused or had lost the server.
    pub(super) trouble: Cell<Option<Duration>>,
    /// Whether somebody was refused.
    pub(super) refused: Cell<bool>,
    /// The last question was not answered.
    pub(super) away: Cell<bool>,
    /// When the next question may be asked.
    pub(super) next: Cell<Duration>,
    /// A task is there that asks.
    pub(super) asks: Cell<bool>,
}

impl Outage {
    pub(super) fn new(transport: Rc<dyn Transport>) -> Self {
        let (uid, untold, trouble, refused, away, next, asks) = Default::default();
        Self { transport, uid, untold, wanted: Cell::new(true), trouble, refused, away, next, asks }
    }

    /// The way to the server, on which nothing is noted.
    pub(super) fn transport(&self) -> &Rc<dyn Transport> {
        &self.transport
    }

    /// Nobody asks any more, nor for a while.
    pub(super) fn rest(&self, now: Duration) {
        self.asks.set(false);
        self.next.set(now.saturating_add(EVERY));
    }
}

/// What a server's heartbeats know.
#[derive(Default)]
pub(super) struct Heartbeat {
    /// When anything came from the server last.
    pub(super) heard: Rc<Cell<Duration>>,
    /// How many pages of this server are visible.
    pub(super) visible: Cell<usize>,
    /// Whether the task runs.
    pub(super) runs: Cell<bool>,
    /// When the last heartbeat failed, until the server answers.
    pub(super) failed: Cell<Option<Duration>>,
}

impl Heartbeat {
    /// Notes the head of an answer, and each chunk of its body.
    pub(super) fn listen(&self, clock: &Rc<dyn Clock>, response: Response) -> Response {
        let (heard, clock) = (Rc::clone(&self.heard), Rc::clone(clock));
        heard.set(clock.now());
        let body = response.body.inspect(move |chunk| {
            if chunk.is_ok() {
                heard.set(clock.now());
            }
        });
        Response { body: body.boxed_local(), ..response }
    }
}
