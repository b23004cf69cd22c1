//! Binding: aggregates of an informer's objects.

use js_sys::{Array, Function, JsString, Object, Promise};
use wasm_bindgen::prelude::*;

use super::{InformerError, SharedInformer};

#[wasm_bindgen]
extern "C" {
    /// `AggregateOptions`
    pub(crate) type AggregateOptions;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_by(this: &AggregateOptions, columns: &Array<JsString>);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_of(this: &AggregateOptions, values: &Array<AggregateValue>);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_filter(this: &AggregateOptions, filter: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_columns(this: &AggregateOptions, paths: &Object);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_namespaces(this: &AggregateOptions, names: &Array<JsString>);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_limit(this: &AggregateOptions, limit: u32);

    /// `AggregateValue`
    pub(crate) type AggregateValue;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_op(this: &AggregateValue, op: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_column(this: &AggregateValue, column: &str);

    /// Resolves to an [`Aggregate`].
    #[wasm_bindgen(method)]
    pub(crate) fn aggregate(this: &SharedInformer, options: &AggregateOptions) -> Promise;

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
