//! Notices that an apiserver is about to go, or was away, and asks whether the one that is there is the same cluster.
//!
//! One refusal says little: an aggregated API may be down alone. So the server is asked one small question, for all
//! informers together. When that is refused too, open watches are doubted: an apiserver that is told to end refuses what is
//! new and keeps its watches open for a minute (WIRE 6). When another cluster answers it than before, what is cached is
//! the old one's: versions alone do not tell, for they may be higher than those of the old one.
//!
//! To ask is deferred code, which a page without trouble may never load. Where it comes only with the trouble, nobody knows
//! which cluster was there before, so what was listed then is listed anew once.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, select};

use super::Cluster;
use super::deferred::{Deferred, loaded, when_loaded};
use crate::cluster::{NAMESPACE, UID, ask};
use crate::error::{ErrorCode, InformerError, Result};
use crate::shared_informer::SharedInformer;
use crate::transport::{Request, Response, Transport};

/// What everybody may ask, the user too who may not see the namespace that tells clusters apart.
pub(super) const VERSION: &str = "/version";

/// Between two questions, whatever goes wrong.
const EVERY: Duration = Duration::from_secs(10);

/// But so soon after somebody was answered the next one comes, if the last one was not: then the server is back.
const SOON: Duration = Duration::from_secs(1);

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is known of a server, beside what informers know.
pub(super) struct Outage {
    /// The way to it, on which nothing is noted.
    pub(super) transport: Rc<dyn Transport>,
    /// Which cluster it is, as far as it has said.
    uid: RefCell<Option<String>>,
    /// It does not say so to this user, and is not asked again.
    untold: Cell<bool>,
    /// There is reason to ask: nobody did yet, or there was trouble.
    wanted: Cell<bool>,
    /// When, since the last answer, somebody was first refused or had lost the server.
    trouble: Cell<Option<Duration>>,
    /// Whether somebody was refused.
    refused: Cell<bool>,
    /// The last question was not answered.
    away: Cell<bool>,
    /// When the next question may be asked.
    next: Cell<Duration>,
    /// A task is there that asks.
    asks: Cell<bool>,
}

impl Outage {
    pub(super) fn new(transport: Rc<dyn Transport>) -> Self {
        let (uid, untold, trouble, refused, away, next, asks) = Default::default();
        Self { transport, uid, untold, wanted: Cell::new(true), trouble, refused, away, next, asks }
    }

    /// The way to the server, on which nothing is noted.
    pub(super) fn transport(&self) -> &Rc<dyn Transport> {
        &self.transport
    }

    /// Nobody asks any more, nor for a while.
    fn rest(&self, now: Duration) {
        self.asks.set(false);
        self.next.set(now.saturating_add(EVERY));
    }
}

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
    /// Somebody has lost the server, for whatever reason.
    fn lost(&self) {
        let Outage { wanted, trouble, .. } = &self.outage;
        wanted.set(true);
        trouble.set(trouble.get().or_else(|| Some(self.runtime.clock.now())));
        self.forget_identity();
    }

    /// A heartbeat failed: the next question is who the server is.
    pub(super) fn lose(&self) {
        self.lost();
        self.outage.away.set(true);
    }

    fn forget_identity(&self) {
        let snapshots = self.snapshots.borrow().clone();
        if let Some(snapshots) = snapshots {
            snapshots.forget_identity();
        }
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

    /// Asks, unless it was asked lately or is being asked.
    pub(super) fn ask_if_wanted(self: &Rc<Self>, now: Duration) {
        let outage = &self.outage;
        // The code for it is not loaded as long as all is well.
        let may_ask = outage.trouble.get().is_some() || loaded().is_some();
        if may_ask && outage.wanted.get() && outage.next.get() <= now && !outage.asks.replace(true) {
            let cluster = Rc::clone(self);
            let ask = move |loaded: Result<&dyn Deferred>| match loaded {
                Ok(deferred) => deferred.keep_asking(&cluster),
                // It may be there when the server is.
                Err(_) => cluster.outage.rest(now),
            };
            when_loaded(&self.runtime.spawn, Box::new(ask));
        }
    }

    /// Asks the server once who it is, and acts on that.
    async fn find_out(&self) {
        let outage = &self.outage;
        outage.wanted.set(false);
        // What goes wrong from now on the answer says nothing of.
        let trouble = outage.trouble.take();
        let (path, texts) = if outage.untold.get() { (VERSION, [""]) } else { (NAMESPACE, [UID]) };
        let request = Request::get(path);
        let ticket = request.ticket.clone();
        let answer = ask(&outage.transport, request, &texts);
        let answer = match select(pin!(answer), self.runtime.clock.sleep(TIMEOUT)).await {
            Either::Left((answer, _)) => answer,
            // What was not sent says nothing of the server.
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
            // It began then, whatever came since.
            outage.trouble.set(trouble.or(outage.trouble.get()));
        }
        match answer {
            Err(error) if refused && error.code() != ErrorCode::Throttled => {
                self.factory.informers().iter().for_each(SharedInformer::others_refused);
            }
            Err(_) => {}
            Ok(uid) => {
                if uid.is_none() {
                    // It said so once and does not any more: another one, as far as anybody knows.
                    let known = outage.uid.take();
                    outage.untold.set(known.is_none());
                    if let (Some(_), Some(since)) = (known, trouble) {
                        self.replaced(since, false);
                    }
                    return;
                }
                let known = outage.uid.replace(uid.clone());
                // Nobody asked before the trouble: it may be another one than before.
                let certain = known.is_some();
                if known != uid && (certain || trouble.is_some()) {
                    self.replaced(trouble.unwrap_or_default(), certain);
                }
            }
        }
    }

    /// It is another cluster, or may be, and has been since this moment or later.
    fn replaced(&self, since: Duration, certain: bool) {
        self.resources.take();
        self.printed.take();
        self.forget_identity();
        for informer in self.factory.informers() {
            informer.replaced(since, certain);
        }
    }
}

/// Asks as long as there is reason to.
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
