//! Leases: connection slots for requests that pages send themselves (gets, writes, logs by `fetch`).
//!
//! Each slot comes from the informers' connection budget, so page requests count against it. Over HTTP/1.1, all pages of a
//! host together get at most one request and one stream at a time; the rest stays for lists and watches. Queues are first
//! come, first served; streams are time-shared.

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

/// Effectively no timeout: a slot may be queued for any time. 20 days are below the limit of `setTimeout`.
const NO_TIMEOUT: Duration = Duration::from_secs(1_728_000);

/// Fake transport: responds at once with a body that never ends, so that the budget counts a connection until the body is
/// dropped.
struct EndlessResponses(Rc<dyn Transport>);

impl Transport for EndlessResponses {
    fn send(&self, _: Request) -> LocalBoxFuture<'static, Result<Response>> {
        let body = stream::pending().boxed_local();
        let response = Response { status: 200, content_type: None, content_encoding: None, retry_after: None, body };
        ready(Ok(response)).boxed_local()
    }

    fn is_multiplexed(&self) -> bool {
        self.0.is_multiplexed()
    }
}

/// Budget of the pages' own requests to one host.
struct PageBudget {
    host: String,
    clock: Rc<dyn Clock>,
    slots: Budget,
}

thread_local! {
    static PAGE_BUDGETS: RefCell<Vec<PageBudget>> = const { RefCell::new(Vec::new()) };
}

/// Returns the budget of an apiserver's host. `None` if its transport has none.
fn page_budget(cluster: &Cluster) -> Option<Budget> {
    let (host, clock) = (host(&cluster.url), &cluster.runtime.clock);
    let known = PAGE_BUDGETS.with_borrow(|budgets| {
        let known = budgets.iter().find(|known| known.host == host && Rc::ptr_eq(&known.clock, clock));
        known.map(|known| known.slots.clone())
    });
    known.or_else(|| {
        let transport = cluster.health_probe.transport();
        let shared = transport.sharing(&(Rc::new(EndlessResponses(Rc::clone(transport))) as Rc<dyn Transport>))?;
        let limits = BudgetOptions { streams: 1, answers: 1, late: NO_TIMEOUT, ..BudgetOptions::default() };
        let slots = Budget::new(shared, None, Rc::clone(clock), limits);
        let budget = PageBudget { host: host.to_owned(), clock: Rc::clone(clock), slots: slots.clone() };
        PAGE_BUDGETS.with_borrow_mut(|budgets| budgets.push(budget));
        Some(slots)
    })
}

/// Waits for a slot. Calls `reply` when the slot is granted, and again with an error when the slot is revoked or the lease is
/// aborted. Aborting returns the slot. Without a budget, a slot is granted at once and never revoked.
pub(super) fn lease(cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle {
    let (abort, registration) = AbortHandle::new_pair();
    let mut request = Request::get("");
    request.stream = stream;
    let pending_slot = page_budget(cluster).map(|slots| slots.send(request));
    let reply = Rc::new(reply);
    let replies = Rc::clone(&reply);
    let lease = async move {
        let Some(pending_slot) = pending_slot else {
            replies(Ok(text(None)));
            return std::future::pending().await;
        };
        match pending_slot.await {
            Ok(mut slot) => {
                replies(Ok(text(None)));
                while slot.body.next().await.is_some() {}
                replies(Err(InformerError::new(
                    ErrorCode::Aborted,
                    "the connection slot was revoked for another stream",
                )));
            }
            Err(error) => replies(Err(error)),
        }
    };
    let task = async move {
        if Abortable::new(lease, registration).await.is_err() {
            reply(Err(InformerError::new(ErrorCode::Aborted, "the request was cancelled")));
        }
    };
    (cluster.runtime.spawn)(task.boxed_local());
    abort
}
