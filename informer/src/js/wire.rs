//! Messages as JavaScript sees them.
//!
//! Over a port a message is `{type: "setWindow", view: 1, start: 0, end: 50}`, as anybody would write it by hand; in Rust
//! it is an enum in serde's own form, `{setWindow: {view: 1, …}}` or `"wake"`. The two are turned into each other here,
//! where it costs a property: serde's internally tagged enums read such messages too, but by buffering each one as a tree
//! of values, for 27 KB of wasm after gzip.

use js_sys::{Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

const TYPE: &str = "type";

/// A message for `postMessage`.
///
/// # Errors
/// When it does not serialise, which would be a bug.
pub fn to_js<T: Serialize>(message: &T) -> Result<JsValue, JsValue> {
    let value = message.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?;
    let (kind, fields) = if value.is_string() {
        (value, Object::new().into())
    } else {
        let variant = Object::entries(&Object::from(value)).get(0);
        (Reflect::get_u32(&variant, 0)?, Reflect::get_u32(&variant, 1)?)
    };
    Reflect::set(&fields, &JsValue::from_str(TYPE), &kind)?;
    Ok(fields)
}

/// A message out of `event.data`.
///
/// # Errors
/// When it is not one, in words.
pub fn from_js<T: DeserializeOwned>(data: JsValue) -> Result<T, String> {
    let not_a_message = |_: JsValue| "it is not an object with a type".to_owned();
    if !data.is_object() {
        return Err(not_a_message(data));
    }
    let kind = Reflect::get(&data, &JsValue::from_str(TYPE)).map_err(not_a_message)?;
    let alone = Object::keys(&Object::from(data.clone())).length() == 1;
    let variant = if alone {
        kind
    } else {
        let variant = Object::new();
        Reflect::set(&variant, &kind, &data).map_err(not_a_message)?;
        variant.into()
    };
    serde_wasm_bindgen::from_value(variant).map_err(|error| error.to_string())
}
