//! Binding of `Client.logs()`, as `types/logs.d.ts` declares it.

use js_sys::{AsyncIterator, Function};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use super::{Factory, InformerError};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(method, getter, js_name = client)]
    pub(crate) fn log_client(this: &Factory) -> LogClient;

    /// `Client`
    pub(crate) type LogClient;
    #[wasm_bindgen(method, catch)]
    pub(crate) fn logs(this: &LogClient, target: &JsValue, options: &LogOptions) -> Result<AsyncIterator, JsValue>;

    /// `LogOptions`
    pub(crate) type LogOptions;
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_container(this: &LogOptions, name: &str);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_previous(this: &LogOptions, previous: bool);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_follow(this: &LogOptions, follow: bool);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_since(this: &LogOptions, seconds: u32);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_tail(this: &LogOptions, lines: u32);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_joined(this: &LogOptions, joined: bool);
    #[wasm_bindgen(method, setter, js_name = pastFirst)]
    pub(crate) fn set_past_first(this: &LogOptions, past_first: bool);
    #[wasm_bindgen(method, setter, js_name = onState)]
    pub(crate) fn set_on_state(this: &LogOptions, listener: &Function);
    #[wasm_bindgen(method, setter)]
    pub(crate) fn set_signal(this: &LogOptions, signal: &AbortSignal);

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

    /// `LogTarget`
    pub(crate) type LogTarget;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn namespace(this: &LogTarget) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    pub(crate) fn name(this: &LogTarget) -> Option<String>;
}
