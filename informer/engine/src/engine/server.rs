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
    /// Transport whose responses are not observed here.
    pub(super) transport: Rc<dyn Transport>,
    /// Identity of the cluster, as far as it is known.
    pub(super) uid: RefCell<Option<String>>,
    /// The user may not read the identity, so it is not requested again.
    pub(super) untold: Cell<bool>,
    /// A probe is needed: there was none yet, or there was trouble.
    pub(super) wanted: Cell<bool>,
    /// Time of the first refusal or loss of connection since the last response.
    pub(super) trouble: Cell<Option<Duration>>,
    /// Whether a request was refused.
    pub(super) refused: Cell<bool>,
    /// The last probe was not answered.
    pub(super) away: Cell<bool>,
    /// Earliest time of the next probe.
    pub(super) next: Cell<Duration>,
    /// Whether a probing task exists.
    pub(super) asks: Cell<bool>,
}

impl Outage {
    pub(super) fn new(transport: Rc<dyn Transport>) -> Self {
        let (uid, untold, trouble, refused, away, next, asks) = Default::default();
        Self { transport, uid, untold, wanted: Cell::new(true), trouble, refused, away, next, asks }
    }

    /// Transport whose responses are not observed here.
    pub(super) fn transport(&self) -> &Rc<dyn Transport> {
        &self.transport
    }

    /// No probe is in flight, and none for a while.
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
