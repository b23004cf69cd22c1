//! Server state: the health probe and the heartbeats of one server.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use informer::clock::Clock;
use informer::deadlines::HEALTH_PROBE_INTERVAL;
use informer::transport::{Response, Transport};

/// State of the health probe.
pub(super) struct HealthProbe {
    /// The transport of probes and heartbeats, which does not report their outcomes here.
    pub(super) transport: Rc<dyn Transport>,
    /// Identity of the cluster, if known.
    pub(super) uid: RefCell<Option<String>>,
    /// Whether the user may not read the identity; then it is not requested again.
    pub(super) withheld: Cell<bool>,
    /// Whether a probe is due: none was sent yet, or there was trouble.
    pub(super) wanted: Cell<bool>,
    /// Time of the first failure since the last response to a probe: a rejected request, or an informer that lost the
    /// server.
    pub(super) trouble: Cell<Option<Duration>>,
    /// Whether a request was rejected since.
    pub(super) refused: Cell<bool>,
    /// Whether the last probe failed.
    pub(super) away: Cell<bool>,
    /// Earliest time of the next probe.
    pub(super) next: Cell<Duration>,
    /// Whether the task that sends probes runs.
    pub(super) runs: Cell<bool>,
}

impl HealthProbe {
    pub(super) fn new(transport: Rc<dyn Transport>) -> Self {
        let (uid, withheld, trouble, refused, away, next, runs) = Default::default();
        Self { transport, uid, withheld, wanted: Cell::new(true), trouble, refused, away, next, runs }
    }

    /// Ends the task, and postpones the next probe.
    pub(super) fn rest(&self, now: Duration) {
        self.runs.set(false);
        self.next.set(now.saturating_add(HEALTH_PROBE_INTERVAL));
    }
}

/// State of a server's heartbeats.
pub(super) struct Heartbeat {
    /// Time of the last data from the server.
    pub(super) heard: Rc<Cell<Duration>>,
    /// Number of visible pages of this server.
    pub(super) visible: Cell<usize>,
    /// Whether the task runs.
    pub(super) runs: Cell<bool>,
    /// Time of the last failed heartbeat; `None` once the server responds.
    pub(super) failed: Cell<Option<Duration>>,
}

impl Heartbeat {
    /// Creates the state of a server that is first used now: silence is counted from here.
    pub(super) fn new(now: Duration) -> Self {
        let (visible, runs, failed) = Default::default();
        Self { heard: Rc::new(Cell::new(now)), visible, runs, failed }
    }

    /// Records the head of a response, and each chunk of its body.
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
