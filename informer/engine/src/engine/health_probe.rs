//! Health probe: one small request per server, shared by all informers. It is sent if the server may be shutting down,
//! or was unreachable. It shows whether the server responds, and whether it is still the same cluster.
//!
//! One rejected request is weak evidence: an aggregated API may be down alone. If the probe is rejected too, open
//! watches become suspect: an apiserver that shuts down rejects new requests and keeps its watches open for a minute
//! (WIRE 6). If another cluster responds, the cached objects belong to the old one. Versions alone do not show that:
//! those of the new cluster may be higher.
//!
//! The probe is deferred code, which is not loaded while all requests succeed. If a failed request is what loads it,
//! the earlier cluster is unknown, so everything listed before is relisted once.
//!
//! Its limits are in [`informer::deadlines`], beside those of the informers.

use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::cluster::Cluster;
use super::loading::{Deferred, loaded, when_loaded};
use super::request_timeout::with_timeout;
use super::server::HealthProbe;
use informer::cluster::{NAMESPACE, UID, ask};
use informer::deadlines::{HEALTH_PROBE_INTERVAL, HEALTH_PROBE_RETRY, HEALTH_PROBE_TIMEOUT};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, InformerError, Result, SharedInformer};

/// Path of the version, readable by every user, even without access to the namespace that identifies the cluster.
pub(super) const VERSION: &str = "/version";

/// Transport of informers that reports the outcome of their requests to the health probe.
pub(super) struct ObservedTransport {
    pub(super) transport: Rc<dyn Transport>,
    pub(super) cluster: Weak<Cluster>,
}

impl Transport for ObservedTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let cluster = Weak::clone(&self.cluster);
        if request.probe
            && let Some(cluster) = cluster.upgrade()
        {
            cluster.request_failed();
        }
        let response = self.transport.send(request).map(move |response| {
            let Some(cluster) = cluster.upgrade() else { return response };
            cluster.responded(match &response {
                Ok(response) => response.status >= 500,
                Err(error) => error.code() == ErrorCode::Network,
            });
            response.map(|response| cluster.heartbeat.observe(&cluster.runtime.clock, response))
        });
        response.boxed_local()
    }

    fn accepts_protobuf(&self) -> bool {
        self.transport.accepts_protobuf()
    }
}

impl Cluster {
    /// Records that a request failed, or that an informer lost the server: a probe is due.
    fn request_failed(&self) {
        let HealthProbe { is_due, failing_since, .. } = &self.health_probe;
        is_due.set(true);
        failing_since.set(failing_since.get().or_else(|| Some(self.runtime.clock.now())));
        self.clear_identity();
    }

    /// Records that a heartbeat failed: a probe replaces the next one.
    pub(super) fn heartbeat_failed(&self) {
        self.request_failed();
        self.health_probe.is_failing.set(true);
    }

    /// Records that a request succeeded, or was rejected in a way that suggests a shutdown.
    fn responded(self: &Rc<Self>, was_rejected: bool) {
        let (probe, now) = (&self.health_probe, self.runtime.clock.now());
        if was_rejected {
            self.request_failed();
            probe.was_rejected.set(true);
        } else if probe.is_failing.get() {
            probe.is_due.set(true);
            probe.not_before.set(now);
        }
        self.probe_if_due(now);
    }

    /// Starts the task that sends probes, if one is due and the last one is long enough ago.
    pub(super) fn probe_if_due(self: &Rc<Self>, now: Duration) {
        let probe = &self.health_probe;
        // The deferred code is not loaded for a healthy server.
        let may_load = probe.failing_since.get().is_some() || loaded().is_some();
        if may_load && probe.is_due.get() && probe.not_before.get() <= now && !probe.is_running.replace(true) {
            let cluster = Rc::clone(self);
            let start = move |loaded: Result<&dyn Deferred>| match loaded {
                Ok(deferred) => deferred.start_probing(&cluster),
                // The file may become available together with the server.
                Err(_) => cluster.health_probe.postpone(now),
            };
            when_loaded(&self.runtime.spawn, Box::new(start));
        }
    }

    /// Sends one probe, and acts on the response.
    async fn send_probe(&self) {
        let probe = &self.health_probe;
        probe.is_due.set(false);
        // The response is no evidence about failures after this request was sent.
        let failing_since = probe.failing_since.take();
        let (path, texts) = if probe.identity_forbidden.get() { (VERSION, [""]) } else { (NAMESPACE, [UID]) };
        let request = Request::get(path);
        let connection = request.connection.clone();
        let response = pin!(ask(&probe.transport, request, &texts));
        let response = match with_timeout(&*self.runtime.clock, HEALTH_PROBE_TIMEOUT, response).await {
            Some(response) => response,
            // A request that is queued for a connection is no evidence about the server.
            None if connection.is_queued() => Err(InformerError::new(ErrorCode::Throttled, path)),
            None => Err(InformerError::new(ErrorCode::Timeout, path)),
        };
        probe.not_before.set(self.runtime.clock.now().saturating_add(HEALTH_PROBE_INTERVAL));
        probe.is_failing.set(response.is_err());
        if response.is_ok() {
            self.server_responded();
        }
        let was_rejected = probe.was_rejected.take();
        if response.is_err() {
            // The outage began at the first failure, even if requests have succeeded since.
            probe.failing_since.set(failing_since.or(probe.failing_since.get()));
        }
        match response {
            Err(error) if was_rejected && error.code() != ErrorCode::Throttled => {
                self.factory.informers().iter().for_each(SharedInformer::others_refused);
            }
            Err(_) => {}
            Ok(uid) => {
                if uid.is_none() {
                    // A server that no longer identifies its cluster may be another one.
                    let known = probe.uid.take();
                    probe.identity_forbidden.set(known.is_none());
                    if let (Some(_), Some(since)) = (known, failing_since) {
                        self.report_replacement(since, false);
                    }
                    return;
                }
                let known = probe.uid.replace(uid.clone());
                // Without a probe before the failure, it may have been another cluster.
                let certain = known.is_some();
                if known != uid && (certain || failing_since.is_some()) {
                    self.report_replacement(failing_since.unwrap_or_default(), certain);
                }
            }
        }
    }

    /// Reports that the cluster was replaced, or may have been, no earlier than `since`.
    fn report_replacement(&self, since: Duration, certain: bool) {
        self.resources.take();
        self.printer_columns.take();
        self.clear_identity();
        for informer in self.factory.informers() {
            informer.replaced(since, certain);
        }
    }
}

/// Starts the task that sends probes until none is due.
pub(super) fn start_probing(cluster: &Rc<Cluster>) {
    (cluster.runtime.spawn)(run_probes(Rc::downgrade(cluster)).boxed_local());
}

/// Sends each probe at its time, and ends when none is due.
async fn run_probes(cluster: Weak<Cluster>) {
    while let Some(cluster) = cluster.upgrade() {
        let probe = &cluster.health_probe;
        if probe.not_before.get() <= cluster.runtime.clock.now() {
            if !probe.is_due.get() {
                probe.is_running.set(false);
                return;
            }
            cluster.send_probe().await;
        }
        let pause = cluster.runtime.clock.sleep(HEALTH_PROBE_RETRY);
        drop(cluster);
        pause.await;
    }
}
