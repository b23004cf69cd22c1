//! Warm start: a run begins with persisted objects and a watch from their version, without a list.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};

use super::observers::InformerEvent;
use super::process::Inner;
use super::warm_up::{Verdict, WarmStart};
use crate::controller::Change;
use crate::object::Keyed;

/// Timeout for the persisted objects, and for each batch of them. After it, the run begins with a list.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_millis(500);

impl<T: Keyed> Inner<T> {
    /// Delivers the persisted objects, if there are any, and sets the version that the reflector resumes from. Ends
    /// early if the informer is stopped. The controller runs already; the reflector starts afterwards.
    pub(super) async fn start_warm(&self) {
        let Some(warm_up) = self.warm_up.take() else { return };
        let timeout = self.clock.sleep(SNAPSHOT_TIMEOUT);
        let warm_start = pin!(async {
            let Either::Left((Some(start), _)) = select(warm_up, timeout).await else { return };
            let WarmStart { mut batches, resource_version, taken_at, verdict } = start;
            loop {
                match select(batches.next(), self.clock.sleep(SNAPSHOT_TIMEOUT)).await {
                    Either::Left((Some(Ok(batch)), _)) => self.deliver(batch, taken_at),
                    Either::Left((None, _)) => break,
                    _ => return self.delete_delivered(),
                }
            }
            let source = verdict.await;
            if source == Verdict::Other {
                return self.delete_delivered();
            }
            let version = (source == Verdict::Same).then_some(resource_version);
            self.reflector.borrow_mut().resume_from(version);
        });
        select(warm_start, pin!(self.control.stopped())).await;
    }

    /// Queues a batch of persisted objects, which were current at `taken_at`.
    fn deliver(&self, batch: Vec<Arc<T>>, taken_at: f64) {
        self.queue.borrow_mut().populate(batch, None);
        self.set_last_contact(Some(taken_at));
    }

    /// Emits a delete with `final_state_unknown` for every object delivered so far.
    fn delete_delivered(&self) {
        // The queue contains nothing else.
        while self.queue.borrow_mut().pop(&mut |_| ()) {}
        let changes = {
            let mut indexer = self.indexer.borrow_mut();
            let keys = indexer.list_keys();
            let deleted = keys.iter().filter_map(|key| indexer.delete_by_key(key));
            deleted.map(|object| Change::Delete { object, final_state_unknown: true }).collect()
        };
        let batch = self.batch(changes, true);
        self.processor.borrow_mut().distribute(batch);
        self.set_last_contact(None);
    }

    /// Sets the time of the last contact with the server, in milliseconds since the Unix epoch.
    fn set_last_contact(&self, time: Option<f64>) {
        let mut contact = self.contact.get();
        contact.last = time;
        self.contact.set(contact);
        self.work.notify();
        self.observers.notify(&InformerEvent::Status);
    }
}
