//! Subscriptions of a page: informers, views and followed objects, and their updates.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::linger::Lease;
use crate::message::FromEngine;
use crate::view::LiveView;
use informer::clock::Clock;
use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorReport, InformerError, InformerStatus, Object, Observer, Registration,
    SharedInformer,
};

/// A shared informer that a page uses.
pub(super) struct HeldInformer {
    pub(super) lease: Lease,
    pub(super) informer: SharedInformer<Object>,
    pub(super) sent: Option<(InformerStatus, Duration)>,
    pub(super) errors: Rc<Errors>,
    pub(super) _observer: Observer,
}

/// Unsent errors. An index over a path may fail for each of 50,000 objects in one list, and a throttled background page
/// would receive them for hours.
#[derive(Default)]
pub(super) struct Errors(RefCell<Vec<(ErrorReport, usize)>>);

impl Errors {
    /// Stores the first of each kind, and counts the others.
    pub(super) fn add(&self, error: &InformerError) {
        let mut known = self.0.borrow_mut();
        match known.iter_mut().find(|(known, _)| known.code == error.code()) {
            Some((_, more)) => *more += 1,
            None => known.push((error.into(), 0)),
        }
    }

    /// Takes the errors to send.
    pub(super) fn take(&self) -> impl Iterator<Item = ErrorReport> + use<> {
        self.0.take().into_iter().map(|(mut error, more)| {
            if more > 0 {
                error.message = format!("{} (and {more} similar errors)", error.message);
            }
            error
        })
    }
}

impl HeldInformer {
    /// Returns the status if the page should receive it now: at once if its meaning changed, four times a second if
    /// only counters changed. `Err` means that a change is not yet due.
    pub(super) fn status_due(&mut self, now: Duration) -> Result<Option<InformerStatus>, ()> {
        const COUNTERS_EVERY: Duration = Duration::from_millis(250);
        let status = self.informer.status();
        let due = match &self.sent {
            None => true,
            Some((sent, _)) if *sent == status => return Ok(None),
            Some((sent, at)) => {
                let meaning = |s: &InformerStatus| {
                    (s.phase, s.freshness, s.has_synced, s.namespace_missing, s.last_error.clone())
                };
                meaning(sent) != meaning(&status) || now.saturating_sub(*at) >= COUNTERS_EVERY
            }
        };
        if !due {
            return Err(());
        }
        self.sent = Some((status.clone(), now));
        Ok(Some(status))
    }

    /// The status, if it differs from the page's.
    pub(super) fn status_news(&mut self, now: Duration) -> Option<InformerStatus> {
        let status = self.informer.status();
        if self.sent.as_ref().is_some_and(|(sent, _)| *sent == status) {
            return None;
        }
        self.sent = Some((status.clone(), now));
        Some(status)
    }
}

/// A view that is changed by its cache and its page.
pub(super) type SharedView = Rc<RefCell<Box<dyn LiveView>>>;

/// A page's view.
pub(super) struct HeldView {
    pub(super) informer: u32,
    pub(super) view: SharedView,
    /// Number of the applied view query; 0 before the first one.
    pub(super) query_id: u32,
    pub(super) registration: Registration<Object>,
}

impl HeldView {
    /// The messages that bring the page's `view` up to date.
    pub(super) fn news(&self, view: u32, now: f64) -> Vec<FromEngine> {
        let synced = self.registration.has_synced();
        self.view.borrow_mut().news(view, self.query_id, synced, now)
    }
}

impl Drop for HeldView {
    fn drop(&mut self) {
        self.registration.remove();
    }
}

/// An object that a page follows.
pub(super) struct Follow {
    pub(super) informer: u32,
    pub(super) key: String,
    pub(super) sent: Sent,
}

/// The state of the followed object that the page has.
#[derive(Default)]
pub(super) enum Sent {
    #[default]
    Nothing,
    Absent,
    Object(Arc<Object>),
}

impl Follow {
    /// The message that brings the page's `follow` up to date.
    pub(super) fn news(&mut self, follow: u32, informer: &SharedInformer<Object>) -> Option<FromEngine> {
        let indexer = informer.indexer();
        let object = indexer.get_by_key(&self.key);
        let known = match (&self.sent, object) {
            // Before the first list it is unknown whether the object exists.
            (Sent::Nothing, None) => !informer.has_synced(),
            (Sent::Absent, None) => true,
            (Sent::Object(sent), Some(object)) => Arc::ptr_eq(sent, object),
            _ => false,
        };
        if known {
            return None;
        }
        self.sent = object.map_or(Sent::Absent, |object| Sent::Object(Arc::clone(object)));
        Some(FromEngine::Object { follow, json: object.map(|object| object.json().into_owned()) })
    }
}

/// Applies changes of the cache to a view.
pub(super) struct ViewHandler {
    pub(super) view: SharedView,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) changed: Rc<dyn Fn()>,
}

impl ChangeBatchHandler<Object> for ViewHandler {
    fn on_changes(&mut self, batch: &ChangeBatch<Object>) {
        self.view.borrow_mut().apply(batch, self.clock.unix_ms());
        (self.changed)();
    }

    fn on_synced(&mut self) {
        (self.changed)();
    }
}
