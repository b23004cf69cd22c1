//! A start from what somebody knew before: no list, but a watch from where that ended.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, LocalBoxFuture, select};
use futures::stream::LocalBoxStream;

use super::observers::InformerEvent;
use super::process::Inner;
use crate::controller::Change;
use crate::object::Keyed;

/// How long a run waits for what it may begin with before it lists, and for each batch of it.
const PATIENCE: Duration = Duration::from_millis(500);

/// What an informer begins with.
pub struct WarmStart<T> {
    /// All that there was, in batches that are told of at once. With an error nothing of it counts.
    pub batches: LocalBoxStream<'static, Result<Vec<Arc<T>>, ()>>,
    /// At this version.
    pub resource_version: String,
    /// As of this moment, in milliseconds since the Unix epoch.
    pub taken_at: f64,
    /// Whether it was there, where the informer's source is. Meanwhile the objects are shown as old ones.
    pub verdict: LocalBoxFuture<'static, Verdict>,
}

/// With nothing if there is nothing to begin with. What comes too late is dropped.
pub type WarmUp<T> = LocalBoxFuture<'static, Option<WarmStart<T>>>;

/// Whether what is known of a source is about the source that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Same,
    /// It cannot be found out now: only a list tells.
    Unknown,
    /// It is not.
    Other,
}

impl<T: Keyed> Inner<T> {
    /// Begins with what there is to begin with, unless it is stopped meanwhile. Nothing runs yet but the controller.
    pub(super) async fn start_warm(&self) {
        let Some(warm_up) = self.warm_up.take() else { return };
        let patience = self.clock.sleep(PATIENCE);
        let warmed = pin!(async {
            let Either::Left((Some(warm), _)) = select(warm_up, patience).await else { return };
            let WarmStart { mut batches, resource_version, taken_at, verdict } = warm;
            loop {
                match select(batches.next(), self.clock.sleep(PATIENCE)).await {
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

    /// They are gone as far as anybody can tell, and were so before they were shown.
    fn drop_shown(&self) {
        // Nothing else is in it.
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
