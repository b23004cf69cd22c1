//! Verification: a probe before a watch, which shows whether the server has the version.
//!
//! An apiserver accepts a watch from a version that it has not reached, because the cluster was restored from a backup,
//! and stays silent forever (WIRE 0.4). So after an outage a probe, a list of one object, requests the newest version
//! before the watch is opened again. The watch is live once it has reached that version (`catch_up.rs`). Opening the
//! watch first, with the probe in parallel, would save the round trip if an event arrives in time. But it needs a
//! second connection beside the stream, of which a browser has few, and adds states in which both can fail.

use std::time::Duration;

use crate::error::InformerError;
use crate::object::Keyed;
use crate::reflector::current_error::is_passing;
use crate::reflector::slot::Slot;
use crate::reflector::state::{Follows, Next, ProbeReason, Probing, State};
use crate::reflector::version::went_back;
use crate::reflector::{Command, ProtocolStep, Reflector, Step};

impl<T: Keyed> Reflector<T> {
    /// Resumes the watch from the last version, after a probe if the server is not verified.
    pub(in crate::reflector) fn resume(&mut self, now: Duration) -> Step<T> {
        if self.liveness.is_verified(now) {
            self.watch(Follows::Watch, now)
        } else {
            self.probe(ProbeReason::Outage, now)
        }
    }

    /// Begins with a watch from a persisted version. The cluster may have been restored from an older backup meanwhile,
    /// so a probe precedes the watch.
    pub(in crate::reflector) fn start_restored(&mut self, now: Duration) -> Step<T> {
        self.probe(ProbeReason::Precaution, now)
    }

    /// Requests the newest version.
    pub(in crate::reflector) fn probe(&mut self, reason: ProbeReason, now: Duration) -> Step<T> {
        self.metrics.probes += 1;
        let due = now.saturating_add(self.options.open_timeout);
        self.state = State::Probing(Probing { due, slot: Slot::Granted, reason });
        Step::command(Command::Probe)
    }

    /// Takes the newest version of the server. It verifies the server, unless it is lower than that of the cache: then
    /// the cluster was restored or replaced, a watch would be silent forever, and a list follows. (Correctness does not
    /// depend on the order of versions: at worst the list is unnecessary.)
    pub(in crate::reflector) fn probed(&mut self, version: &str, now: Duration) -> Step<T> {
        let State::Probing(Probing { reason, .. }) = self.state else { return Step::none() };
        if went_back(self.version.as_str(), version) {
            self.version.request_newest();
            self.history.record(now, ProtocolStep::WentBack);
            return self.relist(now);
        }
        if self.falls_behind(version) {
            self.want_newer();
            return self.relist(now);
        }
        self.liveness.verify(now);
        self.liveness.catch_up.probed(reason, version, self.version.as_str());
        self.watch(Follows::Watch, now)
    }

    /// Returns the step after the probe was rejected or timed out.
    pub(in crate::reflector) fn probe_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        // If the user may no longer list the resource, a list shows it.
        let next = if is_passing(error.code()) { Next::Watch } else { Next::Relist };
        self.back_off(error, next, now)
    }
}
