//! Leases: connection slots for requests that pages send themselves (gets, writes, logs by `fetch`).
//!
//! They come from the budget that informers share, so a page's requests are counted. They also have a share of their
//! own: over HTTP/1.1, one request and one stream at once for all pages of a host. Lists keep the other connection for
//! responses, watches the other streams. Both queues are first come, first served, and streams are time-shared, so
//! neither side starves.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{AbortHandle, Abortable, LocalBoxFuture, ready};
use futures::{FutureExt, StreamExt, stream};
use informer::clock::Clock;
use informer::transport::budget::{Budget, BudgetOptions, host};
use informer::transport::{Request, Response, Transport};
use informer::{ErrorCode, InformerError, Result};

use super::cluster::Cluster;
use super::json_text::text;

/// Twenty days: how long a slot may take, near the longest timeout of a browser. Unlike the head of a response, it has no
/// deadline.
const NEVER_LATE: Duration = Duration::from_secs(1_728_000);

/// Share of the pages: see [`BudgetOptions`].
fn share() -> BudgetOptions {
    BudgetOptions { streams: 1, answers: 1, late: NEVER_LATE, ..BudgetOptions::default() }
}

/// Transport that answers each request with a slot: a body that never ends by itself. Dropping it returns the slot.
struct Slots(Rc<dyn Transport>);

impl Transport for Slots {
    fn send(&self, _: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let body = stream::pending().boxed_local();
        let slot = Response { status: 200, content_type: None, content_encoding: None, retry_after: None, body };
        ready(Ok(slot)).boxed_local()
    }

    fn is_multiplexed(&self) -> bool {
        self.0.is_multiplexed()
    }
}

/// Lane: the pages' share of the connections of one host.
struct Lane {
    host: String,
    clock: Rc<dyn Clock>,
    slots: Budget,
}

thread_local! {
    static LANES: RefCell<Vec<Lane>> = const { RefCell::new(Vec::new()) };
}

/// Returns the lane of an apiserver's host. `None` if its transport has no budget.
fn lane(cluster: &Cluster) -> Option<Budget> {
    let (host, clock) = (host(&cluster.url), &cluster.runtime.clock);
    let known = LANES.with_borrow(|lanes| {
        let lane = lanes.iter().find(|lane| lane.host == host && Rc::ptr_eq(&lane.clock, clock));
        lane.map(|lane| lane.slots.clone())
    });
    known.or_else(|| {
        let transport = cluster.health_probe.transport();
        let shared = transport.sharing(&(Rc::new(Slots(Rc::clone(transport))) as Rc<dyn Transport>))?;
        let slots = Budget::new(shared, None, Rc::clone(clock), share());
        let lane = Lane { host: host.to_owned(), clock: Rc::clone(clock), slots: slots.clone() };
        LANES.with_borrow_mut(|lanes| lanes.push(lane));
        Some(slots)
    })
}

/// Waits for a slot. Calls `reply` when the slot is granted, and again, with an error, when it ends; aborting returns
/// it.
pub(super) fn lease(cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle {
    let (abort, registration) = AbortHandle::new_pair();
    let mut request = Request::get("");
    request.stream = stream;
    let slot = lane(cluster).map(|slots| slots.send(request));
    let reply = Rc::new(reply);
    let replies = Rc::clone(&reply);
    let held = async move {
        let Some(slot) = slot else {
            replies(Ok(text(None)));
            return std::future::pending().await;
        };
        match slot.await {
            Ok(mut slot) => {
                replies(Ok(text(None)));
                while slot.body.next().await.is_some() {}
                replies(Err(InformerError::new(ErrorCode::Aborted, "the connection is another stream's turn")));
            }
            Err(error) => replies(Err(error)),
        }
    };
    let task = async move {
        if Abortable::new(held, registration).await.is_err() {
            reply(Err(InformerError::new(ErrorCode::Aborted, "the request was cancelled")));
        }
    };
    (cluster.runtime.spawn)(task.boxed_local());
    abort
}
