//! Heartbeat: one small request per server after ten seconds without data, while a page is visible.
//!
//! A quiet watch sends nothing for a minute, so a stopped proxy beneath it would be shown as live for as long. Heartbeats
//! are per server, not per informer, and stop while every page is hidden. Any data from the server, on any request, replaces
//! one. This file measures the silence and is small; the request itself is deferred code.

use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, select};

use super::cluster::Cluster;
use super::loading::load;
use super::outage::VERSION;
use super::server::Heartbeat;
use informer::cluster::ask;
use informer::transport::Request;
use informer::{ErrorCode, InformerError, Phase, SharedInformer};

/// After so long without a byte from the server a heartbeat is sent.
const SILENCE: Duration = Duration::from_secs(10);

/// How long its answer may take. With [`SILENCE`] that is less than 15 seconds.
const TIMEOUT: Duration = Duration::from_secs(4);

impl Cluster {
    /// One page more is visible, or one less.
    pub(super) fn show(self: &Rc<Self>, visible: bool) {
        let Heartbeat { visible: count, runs, .. } = &self.heartbeat;
        count.set(if visible { count.get() + 1 } else { count.get().saturating_sub(1) });
        if visible && !runs.replace(true) {
            (self.runtime.spawn)(beating(Rc::downgrade(self)).boxed_local());
        }
    }
}

/// Waits for silences as long as a page is visible.
async fn beating(cluster: Weak<Cluster>) {
    while let Some(cluster) = cluster.upgrade() {
        let Heartbeat { heard, visible, runs, .. } = &cluster.heartbeat;
        if visible.get() == 0 {
            runs.set(false);
            return;
        }
        let mut pause = heard.get().saturating_add(SILENCE).saturating_sub(cluster.runtime.clock.now());
        if pause.is_zero() {
            pause = match load().await {
                Ok(deferred) => deferred.beat(&cluster).await,
                Err(_) => SILENCE,
            };
        }
        let pause = cluster.runtime.clock.sleep(pause);
        drop(cluster);
        pause.await;
    }
}

/// Sends one heartbeat, tells the informers what became of it, and says how long to wait at least.
pub(super) fn beat(cluster: &Rc<Cluster>) -> LocalBoxFuture<'_, Duration> {
    async move {
        let (clock, heartbeat) = (&cluster.runtime.clock, &cluster.heartbeat);
        let informers = cluster.factory.informers();
        let runs = |informer: &SharedInformer<_>| {
            !matches!(informer.status().phase, Phase::Idle | Phase::Stopped | Phase::Failed)
        };
        if !informers.iter().any(runs) {
            return SILENCE;
        }
        // From the first failure on, the question who the server is takes its place (`outage.rs`).
        if heartbeat.failed.get().is_some_and(|failed| heartbeat.heard.get() <= failed) {
            cluster.lose();
            cluster.ask_if_wanted(clock.now());
            return SILENCE;
        }
        let sent = clock.now();
        let request = Request::get(VERSION);
        let ticket = request.ticket.clone();
        let answer = pin!(ask(cluster.outage.transport(), request, &[]));
        let error = match select(answer, clock.sleep(TIMEOUT)).await {
            Either::Left((Ok(_), _)) => None,
            // It is there, and busy.
            Either::Left((Err(error), _)) if error.code() == ErrorCode::Throttled => None,
            Either::Left((Err(error), _)) => Some(error),
            // What was not sent says nothing of the server.
            Either::Right(_) if ticket.is_waiting() => return TIMEOUT,
            Either::Right(_) => {
                let message = format!("the server did not respond to a heartbeat within {} s", TIMEOUT.as_secs());
                Some(InformerError::new(ErrorCode::Timeout, message))
            }
        };
        match error.filter(|_| heartbeat.heard.get() <= sent) {
            Some(error) => {
                heartbeat.failed.set(Some(clock.now()));
                cluster.lose();
                for informer in &informers {
                    informer.unreachable(error.clone());
                }
            }
            None => cluster.revive(),
        }
        SILENCE
    }
    .boxed_local()
}
