//! Messages as JavaScript values and as JSON text.
//!
//! Over a port a message is `{type: "setWindow", view: 1, start: 0, end: 50}`, or the same as JSON text, which is what the
//! engine sends: a page decodes it with one `JSON.parse`, objects of the cluster included, and text crosses between threads
//! faster than the objects it stands for. In Rust a message is an enum in serde's own form, `{setWindow: {view: 1, …}}` or
//! `"wake"`. The Rust page converts between the two with [`to_js`] and [`from_js`]. The engine needs no serde:
//! `ToEngine::from_json`, `FromEngine::to_json`.

use informer_packing::Json;
use js_sys::{JSON, Object, Reflect};
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
pub fn from_js<T: DeserializeOwned>(data: &JsValue) -> Result<T, String> {
    let text = json_text(data);
    let message = Json::object(&text).ok_or("it is not an object with a type")?;
    let kind = message.get(TYPE).map(Json::text).filter(|kind| kind.starts_with('"')).ok_or("it has no type")?;
    let alone = message.members().count() == 1;
    let variant = if alone { kind.to_owned() } else { format!("{{{kind}:{text}}}") };
    serde_json::from_str(&variant).map_err(|error| error.to_string())
}

/// The JSON text of a message; empty for what has none.
pub(super) fn json_text(data: &JsValue) -> String {
    data.as_string().or_else(|| JSON::stringify(data).ok()?.as_string()).unwrap_or_default()
}
