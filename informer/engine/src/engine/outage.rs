//! Server health probe: detects that an apiserver is shutting down or was unreachable, and whether it is the same cluster.
//!
//! One refusal says little: an aggregated API may be down alone. So the engine sends one small request for all informers. If
//! that is refused too, open watches are suspect: an apiserver that shuts down rejects new requests and keeps its watches open
//! for a minute (WIRE 6). If the response comes from another cluster than before, the cache belongs to the old one: versions
//! alone do not show this, because they may be higher than those of the old one.
//!
//! The probe is deferred code, which a page without trouble may never load. If it is loaded only after the trouble, it is
//! unknown which cluster was there before, so what was listed until then is listed again once.

use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, select};

use super::cluster::Cluster;
use super::loading::{Deferred, loaded, when_loaded};
use super::server::{EVERY, Outage};
use informer::cluster::{NAMESPACE, UID, ask};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, InformerError, Result, SharedInformer};

/// A request that every user may send, including those who may not read the namespace that identifies the cluster.
pub(super) const VERSION: &str = "/version";

/// But so soon after somebody was answered the next one comes, if the last one was not: then the server is back.
const SOON: Duration = Duration::from_secs(1);

/// Time limit for a response.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The way to an apiserver, on which it is noted how the server fares.
pub(super) struct Noted {
    pub(super) transport: Rc<dyn Transport>,
    pub(super) cluster: Weak<Cluster>,
}

impl Transport for Noted {
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
    /// An informer has lost the server, for any reason.
    fn lost(&self) {
        let Outage { wanted, trouble, .. } = &self.outage;
        wanted.set(true);
        trouble.set(trouble.get().or_else(|| Some(self.runtime.clock.now())));
        self.forget_identity();
    }

    /// A heartbeat failed: the next probe checks the server's identity.
    pub(super) fn lose(&self) {
        self.lost();
        self.outage.away.set(true);
    }

    /// Somebody was answered, or refused as by a server that goes.
    fn heard(self: &Rc<Self>, refused: bool) {
        let (outage, now) = (&self.outage, self.runtime.clock.now());
        if refused {
            self.lost();
            outage.refused.set(true);
        } else if outage.away.get() {
            outage.wanted.set(true);
            outage.next.set(now);
        }
        self.ask_if_wanted(now);
    }

    /// Probes, unless there was a recent probe or one is in flight.
    pub(super) fn ask_if_wanted(self: &Rc<Self>, now: Duration) {
        let outage = &self.outage;
        // The code for it is not loaded while the server is healthy.
        let may_ask = outage.trouble.get().is_some() || loaded().is_some();
        if may_ask && outage.wanted.get() && outage.next.get() <= now && !outage.asks.replace(true) {
            let cluster = Rc::clone(self);
            let ask = move |loaded: Result<&dyn Deferred>| match loaded {
                Ok(deferred) => deferred.keep_asking(&cluster),
                // It may be loadable when the server is back.
                Err(_) => cluster.outage.rest(now),
            };
            when_loaded(&self.runtime.spawn, Box::new(ask));
        }
    }

    /// Requests the server's identity once, and acts on it.
    async fn find_out(&self) {
        let outage = &self.outage;
        outage.wanted.set(false);
        // The response says nothing about failures from now on.
        let trouble = outage.trouble.take();
        let (path, texts) = if outage.untold.get() { (VERSION, [""]) } else { (NAMESPACE, [UID]) };
        let request = Request::get(path);
        let ticket = request.ticket.clone();
        let answer = ask(&outage.transport, request, &texts);
        let answer = match select(pin!(answer), self.runtime.clock.sleep(TIMEOUT)).await {
            Either::Left((answer, _)) => answer,
            // A request that was not sent says nothing about the server.
            Either::Right(_) if ticket.is_waiting() => Err(InformerError::new(ErrorCode::Throttled, path)),
            Either::Right(_) => Err(InformerError::new(ErrorCode::Timeout, path)),
        };
        outage.next.set(self.runtime.clock.now().saturating_add(EVERY));
        outage.away.set(answer.is_err());
        if answer.is_ok() {
            self.revive();
        }
        let refused = outage.refused.take();
        if answer.is_err() {
            // It began then, regardless of later events.
            outage.trouble.set(trouble.or(outage.trouble.get()));
        }
        match answer {
            Err(error) if refused && error.code() != ErrorCode::Throttled => {
                self.factory.informers().iter().for_each(SharedInformer::doubt);
            }
            Err(_) => {}
            Ok(uid) => {
                if uid.is_none() {
                    // The server reported its identity earlier and does not any more: it is treated as another
                    // cluster.
                    let known = outage.uid.take();
                    outage.untold.set(known.is_none());
                    if let (Some(_), Some(since)) = (known, trouble) {
                        self.replaced(since, false);
                    }
                    return;
                }
                let known = outage.uid.replace(uid.clone());
                // There was no probe before the trouble: it may be another cluster.
                let certain = known.is_some();
                if known != uid && (certain || trouble.is_some()) {
                    self.replaced(trouble.unwrap_or_default(), certain);
                }
            }
        }
    }

    /// The cluster is, or may be, another one since this time or later.
    fn replaced(&self, since: Duration, certain: bool) {
        self.resources.take();
        self.printed.take();
        self.forget_identity();
        for informer in self.factory.informers() {
            informer.replaced(since, certain);
        }
    }
}

/// Probes as long as there is a reason to.
pub(super) fn keep_asking(cluster: &Rc<Cluster>) {
    (cluster.runtime.spawn)(asking(Rc::downgrade(cluster)).boxed_local());
}

async fn asking(cluster: Weak<Cluster>) {
    while let Some(cluster) = cluster.upgrade() {
        let outage = &cluster.outage;
        if outage.next.get() <= cluster.runtime.clock.now() {
            if !outage.wanted.get() {
                outage.asks.set(false);
                return;
            }
            cluster.find_out().await;
        }
        let pause = cluster.runtime.clock.sleep(SOON);
        drop(cluster);
        pause.await;
    }
}
