//! What is known about a server beside what informers know: the state of the health probe and of heartbeats.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use informer::clock::Clock;
use informer::deadlines::HEALTH_PROBE_INTERVAL;
use informer::transport::{Response, Transport};

/// What is known about a server, beside what informers know.
pub(super) struct HealthProbe {
    /// The transport of the probes, which does not report their outcomes here.
    pub(super) transport: Rc<dyn Transport>,
    /// The identity of the cluster, as far as it is known.
    pub(super) uid: RefCell<Option<String>>,
    /// Whether the server withholds it from this user; then it is not requested again.
    pub(super) withheld: Cell<bool>,
    /// Whether there is reason for a probe: none was sent yet, or there was trouble.
    pub(super) wanted: Cell<bool>,
    /// When, since the last response to a probe, a request was first refused, or an informer lost the server.
    pub(super) trouble: Cell<Option<Duration>>,
    /// Whether a request was refused since.
    pub(super) refused: Cell<bool>,
    /// Whether the last probe failed.
    pub(super) away: Cell<bool>,
    /// When the next probe may be sent.
    pub(super) next: Cell<Duration>,
    /// Whether the task that sends probes runs.
    pub(super) runs: Cell<bool>,
}

impl HealthProbe {
    pub(super) fn new(transport: Rc<dyn Transport>) -> Self {
        let (uid, withheld, trouble, refused, away, next, runs) = Default::default();
        Self { transport, uid, withheld, wanted: Cell::new(true), trouble, refused, away, next, runs }
    }

    /// The transport of probes and heartbeats.
    pub(super) fn transport(&self) -> &Rc<dyn Transport> {
        &self.transport
    }

    /// Ends the task, and puts the next probe off.
    pub(super) fn rest(&self, now: Duration) {
        self.runs.set(false);
        self.next.set(now.saturating_add(HEALTH_PROBE_INTERVAL));
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
