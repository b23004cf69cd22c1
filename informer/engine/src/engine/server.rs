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
    /// Whether the user may not read the identity. If so, it is not requested again.
    pub(super) identity_forbidden: Cell<bool>,
    /// Whether a probe is due: none has been sent yet, or a request has failed since.
    pub(super) is_due: Cell<bool>,
    /// Time of the first failure since the last response to a probe: a rejected request, or an informer that lost the
    /// server.
    pub(super) failing_since: Cell<Option<Duration>>,
    /// Whether a request has been rejected since the last probe.
    pub(super) was_rejected: Cell<bool>,
    /// Whether the last probe failed.
    pub(super) is_failing: Cell<bool>,
    /// Earliest time of the next probe.
    pub(super) not_before: Cell<Duration>,
    /// Whether the task that sends probes is running.
    pub(super) is_running: Cell<bool>,
}

impl HealthProbe {
    pub(super) fn new(transport: Rc<dyn Transport>) -> Self {
        let (uid, identity_forbidden, failing_since) = Default::default();
        let (was_rejected, is_failing, not_before, is_running) = Default::default();
        Self {
            transport,
            uid,
            identity_forbidden,
            is_due: Cell::new(true),
            failing_since,
            was_rejected,
            is_failing,
            not_before,
            is_running,
        }
    }

    /// Ends the task, and postpones the next probe.
    pub(super) fn postpone(&self, now: Duration) {
        self.is_running.set(false);
        self.not_before.set(now.saturating_add(HEALTH_PROBE_INTERVAL));
    }
}

/// State of a server's heartbeats.
pub(super) struct Heartbeat {
    /// Time of the last data from the server.
    pub(super) last_data_at: Rc<Cell<Duration>>,
    /// Number of visible pages of this server.
    pub(super) visible: Cell<usize>,
    /// Whether the task that sends heartbeats is running.
    pub(super) is_running: Cell<bool>,
    /// Time of the last failed heartbeat; `None` once the server responds.
    pub(super) failed_at: Cell<Option<Duration>>,
}

impl Heartbeat {
    /// Creates the state of a server that is first used now: silence is measured from this time.
    pub(super) fn new(now: Duration) -> Self {
        let (visible, is_running, failed_at) = Default::default();
        Self { last_data_at: Rc::new(Cell::new(now)), visible, is_running, failed_at }
    }

    /// Records the time of the response, and of each chunk of its body.
    pub(super) fn observe(&self, clock: &Rc<dyn Clock>, response: Response) -> Response {
        let (last_data_at, clock) = (Rc::clone(&self.last_data_at), Rc::clone(clock));
        last_data_at.set(clock.now());
        let body = response.body.inspect(move |chunk| {
            if chunk.is_ok() {
                last_data_at.set(clock.now());
            }
        });
        Response { body: body.boxed_local(), ..response }
    }
}
