//! Recorded informer: the engine records its changes until this is dropped.

use std::cell::Cell;
use std::rc::Rc;

use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::client::record::Record;
use crate::client::{Recording, SharedInformer};
use crate::cluster::{Cluster, OpenInformer, settle};

/// Informer whose changes are recorded.
pub(super) struct RecordedInformer {
    pub(super) number: u32,
    /// As `v1/pods`.
    pub(super) resource: String,
    pub(super) namespace: Option<String>,
    /// Whether it has only the objects that a field selector chooses.
    pub(super) is_partial: bool,
    /// Time at which the recording was requested.
    pub(super) requested_at: f64,
    shared: SharedInformer,
    recording: Recording,
    /// Whether it shows a time of the past.
    is_past: Rc<Cell<bool>>,
    /// Last time at which another part of the page used it.
    used_at: Cell<f64>,
    _on_change: Closure<dyn Fn()>,
}

impl Drop for RecordedInformer {
    fn drop(&mut self) {
        self.recording.close();
        let _stopped = self.shared.stop();
    }
}

impl RecordedInformer {
    /// Follows a recording, and keeps its informer. `on_change` is called in a frame.
    pub(super) fn new(
        number: u32,
        requested_at: f64,
        open: OpenInformer,
        shared: SharedInformer,
        recording: Recording,
        on_change: impl Fn() + 'static,
    ) -> Self {
        let on_change = Closure::<dyn Fn()>::new(on_change);
        let _unsubscribe = recording.subscribe(on_change.as_ref().unchecked_ref());
        let OpenInformer { resource, scope, .. } = open;
        Self {
            number,
            resource,
            namespace: scope.namespace,
            is_partial: scope.field_selector.is_some(),
            requested_at,
            shared,
            recording,
            is_past: Rc::default(),
            used_at: Cell::new(js_sys::Date::now()),
            _on_change: on_change,
        }
    }

    /// Time from which on changes are recorded.
    pub(super) fn since(&self) -> Option<f64> {
        self.recording.snapshot().kept_since()
    }

    /// Number of recorded changes, and their size in bytes.
    pub(super) fn size(&self) -> (f64, f64) {
        let snapshot = self.recording.snapshot();
        (snapshot.count(), snapshot.bytes())
    }

    /// The recorded informer.
    pub(super) fn shared(&self) -> &SharedInformer {
        &self.shared
    }

    /// Whether this is the record of an informer.
    pub(super) fn is_of(&self, shared: &SharedInformer) -> bool {
        self.shared == *shared
    }

    /// Whether another part of the page uses the informer.
    pub(super) fn is_open(&self, cluster: Cluster) -> bool {
        cluster.is_open(&self.shared)
    }

    /// Records whether the informer is used. Returns the milliseconds since it was last used.
    pub(super) fn unused_for(&self, cluster: Cluster, now: f64) -> f64 {
        if self.is_open(cluster) {
            self.used_at.set(now);
        }
        now - self.used_at.get()
    }

    /// Shows a time; the present if it is not recorded then.
    pub(super) fn show(&self, time: Option<f64>) {
        let time = time.filter(|time| self.since().is_some_and(|since| since <= *time));
        let is_past = Rc::clone(&self.is_past);
        is_past.set(time.is_some());
        // Rejected if the changes after that time were dropped meanwhile.
        settle(self.recording.rewind(&time.map_or(JsValue::NULL, JsValue::from)), move |answer| {
            if answer.is_err() {
                is_past.set(false);
            }
        });
    }

    /// Whether it shows a time of the past, even if its changes were dropped since.
    pub(super) fn is_past(&self) -> bool {
        self.is_past.get()
    }

    /// Requests its changes, as JSON of the package.
    pub(super) fn changes<T: DeserializeOwned + 'static>(&self, options: &Record, then: impl FnOnce(T) + 'static) {
        settle(self.recording.changes(options), read(then));
    }

    /// Requests the differences between two times.
    pub(super) fn differences<T: DeserializeOwned + 'static>(&self, options: &Record, then: impl FnOnce(T) + 'static) {
        settle(self.recording.differences(options), read(then));
    }

    /// Requests the numbers of its changes in parts of a span of time.
    pub(super) fn counts(&self, options: &Record, then: impl FnOnce(Vec<u32>) + 'static) {
        settle(self.recording.count_changes(options), read(then));
    }
}

/// Reads a response. After an error nothing is called: the recording has ended, and with it the requesting component.
fn read<T: DeserializeOwned>(then: impl FnOnce(T)) -> impl FnOnce(Result<JsValue, informer::ErrorReport>) {
    move |answer| {
        let text =
            answer.ok().and_then(|answer| js_sys::JSON::stringify(&answer).ok()).and_then(|text| text.as_string());
        if let Some(found) = text.and_then(|text| serde_json::from_str(&text).ok()) {
            then(found);
        }
    }
}
