//! Leases: connection slots for requests that pages send themselves (gets, writes, logs by `fetch`).
//!
//! Each slot comes from the informers' connection budget, so page requests count against it. Over HTTP/1.1, all pages of a
//! host together get at most one request and one stream at a time; the rest stays for lists and watches. Queues are first
//! come, first served; streams are time-shared.

use std::rc::Rc;

use futures::future::{AbortHandle, Abortable};
use futures::{FutureExt, StreamExt};
use informer::transport::{Request, Transport};
use informer::{ErrorCode, InformerError, Result};

use super::cluster::Cluster;
use super::json_text::text;
use super::page_budgets::page_budget;

/// Waits for a slot. Calls `reply` when the slot is granted, and again with an error when the slot is revoked or the lease is
/// aborted. Aborting returns the slot. Without a budget, a slot is granted at once and never revoked.
pub(super) fn lease(cluster: &Cluster, stream: bool, reply: Box<dyn Fn(Result<String>)>) -> AbortHandle {
    let (abort, registration) = AbortHandle::new_pair();
    let mut request = Request::get("");
    request.stream = stream;
    let transport = &cluster.health_probe.transport;
    let slots = page_budget(&cluster.page_budgets, &cluster.url, transport, &cluster.runtime.clock);
    let pending_slot = slots.map(|slots| slots.send(request));
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
