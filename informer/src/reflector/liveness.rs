//! Liveness: whether the server is reachable, whether it is the same cluster, and whether the open watch is really
//! live.
//!
//! An apiserver accepts a watch from a version that it has not reached and then stays silent forever (WIRE 0.4); a
//! half-open connection looks the same. So silence is never trusted: each state that waits has a deadline
//! (`crate::deadlines`).
//!
//! | module | question |
//! |---|---|
//! | `verification` | Does the server have the version that a watch would resume from? A probe before the watch shows it. |
//! | `catch_up` | After an outage, has the watch reached the version that the probe returned? |
//! | `silence` | For how long may a watch be silent? |
//! | `activity` | For how long, if it was busy? |
//! | `suspicion` | May the open watch be dead? Then it must send a message soon. |
//! | `heartbeat` | Did the engine's heartbeat reach the server? |
//! | `replacement` | Has another cluster the same URL? |
//! | `sleep` | Has the machine slept? |
//! | `undecodable` | Is an event missing because it could not be decoded? |
//! | `polling` | Can the resource be listed but not watched? |
//!
//! The engine's server health probe answers whether the server is reachable for all its informers; its limits are in
//! the same table.

mod activity;
mod catch_up;
mod heartbeat;
mod polling;
mod replacement;
mod silence;
pub(super) mod sleep;
mod suspicion;
mod undecodable;
mod verification;

use std::time::Duration;

use crate::deadlines::VERIFIED_FOR;
pub(super) use activity::Activity;
pub(super) use catch_up::CatchUp;
pub(super) use polling::Polling;
pub(super) use silence::Silence;
pub(super) use suspicion::Suspicion;
pub(super) use undecodable::Undecodable;

/// Liveness of the server and of the watch.
#[derive(Debug)]
pub(super) struct Liveness {
    /// Time at which the server last showed that it has the version: by a list, a probe, or a message of a watch.
    /// `None` if that no longer counts, because the server was unreachable or the watch is suspect.
    verified_at: Option<Duration>,
    /// Version that a watch must reach after an outage before it is live.
    pub(super) catch_up: CatchUp,
    pub(super) activity: Activity,
    pub(super) suspicion: Suspicion,
    pub(super) silence: Silence,
    pub(super) undecodable: Undecodable,
}

impl Liveness {
    pub(super) fn new(silence_timeout: Duration) -> Self {
        Self {
            verified_at: None,
            catch_up: CatchUp::default(),
            activity: Activity::default(),
            suspicion: Suspicion::default(),
            silence: Silence::new(silence_timeout),
            undecodable: Undecodable::default(),
        }
    }

    /// Records that the server has the version.
    pub(super) fn verify(&mut self, now: Duration) {
        self.verified_at = Some(now);
    }

    /// Requires a new verification of the server or the watch.
    pub(super) fn unverify(&mut self) {
        self.verified_at = None;
    }

    /// Whether a watch may be resumed without a probe. An outage during a long pause would go undetected.
    fn is_verified(&self, now: Duration) -> bool {
        let recent = self.verified_at.is_some_and(|at| now.saturating_sub(at) <= VERIFIED_FOR);
        recent && !self.catch_up.is_pending()
    }
}
