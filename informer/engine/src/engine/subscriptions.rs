//! What a page has asked to be kept told of.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::grace::Lease;
use crate::message::FromEngine;
use crate::view::{LiveView, ViewPatch};
use informer::clock::Clock;
use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorReport, InformerError, InformerStatus, Object, Observer, Registration,
    SharedInformer,
};

/// A shared informer that a page takes part in.
pub(super) struct HeldInformer {
    pub(super) lease: Lease,
    pub(super) informer: SharedInformer<Object>,
    pub(super) sent: Option<(InformerStatus, Duration)>,
    pub(super) errors: Rc<Errors>,
    pub(super) _observer: Observer,
}

/// Errors that the page has not been told of. An index over a path may refuse each of 50,000 objects in one list, and a
/// page that is throttled in the background would still be told of them tomorrow.
#[derive(Default)]
pub(super) struct Errors(RefCell<Vec<(ErrorReport, usize)>>);

impl Errors {
    /// Keeps the first of each kind, and counts the others.
    pub(super) fn add(&self, error: &InformerError) {
        let mut known = self.0.borrow_mut();
        match known.iter_mut().find(|(known, _)| known.code == error.code()) {
            Some((_, more)) => *more += 1,
            None => known.push((error.into(), 0)),
        }
    }

    /// What to tell the page, which then knows.
    pub(super) fn take(&self) -> impl Iterator<Item = ErrorReport> + use<> {
        self.0.take().into_iter().map(|(mut error, more)| {
            if more > 0 {
                error.message = format!("{} (and {more} more like it)", error.message);
            }
            error
        })
    }
}

impl HeldInformer {
    /// The status, if the page should have it now: at once when it means something else, four times a second when only
    /// counters moved. `Err` says that there is something, but not yet.
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

    /// The status, if it differs at all from what the page has.
    pub(super) fn status_news(&mut self, now: Duration) -> Option<InformerStatus> {
        let status = self.informer.status();
        if self.sent.as_ref().is_some_and(|(sent, _)| *sent == status) {
            return None;
        }
        self.sent = Some((status.clone(), now));
        Some(status)
    }
}

/// A view that changes with its cache and by its page.
pub(super) type SharedView = Rc<RefCell<Box<dyn LiveView>>>;

/// A view that a page looks at.
pub(super) struct HeldView {
    pub(super) informer: u32,
    pub(super) view: SharedView,
    /// The number of the wish that it shows; 0 if it was granted none.
    pub(super) wish: u32,
    pub(super) registration: Registration<Object>,
}

impl HeldView {
    /// What to tell the page of `view`, if it does not know.
    pub(super) fn news(&self, view: u32, now: f64) -> Vec<FromEngine> {
        let synced = self.registration.has_synced();
        let (mut held, wish) = (self.view.borrow_mut(), self.wish);
        let patch = held.patch(synced, now).map(|patch| {
            let ViewPatch { revision, total, of, synced, start, end, rows } = patch;
            FromEngine::View { view, wish, revision, total, of, synced, start, end, rows }
        });
        let facets = held.facets(now).map(|facets| FromEngine::Facets { view, wish, facets });
        patch.into_iter().chain(facets).collect()
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

/// What the page knows of an object that it follows.
#[derive(Default)]
pub(super) enum Sent {
    #[default]
    Nothing,
    Absent,
    Object(Arc<Object>),
}

impl Follow {
    /// What to tell the page of `follow`, if it does not know.
    pub(super) fn news(&mut self, follow: u32, informer: &SharedInformer<Object>) -> Option<FromEngine> {
        let indexer = informer.indexer();
        let object = indexer.get_by_key(&self.key);
        let known = match (&self.sent, object) {
            // Before the first list nobody can say that the object is not there.
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

/// Keeps a view in step with the cache.
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
