//! Page handler: forwards the changes of an informer to a page, in acknowledged batches.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use crate::message::{ChangeKind, ChangeMessage, FromEngine};
use informer::{Change, ChangeBatch, ChangeBatchHandler, Keyed, Object, Registration};

/// Maximum number of changes in a message.
const MAX_CHANGES: usize = 500;

/// Maximum bytes of objects in a message, unless it has only one change. 500 config maps can take half a gigabyte, and
/// a message exists in the heaps of both worker and page until the page reads it.
const MAX_BYTES: usize = 4 << 20;

/// Maximum number of messages in flight. More than one, so that the page need not wait for a round trip; bounded as
/// backpressure.
const MAX_UNACKNOWLEDGED: u32 = 4;

/// A page's event handler: its registration and its outbox.
#[derive(Clone)]
pub(super) struct RegisteredHandler {
    pub(super) informer: u32,
    pub(super) registration: Registration<Object>,
    pub(super) outbox: Rc<Outbox>,
}

impl RegisteredHandler {
    /// Acknowledges a message and sends further ones. The session's state must not be borrowed: sending borrows it.
    pub(super) fn acknowledge(&self) {
        let unacknowledged = &self.outbox.unacknowledged;
        unacknowledged.set(unacknowledged.get().saturating_sub(1));
        self.outbox.send_until_limit();
        self.registration.resume();
    }
}

/// Outbox: unsent changes of a handler, and its number of messages in flight.
pub(super) struct Outbox {
    handler: u32,
    send: Rc<dyn Fn(FromEngine)>,
    replay: bool,
    /// Unacknowledged messages. A port's queue is unbounded: without this limit, messages to a busy or throttled page
    /// would pile up.
    unacknowledged: Cell<u32>,
    unsent: RefCell<UnsentBatch>,
}

/// Unsent changes of a batch.
#[derive(Default)]
struct UnsentBatch {
    changes: VecDeque<Change<Object>>,
    resource_version: String,
    relist: bool,
}

impl Outbox {
    /// Sends to `handler` through `send`; without `replay` the initial objects are skipped.
    pub(super) fn new(handler: u32, replay: bool, send: Rc<dyn Fn(FromEngine)>) -> Self {
        Self { handler, send, replay, unacknowledged: Cell::new(0), unsent: RefCell::default() }
    }

    /// Sends messages until the limit or the end of the batch.
    fn send_until_limit(&self) {
        while self.unacknowledged.get() < MAX_UNACKNOWLEDGED {
            let Some(message) = self.next() else { break };
            self.unacknowledged.set(self.unacknowledged.get() + 1);
            (self.send)(message);
        }
    }

    /// Takes the next message of the batch, within the maximum size.
    fn next(&self) -> Option<FromEngine> {
        let mut rest = self.unsent.borrow_mut();
        let (mut changes, mut bytes) = (Vec::new(), 0);
        while let Some(change) = rest.changes.front() {
            bytes += size(change);
            if changes.len() == MAX_CHANGES || (bytes > MAX_BYTES && !changes.is_empty()) {
                break;
            }
            changes.push(message(change));
            rest.changes.pop_front();
        }
        if changes.is_empty() {
            return None;
        }
        let (resource_version, relist) = (rest.resource_version.clone(), rest.relist);
        if rest.changes.is_empty() {
            // Releases the memory of a large batch.
            *rest = UnsentBatch::default();
        }
        Some(FromEngine::Changes { handler: self.handler, resource_version, relist, changes })
    }
}

/// Forwards changes to a page.
pub(super) struct PageHandler(pub(super) Rc<Outbox>);

impl ChangeBatchHandler<Object> for PageHandler {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        let replay = self.0.replay;
        let wanted = |change: &&Change<Object>| replay || !is_in_initial_list(change);
        let changes = batch.changes.iter().filter(wanted).cloned().collect();
        let resource_version = batch.resource_version.clone();
        // The previous batch is completely sent: `is_ready` was true.
        self.0.unsent.replace(UnsentBatch { changes, resource_version, relist: batch.relist });
        self.0.send_until_limit();
    }

    fn on_synced(&mut self) {
        (self.0.send)(FromEngine::HandlerSynced { handler: self.0.handler });
    }

    fn is_ready(&self) -> bool {
        // Below the limit, the last batch is completely sent: sending stops only at the limit or at its end.
        self.0.unacknowledged.get() < MAX_UNACKNOWLEDGED
    }
}

fn is_in_initial_list(change: &Change<Object>) -> bool {
    matches!(change, Change::Add { is_in_initial_list: true, .. })
}

/// Previous state of an updated object; `None` for other changes and for resyncs.
fn previous(change: &Change<Object>) -> Option<&Arc<Object>> {
    match change {
        Change::Update { old, new } if !Arc::ptr_eq(old, new) => Some(old),
        _ => None,
    }
}

/// Bytes of a change as JSON text: the object and its previous state.
fn size(change: &Change<Object>) -> usize {
    change.object().json_len() + previous(change).map_or(0, |previous| previous.json_len())
}

fn message(change: &Change<Object>) -> ChangeMessage {
    let object = change.object();
    let kind = match change {
        Change::Add { .. } => ChangeKind::Add,
        Change::Update { .. } => ChangeKind::Update,
        Change::Delete { .. } => ChangeKind::Delete,
    };
    ChangeMessage {
        kind,
        key: object.key().to_owned(),
        object: object.json().into_owned(),
        previous: previous(change).map(|previous| previous.json().into_owned()),
        is_in_initial_list: is_in_initial_list(change),
        final_state_unknown: matches!(change, Change::Delete { final_state_unknown: true, .. }),
    }
}
