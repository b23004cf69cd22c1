//! Rewindable: a view or an aggregate that can show the objects of an earlier time.

use std::rc::Rc;
use std::sync::Arc;

use informer::rows::Rows;
use informer::{Change, ChangeBatch, Keyed, Object};

use super::{LiveView, Rejection, ViewQuery};
use crate::columns::ColumnHeader;
use crate::message::{FromEngine, ViewRequest};

/// The objects of an earlier time, from a recording.
pub(crate) trait Past {
    /// Their time, in milliseconds since the Unix epoch.
    fn time(&self) -> f64;
    /// Time from which on all states are known. If it is later than [`time`](Past::time), the states at `kept_since`
    /// are returned instead.
    fn kept_since(&self) -> f64;
    /// Keys of the objects with a change after the first time and up to the second, each once.
    fn changed_between(&self, after: f64, until: f64) -> Vec<Rc<str>>;
    /// The object at the time; `None` if it did not exist.
    fn object(&self, key: &str) -> Option<Arc<Object>>;
    /// The last state of an object that has changed, and whether it is cached; otherwise it was deleted.
    fn last_state(&self, key: &str) -> Option<(Arc<Object>, bool)>;
}

/// View that can show the objects of an earlier time.
///
/// While it does, changes of the cache are stored separately: one state for each object that differs from the shown
/// one. So it returns to the present without the recording, which may have ended, and stands still when the recording
/// drops the changes after its time. A step from one time to another costs the changes between them. Times in cells,
/// filters and orders are then relative to the shown time.
pub(crate) struct Rewindable {
    view: Box<dyn LiveView>,
    shown: Option<f64>,
    /// Cached objects whose state at the shown time may be another one.
    newer: Rows<Object>,
    /// Last states of objects that are no longer cached, and may have existed at the shown time.
    gone: Rows<Object>,
}

impl Rewindable {
    /// Creates one that shows the present.
    pub(crate) fn new(view: Box<dyn LiveView>) -> Self {
        Self { view, shown: None, newer: Rows::default(), gone: Rows::default() }
    }

    fn now(&self, now: f64) -> f64 {
        self.shown.unwrap_or(now)
    }

    fn store_newer(&mut self, change: &Change<Object>) {
        let object = change.object();
        let (into, from) = match change {
            Change::Delete { .. } => (&mut self.gone, &mut self.newer),
            _ => (&mut self.newer, &mut self.gone),
        };
        if let Some(row) = from.find(object.key()) {
            from.remove(row);
        }
        into.put(Arc::clone(object));
    }

    /// Returns the keys whose state at the time may differ from the shown one.
    fn differing(&self, past: &dyn Past) -> Vec<Rc<str>> {
        let time = past.time();
        match self.shown {
            // Changes between the two times may have been dropped, those of the same millisecond too.
            Some(shown) if shown <= past.kept_since() => {
                let aside = self.newer.iter().chain(self.gone.iter());
                aside.map(|(_, object)| Rc::from(object.key())).collect()
            }
            Some(shown) => past.changed_between(shown.min(time), shown.max(time)),
            None => past.changed_between(time, f64::INFINITY),
        }
    }

    /// Returns the change that gives an object its state at the time. Stores its newest state separately.
    fn change_to(&mut self, past: &dyn Past, key: &str) -> Option<Change<Object>> {
        if self.newer.find(key).is_none() && self.gone.find(key).is_none() {
            let (last, is_cached) = past.last_state(key)?;
            if is_cached { &mut self.newer } else { &mut self.gone }.put(last);
        }
        if let Some(object) = past.object(key) {
            return Some(update(&object));
        }
        let of = |rows: &Rows<Object>| rows.find(key).and_then(|row| rows.get(row)).map(Arc::clone);
        Some(delete(of(&self.newer).or_else(|| of(&self.gone))?))
    }
}

fn update(object: &Arc<Object>) -> Change<Object> {
    Change::Update { old: Arc::clone(object), new: Arc::clone(object) }
}

fn delete(object: Arc<Object>) -> Change<Object> {
    Change::Delete { object, final_state_unknown: false }
}

impl LiveView for Rewindable {
    fn apply(&mut self, batch: &ChangeBatch<Object>, now: f64) {
        if self.shown.is_none() {
            return self.view.apply(batch, now);
        }
        for change in &batch.changes {
            self.store_newer(change);
        }
    }

    fn updates(&mut self, view: u32, query_id: u32, synced: bool, now: f64) -> Vec<FromEngine> {
        self.view.updates(view, query_id, synced, self.now(now))
    }

    fn due_at(&self) -> Option<f64> {
        self.view.due_at().filter(|_| self.shown.is_none())
    }

    fn headers(&self) -> Vec<ColumnHeader> {
        self.view.headers()
    }

    fn change(&mut self, query: &ViewQuery, now: f64) -> Result<(), Rejection> {
        self.view.change(query, self.now(now))
    }

    fn set_window(&mut self, start: usize, end: usize) {
        self.view.set_window(start, end);
    }

    fn freeze_order(&mut self, frozen: bool) {
        self.view.freeze_order(frozen);
    }

    fn respond(&self, request: &ViewRequest, now: f64) -> informer::Result<String> {
        self.view.respond(request, self.now(now))
    }

    fn show(&mut self, past: Option<&dyn Past>, now: f64) {
        let time = past.map(Past::time);
        if self.shown == time {
            return;
        }
        let changes = if let Some(past) = past {
            let keys = self.differing(past);
            keys.iter().filter_map(|key| self.change_to(past, key)).collect()
        } else {
            let (newer, gone) = (std::mem::take(&mut self.newer), std::mem::take(&mut self.gone));
            let updates = newer.iter().map(|(_, object)| update(object));
            updates.chain(gone.iter().map(|(_, object)| delete(Arc::clone(object)))).collect()
        };
        self.shown = time;
        let batch = ChangeBatch { changes, resource_version: String::new(), relist: false };
        self.view.apply(&batch, self.now(now));
    }
}
