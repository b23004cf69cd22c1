//! Warm start: begins with persisted objects and a watch from their version, without a list.

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

/// Timeout of a run for its persisted objects, and for each batch of them. After it, the run lists.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_millis(500);

impl<T: Keyed> Inner<T> {
    /// Starts with persisted objects, if there are any, unless it is stopped meanwhile. Only the controller runs
    /// already.
    pub(super) async fn start_warm(&self) {
        let Some(warm_up) = self.warm_up.take() else { return };
        let timeout = self.clock.sleep(SNAPSHOT_TIMEOUT);
        let warmed = pin!(async {
            let Either::Left((Some(warm), _)) = select(warm_up, timeout).await else { return };
            let WarmStart { mut batches, resource_version, taken_at, verdict } = warm;
            loop {
                match select(batches.next(), self.clock.sleep(SNAPSHOT_TIMEOUT)).await {
                    Either::Left((Some(Ok(batch)), _)) => self.show(batch, taken_at),
                    Either::Left((None, _)) => break,
                    _ => return self.drop_shown(),
                }
            }
            let verdict = verdict.await;
            if verdict == Verdict::Other {
                return self.drop_shown();
            }
            let version = (verdict == Verdict::Same).then_some(resource_version);
            self.reflector.borrow_mut().resume_from(version);
        });
        select(warmed, pin!(self.control.stopped())).await;
    }

    fn show(&self, batch: Vec<Arc<T>>, taken_at: f64) {
        self.queue.borrow_mut().populate(batch, None);
        self.seen_at(Some(taken_at));
    }

    /// Deletes the objects shown so far, whose deletion was missed as far as is known.
    fn drop_shown(&self) {
        // The queue contains nothing else.
        while self.queue.borrow_mut().pop(&mut |_| ()) {}
        let changes = {
            let mut indexer = self.indexer.borrow_mut();
            let keys = indexer.list_keys();
            let gone = keys.iter().filter_map(|key| indexer.delete_by_key(key));
            gone.map(|object| Change::Delete { object, final_state_unknown: true }).collect()
        };
        let batch = self.batch(changes, true);
        self.processor.borrow_mut().distribute(batch);
        self.seen_at(None);
    }

    fn seen_at(&self, moment: Option<f64>) {
        let mut contact = self.contact.get();
        contact.last = moment;
        self.contact.set(contact);
        self.work.notify();
        self.observers.tell(&InformerEvent::Status);
    }
}
