//! Messages as they cross the port.

#[cfg(target_arch = "wasm32")]
pub(crate) use informer_engine::js::{from_js, to_js};

/// Outside a browser, where only the pure parts are tested, nothing crosses.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn to_js<T>(_message: &T) -> Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue> {
    Err(wasm_bindgen::JsValue::NULL)
}

/// Outside a browser, where only the pure parts are tested, nothing crosses.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn from_js<T>(_data: &wasm_bindgen::JsValue) -> Result<T, String> {
    Err("there is no browser".to_owned())
}
