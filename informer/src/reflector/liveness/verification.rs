//! Verification: a probe before a watch, which shows whether the server has the version.
//!
//! An apiserver accepts a watch from a version that it has not reached, because the cluster was restored from a backup, and
//! stays silent forever (WIRE 0.4). So after an outage a probe, a list of one object, asks for the newest version before the
//! watch is opened again. The watch is live once it has come as far (`catch_up.rs`). To open the watch first and probe
//! beside it would save the round trip where an event comes in time; but it takes a second request in flight beside the
//! stream, of which a browser has few, and adds states in which both can fail.

use std::time::Duration;

use crate::error::InformerError;
use crate::object::Keyed;
use crate::reflector::slot::Slot;
use crate::reflector::state::{Follows, Next, ProbeReason, Probing, State};
use crate::reflector::trouble::is_passing;
use crate::reflector::version::went_back;
use crate::reflector::{Command, ProtocolStep, Reflector, Step};

impl<T: Keyed> Reflector<T> {
    /// Opens the watch from where it was, behind a probe if the server is not verified.
    pub(in crate::reflector) fn resume(&mut self, now: Duration) -> Step<T> {
        if self.liveness.is_verified(now) {
            self.watch(Follows::Watch, now)
        } else {
            self.probe(ProbeReason::Outage, now)
        }
    }

    /// Begins with a watch from a persisted version. The cluster may have been restored from a backup meanwhile, to before
    /// that version, so a probe comes first.
    pub(in crate::reflector) fn start_restored(&mut self, now: Duration) -> Step<T> {
        self.probe(ProbeReason::Precaution, now)
    }

    /// Asks for the newest version.
    pub(in crate::reflector) fn probe(&mut self, reason: ProbeReason, now: Duration) -> Step<T> {
        self.metrics.probes += 1;
        let due = now.saturating_add(self.options.open_timeout);
        self.state = State::Probing(Probing { due, slot: Slot::Held, reason });
        Step::command(Command::Probe)
    }

    /// Takes the newest version that the server has. It verifies the server, unless it lies before that of the cache: then
    /// the cluster was restored or replaced, a watch would be silent forever, and a list follows. (Nothing that must be
    /// right follows from the order of versions: the list would only be needless.)
    pub(in crate::reflector) fn probed(&mut self, version: &str, now: Duration) -> Step<T> {
        let State::Probing(Probing { reason, .. }) = self.state else { return Step::none() };
        if went_back(self.version.as_str(), version) {
            self.version.ask_for_newest();
            self.history.note(now, ProtocolStep::WentBack);
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

    /// The probe was refused, or not answered in time.
    pub(in crate::reflector) fn probe_failed(&mut self, error: InformerError, now: Duration) -> Step<T> {
        // A resource that may not be listed any more shows that in a list.
        let next = if is_passing(error.code()) { Next::Watch } else { Next::Relist };
        self.back_off(error, next, now)
    }
}
