//! Subscriptions of a page: informers, views and followed objects, and their updates.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::linger::InformerUse;
use crate::message::FromEngine;
use crate::view::{LiveView, Past};
use informer::clock::Clock;
use informer::{
    ChangeBatch, ChangeBatchHandler, ErrorReport, InformerError, InformerStatus, Object, Observer, Registration,
    SharedInformer,
};

/// Informer of a page: its use of a shared informer, and what it was sent.
pub(super) struct PageInformer {
    pub(super) informer_use: InformerUse,
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

impl PageInformer {
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

    /// Returns the status, if it differs from the page's.
    pub(super) fn status_update(&mut self, now: Duration) -> Option<InformerStatus> {
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

/// View of a page.
pub(super) struct PageView {
    pub(super) informer: u32,
    pub(super) view: SharedView,
    /// Number of the applied view query; 0 before the first one.
    pub(super) query_id: u32,
    pub(super) registration: Registration<Object>,
}

impl PageView {
    /// Returns the messages that bring the page's `view` up to date.
    pub(super) fn updates(&self, view: u32, now: f64) -> Vec<FromEngine> {
        let synced = self.registration.has_synced();
        self.view.borrow_mut().updates(view, self.query_id, synced, now)
    }
}

impl Drop for PageView {
    fn drop(&mut self) {
        self.registration.remove();
    }
}

/// Followed object of a page.
pub(super) struct Follow {
    pub(super) informer: u32,
    pub(super) key: String,
    pub(super) sent: SentState,
    /// Time that it is rewound to.
    pub(super) shown: Option<f64>,
}

/// State of a followed object that was last sent to the page.
#[derive(Default)]
pub(super) enum SentState {
    #[default]
    Nothing,
    Absent,
    Object(Arc<Object>),
}

impl Follow {
    /// Returns the message that brings the page's `follow` up to date: with the object at a past time, or at present.
    pub(super) fn update(
        &mut self,
        follow: u32,
        informer: &SharedInformer<Object>,
        past: Option<&dyn Past>,
    ) -> Option<FromEngine> {
        let time = past.map(Past::time);
        let is_same_time = std::mem::replace(&mut self.shown, time) == time;
        let object = match past {
            Some(_) if is_same_time => return None,
            Some(past) => past.object(&self.key),
            None => informer.indexer().get_by_key(&self.key).map(Arc::clone),
        };
        let known = match (&self.sent, &object) {
            // Before the first list it is unknown whether the object exists.
            (SentState::Nothing, None) => !informer.has_synced(),
            (SentState::Absent, None) => true,
            (SentState::Object(sent), Some(object)) => Arc::ptr_eq(sent, object),
            _ => false,
        };
        if known {
            return None;
        }
        let json = object.as_ref().map(|object| object.json().into_owned());
        self.sent = object.map_or(SentState::Absent, SentState::Object);
        Some(FromEngine::Object { follow, json })
    }
}

/// Event handler that applies changes of the cache to a view.
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
