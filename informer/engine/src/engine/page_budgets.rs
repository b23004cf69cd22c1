//! Page budgets: the connections of each host that requests of pages may occupy, out of those of the informers.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{LocalBoxFuture, ready};
use futures::{FutureExt, StreamExt, stream};
use informer::Result;
use informer::clock::Clock;
use informer::transport::budget::{Budget, BudgetOptions, host};
use informer::transport::{Request, Response, Transport};

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

    fn accepts_protobuf(&self) -> bool {
        self.0.accepts_protobuf()
    }
}

/// Budgets of the pages' own requests, by host: one for all pages and clusters of an engine.
pub(super) type PageBudgets = Rc<RefCell<Vec<(String, Budget)>>>;

/// Returns the budget of an apiserver's host. `None` if its transport has none.
pub(super) fn page_budget(
    budgets: &PageBudgets,
    url: &str,
    transport: &Rc<dyn Transport>,
    clock: &Rc<dyn Clock>,
) -> Option<Budget> {
    let host = host(url);
    let known = budgets.borrow().iter().find(|(known, _)| known == host).map(|(_, slots)| slots.clone());
    known.or_else(|| {
        let shared = transport.sharing(&(Rc::new(EndlessResponses(Rc::clone(transport))) as Rc<dyn Transport>))?;
        let limits = BudgetOptions { streams: 1, answers: 1, late: NO_TIMEOUT, ..BudgetOptions::default() };
        let slots = Budget::new(shared, None, Rc::clone(clock), limits);
        budgets.borrow_mut().push((host.to_owned(), slots.clone()));
        Some(slots)
    })
}
