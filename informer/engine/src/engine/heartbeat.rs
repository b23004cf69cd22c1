//! Heartbeat: one small request per server after ten seconds without data, while a page is visible.
//!
//! A quiet watch sends nothing for a minute, so a stopped proxy would go unnoticed for up to a minute. Heartbeats
//! are per server, not per informer, and stop while every page is hidden. Any data from the server, on any request, replaces
//! one. What measures the silence is in the first wasm file; the request itself is reached through `deferred.rs`.

use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::cluster::Cluster;
use super::health_probe::VERSION;
use super::loading::load;
use super::request_timeout::within;
use super::server::Heartbeat;
use informer::cluster::ask;
use informer::deadlines::{HEARTBEAT_AFTER, HEARTBEAT_TIMEOUT};
use informer::transport::Request;
use informer::{ErrorCode, InformerError, Phase, SharedInformer};

impl Cluster {
    /// Counts a page that became visible or hidden.
    pub(super) fn show(self: &Rc<Self>, visible: bool) {
        let Heartbeat { visible: count, runs, .. } = &self.heartbeat;
        count.set(if visible { count.get() + 1 } else { count.get().saturating_sub(1) });
        if visible && !runs.replace(true) {
            (self.runtime.spawn)(beating(Rc::downgrade(self)).boxed_local());
        }
    }
}

/// Waits for silence while a page is visible.
async fn beating(cluster: Weak<Cluster>) {
    while let Some(cluster) = cluster.upgrade() {
        let Heartbeat { heard, visible, runs, .. } = &cluster.heartbeat;
        if visible.get() == 0 {
            runs.set(false);
            return;
        }
        let mut pause = heard.get().saturating_add(HEARTBEAT_AFTER).saturating_sub(cluster.runtime.clock.now());
        if pause.is_zero() {
            pause = match load().await {
                Ok(deferred) => deferred.beat(&cluster).await,
                Err(_) => HEARTBEAT_AFTER,
            };
        }
        let pause = cluster.runtime.clock.sleep(pause);
        drop(cluster);
        pause.await;
    }
}

/// Sends one heartbeat, reports its outcome to the informers, and returns the minimum pause before the next.
pub(super) fn beat(cluster: &Rc<Cluster>) -> LocalBoxFuture<'_, Duration> {
    async move {
        let (clock, heartbeat) = (&cluster.runtime.clock, &cluster.heartbeat);
        let informers = cluster.factory.informers();
        let runs = |informer: &SharedInformer<_>| {
            !matches!(informer.status().phase, Phase::Idle | Phase::Stopped | Phase::Failed)
        };
        if !informers.iter().any(runs) {
            return HEARTBEAT_AFTER;
        }
        // After the first failure, the health probe replaces it (`health_probe.rs`).
        if heartbeat.failed.get().is_some_and(|failed| heartbeat.heard.get() <= failed) {
            cluster.lose();
            cluster.probe_if_wanted(clock.now());
            return HEARTBEAT_AFTER;
        }
        let sent = clock.now();
        let request = Request::get(VERSION);
        let connection = request.connection.clone();
        let answer = pin!(ask(&cluster.health_probe.transport, request, &[]));
        let error = match within(&**clock, HEARTBEAT_TIMEOUT, answer).await {
            Some(Ok(_)) => None,
            // The server is reachable but busy.
            Some(Err(error)) if error.code() == ErrorCode::Throttled => None,
            Some(Err(error)) => Some(error),
            // A request that is queued for a connection is no evidence about the server.
            None if connection.is_queued() => return HEARTBEAT_TIMEOUT,
            None => {
                let message =
                    format!("the server did not respond to a heartbeat within {} s", HEARTBEAT_TIMEOUT.as_secs());
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
        HEARTBEAT_AFTER
    }
    .boxed_local()
}
