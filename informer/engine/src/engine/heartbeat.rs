//! Heartbeat: one small request per server after ten seconds without data, while a page is visible.
//!
//! A quiet watch sends nothing for a minute, so a stopped proxy would go unnoticed for up to a minute. Heartbeats are
//! per server, not per informer, and stop while every page is hidden. Any data from the server, on any request,
//! replaces one. The code that measures the silence is in the first wasm file; the code that sends the request is
//! deferred (`deferred.rs`).

use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::cluster::Cluster;
use super::health_probe::VERSION;
use super::loading::load;
use super::request_timeout::with_timeout;
use super::server::Heartbeat;
use informer::cluster::ask;
use informer::deadlines::{HEARTBEAT_AFTER, HEARTBEAT_TIMEOUT};
use informer::transport::Request;
use informer::{ErrorCode, InformerError, Phase, SharedInformer};

impl Cluster {
    /// Counts a page that became visible or hidden.
    pub(super) fn set_page_visible(self: &Rc<Self>, visible: bool) {
        let Heartbeat { visible: count, is_running, .. } = &self.heartbeat;
        count.set(if visible { count.get() + 1 } else { count.get().saturating_sub(1) });
        if visible && !is_running.replace(true) {
            (self.runtime.spawn)(run_heartbeats(Rc::downgrade(self)).boxed_local());
        }
    }
}

/// Sends a heartbeat after each silence, and ends when no page is visible.
async fn run_heartbeats(cluster: Weak<Cluster>) {
    while let Some(cluster) = cluster.upgrade() {
        let Heartbeat { last_data_at, visible, is_running, .. } = &cluster.heartbeat;
        if visible.get() == 0 {
            is_running.set(false);
            return;
        }
        let mut pause = last_data_at.get().saturating_add(HEARTBEAT_AFTER).saturating_sub(cluster.runtime.clock.now());
        if pause.is_zero() {
            pause = match load().await {
                Ok(deferred) => deferred.send_heartbeat(&cluster).await,
                Err(_) => HEARTBEAT_AFTER,
            };
        }
        let pause = cluster.runtime.clock.sleep(pause);
        drop(cluster);
        pause.await;
    }
}

/// Sends one heartbeat, reports its outcome to the informers, and returns the minimum pause before the next.
pub(super) fn send_heartbeat(cluster: &Rc<Cluster>) -> LocalBoxFuture<'_, Duration> {
    async move {
        let (clock, heartbeat) = (&cluster.runtime.clock, &cluster.heartbeat);
        let informers = cluster.factory.informers();
        let is_running = |informer: &SharedInformer<_>| {
            !matches!(informer.status().phase, Phase::Idle | Phase::Stopped | Phase::Failed)
        };
        if !informers.iter().any(is_running) {
            return HEARTBEAT_AFTER;
        }
        // After the first failure, the health probe replaces it (`health_probe.rs`).
        if heartbeat.failed_at.get().is_some_and(|failed| heartbeat.last_data_at.get() <= failed) {
            cluster.heartbeat_failed();
            cluster.probe_if_due(clock.now());
            return HEARTBEAT_AFTER;
        }
        let sent = clock.now();
        let request = Request::get(VERSION);
        let connection = request.connection.clone();
        let response = pin!(ask(&cluster.health_probe.transport, request, &[]));
        let error = match with_timeout(&**clock, HEARTBEAT_TIMEOUT, response).await {
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
        match error.filter(|_| heartbeat.last_data_at.get() <= sent) {
            Some(error) => {
                heartbeat.failed_at.set(Some(clock.now()));
                cluster.heartbeat_failed();
                for informer in &informers {
                    informer.unreachable(error.clone());
                }
            }
            None => cluster.server_responded(),
        }
        HEARTBEAT_AFTER
    }
    .boxed_local()
}
