//! Bindings of the npm package `kube-informer`: the part of its `index.d.ts` that the dashboard uses.

pub(crate) mod aggregates;
pub(crate) mod failure;
pub(crate) mod logs;
pub(crate) mod reads;
pub(crate) mod requests;
pub(crate) mod search;

use js_sys::{Array, Function, JsString, Object, Promise};
use wasm_bindgen::prelude::*;
use web_sys::EventTarget;

#[wasm_bindgen]
extern "C" {
    /// In `www/boot.js`: the promise of the factory.
    #[wasm_bindgen(thread_local_v2, js_name = kubeInformer)]
    pub(crate) static CONNECTED: Promise;
}

#[wasm_bindgen]
extern "C" {
    /// `SharedInformerFactory`
    #[derive(Clone, Debug)]
    pub(crate) type Factory;
    #[wasm_bindgen(method, catch, js_name = forResource)]
    pub(crate) fn for_resource(
        this: &Factory,
        resource: &str,
        options: &InformerOptions,
    ) -> Result<SharedInformer, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn start(this: &Factory) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn retry(this: &Factory);
    #[wasm_bindgen(method)]
    pub(crate) fn resources(this: &Factory) -> Promise;
    #[wasm_bindgen(method, js_name = clearSnapshots)]
    pub(crate) fn clear_snapshots(this: &Factory) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn closed(this: &Factory) -> Promise;

    /// `InformerOptions`
    pub(crate) type InformerOptions;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_namespace(this: &InformerOptions, namespace: &str);
    #[wasm_bindgen(method, setter, js_name = fieldSelector)]
    pub(crate) fn set_field_selector(this: &InformerOptions, selector: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_mode(this: &InformerOptions, mode: &str);

    /// `SharedInformer`
    #[wasm_bindgen(extends = EventTarget)]
    #[derive(Clone, Debug)]
    pub(crate) type SharedInformer;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn status(this: &SharedInformer) -> Status;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn view(this: &SharedInformer, options: &ViewQuery) -> Result<View, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn object(this: &SharedInformer, key: &str) -> Result<ObjectStore, JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn inspect(this: &SharedInformer) -> Promise;
    #[wasm_bindgen(method)]
    pub(crate) fn stop(this: &SharedInformer) -> Promise;
}

#[wasm_bindgen]
extern "C" {
    /// `ViewOptions` and `ViewQuery`
    #[derive(Clone, Debug)]
    pub(crate) type ViewQuery;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn filter(this: &ViewQuery) -> String;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_filter(this: &ViewQuery, filter: &str);
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespaces(this: &ViewQuery) -> Array<JsString>;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_namespaces(this: &ViewQuery, namespaces: &Array<JsString>);
    #[wasm_bindgen(method, setter, js_name = orderBy)]
    pub(crate) fn set_order_by(this: &ViewQuery, order: &Array<Array<JsString>>);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_counts(this: &ViewQuery, columns: &Array<JsString>);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_columns(this: &ViewQuery, columns: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_window(this: &ViewQuery, window: &Array);

    /// `View<TableRow>`
    #[derive(Clone, Debug)]
    pub(crate) type View;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn columns(this: &View) -> Array<ColumnHeader>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn counts(this: &View) -> ViewCounts;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn error(this: &View) -> Option<ViewError>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn pending(this: &View) -> bool;
    #[wasm_bindgen(method, js_name = getSnapshot)]
    pub(crate) fn snapshot(this: &View) -> Snapshot;
    #[wasm_bindgen(method, catch, js_name = setWindow)]
    pub(crate) fn set_window(this: &View, start: u32, end: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn change(this: &View, query: &ViewQuery) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = freezeOrder)]
    pub(crate) fn freeze_order(this: &View, frozen: bool);
    #[wasm_bindgen(method, js_name = countValues)]
    pub(crate) fn count_values(this: &View, options: &CountOptions) -> Promise;
    #[wasm_bindgen(method)]
    pub(crate) fn subscribe(this: &View, callback: &Function) -> Function;
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &View);

    /// `ViewSnapshot<TableRow>`
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) type Snapshot;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn rows(this: &Snapshot) -> Array<Row>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn start(this: &Snapshot) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn total(this: &Snapshot) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn unfiltered(this: &Snapshot) -> u32;
    #[wasm_bindgen(method, getter, js_name = hasSynced)]
    pub(crate) fn has_synced(this: &Snapshot) -> bool;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn query(this: &Snapshot) -> Option<ViewQuery>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn revision(this: &Snapshot) -> f64;

    /// `TableRow`
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) type Row;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn key(this: &Row) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn gone(this: &Row) -> bool;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn cells(this: &Row) -> Array;

    /// `TableCell`, where it is no text, number or null
    pub(crate) type MovingCell;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn time(this: &MovingCell) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn restarts(this: &MovingCell) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = lastAt)]
    pub(crate) fn last_at(this: &MovingCell) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn from(this: &MovingCell) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn to(this: &MovingCell) -> Option<f64>;

    /// `ColumnHeader`
    pub(crate) type ColumnHeader;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn name(this: &ColumnHeader) -> String;
    #[wasm_bindgen(method, getter, js_name = type)]
    pub(crate) fn kind(this: &ColumnHeader) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn priority(this: &ColumnHeader) -> u32;

    /// `ViewCounts`
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) type ViewCounts;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn query(this: &ViewCounts) -> Option<ViewQuery>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn columns(this: &ViewCounts) -> Array<ColumnCounts>;

    /// `ColumnCounts`
    pub(crate) type ColumnCounts;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn column(this: &ColumnCounts) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn values(this: &ColumnCounts) -> Array<ValueCount>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn more(this: &ColumnCounts) -> u32;

    /// `ValueCount`
    pub(crate) type ValueCount;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn value(this: &ValueCount) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn count(this: &ValueCount) -> u32;

    /// The options of `View.countValues()`
    pub(crate) type CountOptions;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_column(this: &CountOptions, column: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_filter(this: &CountOptions, filter: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_containing(this: &CountOptions, text: &str);
}

#[wasm_bindgen]
extern "C" {
    /// `ObjectStore`
    #[derive(Clone, Debug)]
    pub(crate) type ObjectStore;
    /// Undefined where it is not known yet, null where there is none.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &ObjectStore) -> JsValue;
    #[wasm_bindgen(method)]
    pub(crate) fn subscribe(this: &ObjectStore, callback: &Function) -> Function;
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &ObjectStore);

    /// `InformerError`
    pub(crate) type InformerError;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn code(this: &InformerError) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn message(this: &InformerError) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn status(this: &InformerError) -> Option<u16>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn request(this: &InformerError) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn retryable(this: &InformerError) -> bool;

    /// `ViewError`
    #[wasm_bindgen(extends = InformerError)]
    pub(crate) type ViewError;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn query(this: &ViewError) -> ViewQuery;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn range(this: &ViewError) -> Option<Array>;

    /// `InformerStatus`
    pub(crate) type Status;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn phase(this: &Status) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn freshness(this: &Status) -> String;
    #[wasm_bindgen(method, getter, js_name = hasSynced)]
    pub(crate) fn has_synced(this: &Status) -> bool;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespaces(this: &Status) -> Array<JsString>;
    #[wasm_bindgen(method, getter, js_name = namespaceMissing)]
    pub(crate) fn namespace_missing(this: &Status) -> bool;
    #[wasm_bindgen(method, getter, js_name = resourceVersion)]
    pub(crate) fn resource_version(this: &Status) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn objects(this: &Status) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn bytes(this: &Status) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn listed(this: &Status) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn lists(this: &Status) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn watches(this: &Status) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn relists(this: &Status) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn events(this: &Status) -> f64;
    #[wasm_bindgen(method, getter, js_name = droppedEvents)]
    pub(crate) fn dropped_events(this: &Status) -> f64;
    #[wasm_bindgen(method, getter, js_name = queueDepth)]
    pub(crate) fn queue_depth(this: &Status) -> f64;
    #[wasm_bindgen(method, getter, js_name = lastEventAt)]
    pub(crate) fn last_event_at(this: &Status) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = lastBookmarkAt)]
    pub(crate) fn last_bookmark_at(this: &Status) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = lastContactAt)]
    pub(crate) fn last_contact_at(this: &Status) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = nextRetryAt)]
    pub(crate) fn next_retry_at(this: &Status) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = lastError)]
    pub(crate) fn last_error(this: &Status) -> Option<InformerError>;

    /// `ResourceInfo`
    pub(crate) type ResourceInfo;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn group(this: &ResourceInfo) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn version(this: &ResourceInfo) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn resource(this: &ResourceInfo) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn kind(this: &ResourceInfo) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespaced(this: &ResourceInfo) -> bool;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn verbs(this: &ResourceInfo) -> Array<JsString>;
    #[wasm_bindgen(method, getter, js_name = shortNames)]
    pub(crate) fn short_names(this: &ResourceInfo) -> Array<JsString>;
}

#[wasm_bindgen]
extern "C" {
    /// `Inspection`
    pub(crate) type Inspection;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn metrics(this: &Inspection) -> Metrics;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn transport(this: &Inspection) -> Traffic;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn history(this: &Inspection) -> Array<HistoryEntry>;

    /// `InformerMetrics`
    pub(crate) type Metrics;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn bookmarks(this: &Metrics) -> f64;
    #[wasm_bindgen(method, getter, js_name = earlyEnds)]
    pub(crate) fn early_ends(this: &Metrics) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn suspicions(this: &Metrics) -> f64;
    #[wasm_bindgen(method, getter, js_name = falseSuspicions)]
    pub(crate) fn false_suspicions(this: &Metrics) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn errors(this: &Metrics) -> f64;

    /// `Traffic`
    pub(crate) type Traffic;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn carrier(this: &Traffic) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn requests(this: &Traffic) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn bytes(this: &Traffic) -> f64;
    #[wasm_bindgen(method, getter, js_name = eventsPerSecond)]
    pub(crate) fn events_per_second(this: &Traffic) -> f64;
    #[wasm_bindgen(method, getter, js_name = bytesPerSecond)]
    pub(crate) fn bytes_per_second(this: &Traffic) -> f64;

    /// `HistoryEntry`
    pub(crate) type HistoryEntry;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn what(this: &HistoryEntry) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn at(this: &HistoryEntry) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn until(this: &HistoryEntry) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn count(this: &HistoryEntry) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn code(this: &HistoryEntry) -> Option<String>;
}

/// An object whose properties the setters above write.
pub(crate) fn record<T: JsCast>() -> T {
    Object::new().unchecked_into()
}
