//! Health probe: one small request per server, shared by all informers. It is sent if the server may be shutting down,
//! or was unreachable. It shows whether the server responds, and whether it is still the same cluster.
//!
//! One rejected request is weak evidence: an aggregated API may be down alone. If the probe is rejected too, open watches
//! become suspect: an apiserver that shuts down rejects new requests and keeps its watches open for a minute (WIRE 6).
//! If another cluster responds, the cached objects belong to the old one. Versions alone do not show that: those of the
//! new cluster may be higher.
//!
//! The probe is deferred code, which a page without trouble may never load. If trouble is what loads it, the earlier
//! cluster is unknown, so everything listed before is relisted once.
//!
//! Its limits are in [`informer::deadlines`], beside those of the informers.

use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::cluster::Cluster;
use super::loading::{Deferred, loaded, when_loaded};
use super::request_timeout::within;
use super::server::HealthProbe;
use informer::cluster::{NAMESPACE, UID, ask};
use informer::deadlines::{HEALTH_PROBE_INTERVAL, HEALTH_PROBE_RETRY, HEALTH_PROBE_TIMEOUT};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, InformerError, Result, SharedInformer};

/// Path of the version, readable by every user, even without access to the namespace that identifies the cluster.
pub(super) const VERSION: &str = "/version";

/// Transport of informers that reports the outcome of their requests to the health probe.
pub(super) struct Observed {
    pub(super) transport: Rc<dyn Transport>,
    pub(super) cluster: Weak<Cluster>,
}

impl Transport for Observed {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let cluster = Weak::clone(&self.cluster);
        if request.probe
            && let Some(cluster) = cluster.upgrade()
        {
            cluster.lost();
        }
        let answer = self.transport.send(request).map(move |answer| {
            let Some(cluster) = cluster.upgrade() else { return answer };
            cluster.heard(match &answer {
                Ok(response) => response.status >= 500,
                Err(error) => error.code() == ErrorCode::Network,
            });
            answer.map(|response| cluster.heartbeat.listen(&cluster.runtime.clock, response))
        });
        answer.boxed_local()
    }
}

impl Cluster {
    /// A request failed, or an informer lost the server: a probe is due.
    fn lost(&self) {
        let HealthProbe { wanted, trouble, .. } = &self.health_probe;
        wanted.set(true);
        trouble.set(trouble.get().or_else(|| Some(self.runtime.clock.now())));
        self.clear_identity();
    }

    /// A heartbeat failed: a probe replaces the next one.
    pub(super) fn lose(&self) {
        self.lost();
        self.health_probe.away.set(true);
    }

    /// A request succeeded, or was rejected as a server does that shuts down.
    fn heard(self: &Rc<Self>, refused: bool) {
        let (probe, now) = (&self.health_probe, self.runtime.clock.now());
        if refused {
            self.lost();
            probe.refused.set(true);
        } else if probe.away.get() {
            probe.wanted.set(true);
            probe.next.set(now);
        }
        self.probe_if_wanted(now);
    }

    /// Starts the task that sends probes, if one is due and the last one is long enough ago.
    pub(super) fn probe_if_wanted(self: &Rc<Self>, now: Duration) {
        let probe = &self.health_probe;
        // The deferred code is not loaded for a healthy server.
        let may_load = probe.trouble.get().is_some() || loaded().is_some();
        if may_load && probe.wanted.get() && probe.next.get() <= now && !probe.runs.replace(true) {
            let cluster = Rc::clone(self);
            let ask = move |loaded: Result<&dyn Deferred>| match loaded {
                Ok(deferred) => deferred.keep_probing(&cluster),
                // The file may become available together with the server.
                Err(_) => cluster.health_probe.rest(now),
            };
            when_loaded(&self.runtime.spawn, Box::new(ask));
        }
    }

    /// Sends one probe, and acts on the response.
    async fn send_probe(&self) {
        let probe = &self.health_probe;
        probe.wanted.set(false);
        // The response is no evidence about later failures.
        let trouble = probe.trouble.take();
        let (path, texts) = if probe.withheld.get() { (VERSION, [""]) } else { (NAMESPACE, [UID]) };
        let request = Request::get(path);
        let connection = request.connection.clone();
        let answer = pin!(ask(&probe.transport, request, &texts));
        let answer = match within(&*self.runtime.clock, HEALTH_PROBE_TIMEOUT, answer).await {
            Some(answer) => answer,
            // A request that is queued for a connection is no evidence about the server.
            None if connection.is_queued() => Err(InformerError::new(ErrorCode::Throttled, path)),
            None => Err(InformerError::new(ErrorCode::Timeout, path)),
        };
        probe.next.set(self.runtime.clock.now().saturating_add(HEALTH_PROBE_INTERVAL));
        probe.away.set(answer.is_err());
        if answer.is_ok() {
            self.revive();
        }
        let refused = probe.refused.take();
        if answer.is_err() {
            // The trouble began then, even if requests succeeded since.
            probe.trouble.set(trouble.or(probe.trouble.get()));
        }
        match answer {
            Err(error) if refused && error.code() != ErrorCode::Throttled => {
                self.factory.informers().iter().for_each(SharedInformer::others_refused);
            }
            Err(_) => {}
            Ok(uid) => {
                if uid.is_none() {
                    // A server that no longer identifies its cluster may be another one.
                    let known = probe.uid.take();
                    probe.withheld.set(known.is_none());
                    if let (Some(_), Some(since)) = (known, trouble) {
                        self.replaced(since, false);
                    }
                    return;
                }
                let known = probe.uid.replace(uid.clone());
                // Without a probe before the trouble, it may have been another cluster.
                let certain = known.is_some();
                if known != uid && (certain || trouble.is_some()) {
                    self.replaced(trouble.unwrap_or_default(), certain);
                }
            }
        }
    }

    /// Reports that the cluster was replaced, or may have been, no earlier than `since`.
    fn replaced(&self, since: Duration, certain: bool) {
        self.resources.take();
        self.printed.take();
        self.clear_identity();
        for informer in self.factory.informers() {
            informer.replaced(since, certain);
        }
    }
}

/// Sends probes while there is reason to.
pub(super) fn keep_probing(cluster: &Rc<Cluster>) {
    (cluster.runtime.spawn)(probing(Rc::downgrade(cluster)).boxed_local());
}

async fn probing(cluster: Weak<Cluster>) {
    while let Some(cluster) = cluster.upgrade() {
        let probe = &cluster.health_probe;
        if probe.next.get() <= cluster.runtime.clock.now() {
            if !probe.wanted.get() {
                probe.runs.set(false);
                return;
            }
            cluster.send_probe().await;
        }
        let pause = cluster.runtime.clock.sleep(HEALTH_PROBE_RETRY);
        drop(cluster);
        pause.await;
    }
}
