//! Bindings of the npm package `kube-informer`: the part of its `index.d.ts` that the dashboard uses.
//!
//! All of them are in this file; the modules below it have conveniences for Rust. Options are [`record::Record`]s.

pub(crate) mod failure;
pub(crate) mod logs;
pub(crate) mod record;
pub(crate) mod requests;

use js_sys::{Array, AsyncIterator, Function, JsString, Object, Promise};
use wasm_bindgen::prelude::*;
use web_sys::EventTarget;

#[wasm_bindgen]
extern "C" {
    /// In `www/boot.js`: the promise of the factory.
    #[wasm_bindgen(thread_local_v2, js_name = kubeInformer)]
    pub(crate) static CONNECTED: Promise;

    /// `SharedInformerFactory`
    #[derive(Clone, Debug)]
    pub(crate) type Factory;
    #[wasm_bindgen(method, catch, js_name = forResource)]
    pub(crate) fn for_resource(this: &Factory, resource: &str, options: &Object) -> Result<SharedInformer, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn start(this: &Factory) -> Result<(), JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn retry(this: &Factory);
    #[wasm_bindgen(method)]
    pub(crate) fn resources(this: &Factory) -> Promise;
    #[wasm_bindgen(method, js_name = clearSnapshots)]
    pub(crate) fn clear_snapshots(this: &Factory) -> Promise;
    #[wasm_bindgen(method)]
    pub(crate) fn inspect(this: &Factory, options: &Object) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn closed(this: &Factory) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn client(this: &Factory) -> Client;

    /// `SharedInformer`
    #[wasm_bindgen(extends = EventTarget)]
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) type SharedInformer;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn status(this: &SharedInformer) -> Status;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn view(this: &SharedInformer, options: &Object) -> Result<View, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn object(this: &SharedInformer, key: &str) -> Result<ObjectStore, JsValue>;
    /// Resolves to an [`Aggregate`].
    #[wasm_bindgen(method)]
    pub(crate) fn aggregate(this: &SharedInformer, options: &Object) -> Promise;
    /// Resolves to a [`SearchResult`].
    #[wasm_bindgen(method)]
    pub(crate) fn search(this: &SharedInformer, text: &str, options: &Object) -> Promise;
    /// Resolves to a [`Recording`].
    #[wasm_bindgen(method, js_name = recordChanges)]
    pub(crate) fn record_changes(this: &SharedInformer, options: &Object) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn indexer(this: &SharedInformer) -> Indexer;
    /// Resolves to an [`Inspection`].
    #[wasm_bindgen(method)]
    pub(crate) fn inspect(this: &SharedInformer) -> Promise;
    #[wasm_bindgen(method)]
    pub(crate) fn stop(this: &SharedInformer) -> Promise;
}

#[wasm_bindgen]
extern "C" {
    /// `ViewQuery`
    #[derive(Clone, Debug)]
    pub(crate) type ViewQuery;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn filter(this: &ViewQuery) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespaces(this: &ViewQuery) -> Array<JsString>;

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
    pub(crate) fn change(this: &View, query: &Object) -> Result<(), JsValue>;
    #[wasm_bindgen(method, js_name = freezeOrder)]
    pub(crate) fn freeze_order(this: &View, frozen: bool);
    #[wasm_bindgen(method, js_name = countValues)]
    pub(crate) fn count_values(this: &View, options: &Object) -> Promise;
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

}

#[wasm_bindgen]
extern "C" {
    /// `ObjectStore`
    #[derive(Clone, Debug)]
    pub(crate) type ObjectStore;
    /// Undefined while it is unknown, null if the object does not exist.
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
    #[wasm_bindgen(method, getter)]
    pub(crate) fn reason(this: &InformerError) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn webhook(this: &InformerError) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = retryAfterMs)]
    pub(crate) fn retry_after_ms(this: &InformerError) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn causes(this: &InformerError) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn conflicts(this: &InformerError) -> JsValue;

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
    #[wasm_bindgen(method, getter)]
    pub(crate) fn scale(this: &ResourceInfo) -> bool;
}

#[wasm_bindgen]
extern "C" {
    /// `Indexer`
    pub(crate) type Indexer;
    /// An array of keys.
    #[wasm_bindgen(method, js_name = listKeys)]
    pub(crate) fn list_keys(this: &Indexer) -> Promise;
    /// An array of objects.
    #[wasm_bindgen(method)]
    pub(crate) fn list(this: &Indexer) -> Promise;
    #[wasm_bindgen(method, js_name = byIndex)]
    pub(crate) fn by_index(this: &Indexer, index: &str, value: &str) -> Promise;

    /// `SearchResult`
    pub(crate) type SearchResult;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn total(this: &SearchResult) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn matches(this: &SearchResult) -> Array<SearchMatch>;

    /// `SearchMatch`
    pub(crate) type SearchMatch;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn key(this: &SearchMatch) -> String;
    #[wasm_bindgen(method, getter, js_name = in)]
    pub(crate) fn place(this: &SearchMatch) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn name(this: &SearchMatch) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn text(this: &SearchMatch) -> String;
}

#[wasm_bindgen]
extern "C" {
    /// `Aggregate`
    #[derive(Clone, Debug)]
    pub(crate) type Aggregate;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn error(this: &Aggregate) -> Option<InformerError>;
    #[wasm_bindgen(method, js_name = getSnapshot)]
    pub(crate) fn snapshot(this: &Aggregate) -> AggregateSnapshot;
    #[wasm_bindgen(method)]
    pub(crate) fn subscribe(this: &Aggregate, callback: &Function) -> Function;
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &Aggregate);

    /// `AggregateSnapshot`
    pub(crate) type AggregateSnapshot;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn groups(this: &AggregateSnapshot) -> Array<AggregateGroup>;
    /// Number of groups beyond the limit.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn more(this: &AggregateSnapshot) -> f64;
    /// Numbers and null; none before the first patch.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn total(this: &AggregateSnapshot) -> Option<Array>;
    #[wasm_bindgen(method, getter, js_name = hasSynced)]
    pub(crate) fn has_synced(this: &AggregateSnapshot) -> bool;

    /// `AggregateGroup`
    pub(crate) type AggregateGroup;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn key(this: &AggregateGroup) -> Array<JsString>;
    /// Numbers and null.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn values(this: &AggregateGroup) -> Array;
}

#[wasm_bindgen]
extern "C" {
    /// `Recording`
    #[derive(Clone, Debug)]
    pub(crate) type Recording;
    #[wasm_bindgen(method, js_name = getSnapshot)]
    pub(crate) fn snapshot(this: &Recording) -> RecordingSnapshot;
    #[wasm_bindgen(method)]
    pub(crate) fn subscribe(this: &Recording, callback: &Function) -> Function;
    /// Resolves to an array of `RecordedChange`.
    #[wasm_bindgen(method)]
    pub(crate) fn changes(this: &Recording, options: &Object) -> Promise;
    /// Resolves to an array of numbers.
    #[wasm_bindgen(method, js_name = countChanges)]
    pub(crate) fn count_changes(this: &Recording, options: &Object) -> Promise;
    /// Resolves to an array of `ObjectDifference`.
    #[wasm_bindgen(method)]
    pub(crate) fn differences(this: &Recording, options: &Object) -> Promise;
    /// Takes a number or null.
    #[wasm_bindgen(method)]
    pub(crate) fn rewind(this: &Recording, time: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    pub(crate) fn close(this: &Recording);

    /// `RecordingSnapshot`
    pub(crate) type RecordingSnapshot;
    #[wasm_bindgen(method, getter, js_name = keptSince)]
    pub(crate) fn kept_since(this: &RecordingSnapshot) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn count(this: &RecordingSnapshot) -> f64;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn bytes(this: &RecordingSnapshot) -> f64;
}

#[wasm_bindgen]
extern "C" {
    /// `Client`
    pub(crate) type Client;
    /// A method by its name.
    #[wasm_bindgen(method, indexing_getter)]
    pub(crate) fn method(this: &Client, name: &str) -> Function;
    /// Resolves to a `Response`.
    #[wasm_bindgen(method)]
    pub(crate) fn request(this: &Client, path: &str, options: &JsValue) -> Promise;
    /// Reads a `LogTarget`, or an array of them. With the option `joined` its batches are [`JoinedLines`].
    #[wasm_bindgen(method, catch)]
    pub(crate) fn logs(this: &Client, target: &JsValue, options: &Object) -> Result<AsyncIterator, JsValue>;

    /// `LogTarget`
    pub(crate) type LogTarget;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespace(this: &LogTarget) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn name(this: &LogTarget) -> Option<String>;

    /// `LogState`
    pub(crate) type LogState;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn state(this: &LogState) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn pod(this: &LogState) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn container(this: &LogState) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn error(this: &LogState) -> Option<InformerError>;
    #[wasm_bindgen(method, getter, js_name = nextRetryAt)]
    pub(crate) fn next_retry_at(this: &LogState) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = exitCode)]
    pub(crate) fn exit_code(this: &LogState) -> Option<i32>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn signal(this: &LogState) -> Option<i32>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn reason(this: &LogState) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn waiting(this: &LogState) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespace(this: &LogState) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = ref)]
    pub(crate) fn reference(this: &LogState) -> Option<LogTarget>;

    /// `JoinedLines`
    pub(crate) type JoinedLines;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn texts(this: &JoinedLines) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn times(this: &JoinedLines) -> String;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn lines(this: &JoinedLines) -> u32;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn cuts(this: &JoinedLines) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn origins(this: &JoinedLines) -> JsValue;
}
