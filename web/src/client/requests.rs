//! Binding: the package's `Client`, whose arguments and results are JSON here.

use js_sys::{Array, Function, Object, Promise, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::failure::Failure;
use super::{Factory, InformerError};

#[wasm_bindgen]
extern "C" {
    /// `SharedInformerFactory.client`
    #[wasm_bindgen(method, getter, js_name = client)]
    pub(crate) fn requests(this: &Factory) -> Object;
}

/// Calls a method of the client.
pub(crate) async fn call(factory: &Factory, method: &str, arguments: &[Value]) -> Result<Value, Failure> {
    result(factory, method, arguments).await.map(from_js).map_err(|error| failure(&error))
}

/// Reads a path of the server, whose response is JSON.
pub(crate) async fn read(factory: &Factory, path: &str) -> Result<Value, Failure> {
    answer(factory, &[path.into()]).await
}

/// Reads the metadata of the object at a path, with its `managedFields`.
pub(crate) async fn read_metadata(factory: &Factory, path: &str) -> Result<Value, Failure> {
    let accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    let object = answer(factory, &[path.into(), json!({ "headers": { "accept": accept } })]).await?;
    // A server without support for PartialObjectMetadata sends the whole object.
    Ok(json!({ "metadata": object["metadata"] }))
}

/// Reads the metadata of all objects of a list. Of 5,000 pods they take a tenth of the bytes.
pub(crate) async fn read_metadata_list(factory: &Factory, path: &str) -> Result<Vec<Value>, Failure> {
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    let mut list = answer(factory, &[path.into(), json!({ "headers": { "accept": accept } })]).await?;
    Ok(list["items"].as_array_mut().map(std::mem::take).unwrap_or_default())
}

async fn answer(factory: &Factory, arguments: &[Value]) -> Result<Value, Failure> {
    let response = result(factory, "request", arguments).await.map_err(|error| failure(&error))?;
    let status = get(&response, "status").as_f64().unwrap_or_default();
    let json =
        Reflect::get(&response, &"json".into()).and_then(|json| json.unchecked_into::<Function>().call0(&response));
    let json = JsFuture::from(json.map_err(|error| failure(&error))?.unchecked_into::<Promise>()).await;
    let json: Value = json.map(from_js).unwrap_or_default();
    if (200.0..300.0).contains(&status) {
        return Ok(json);
    }
    let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a status of HTTP")]
    let status = status as u16;
    let code = match status {
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not-found",
        429 => "throttled",
        408 | 504 => "timeout",
        _ => "internal",
    };
    let seconds = json["details"]["retryAfterSeconds"].as_f64();
    Err(Failure {
        code: code.to_owned(),
        status: Some(status),
        reason: text("reason"),
        message: text("message"),
        retry_after_ms: seconds.map(|seconds| seconds * 1_000.0),
        ..Failure::default()
    })
}

async fn result(factory: &Factory, method: &str, arguments: &[Value]) -> Result<JsValue, JsValue> {
    let client = factory.requests();
    let method: Function = Reflect::get(&client, &method.into())?.unchecked_into();
    let arguments: Array = arguments.iter().map(to_js).collect::<Result<Array, JsValue>>()?;
    JsFuture::from(method.apply(&client, &arguments)?.unchecked_into::<Promise>()).await
}

fn to_js(value: &Value) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}

/// A value of the package; the type's default if it has another shape.
fn from_js<T: DeserializeOwned + Default>(value: JsValue) -> T {
    serde_wasm_bindgen::from_value(value).unwrap_or_default()
}

fn get(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

/// Converts an error of the package.
pub(crate) fn failure(error: &JsValue) -> Failure {
    let of: &InformerError = error.unchecked_ref();
    let text = |name: &str| get(error, name).as_string();
    Failure {
        code: text("code").unwrap_or_else(|| "internal".to_owned()),
        status: of.status(),
        reason: text("reason").unwrap_or_default(),
        message: text("message").unwrap_or_else(|| format!("{error:?}")),
        webhook: text("webhook"),
        retry_after_ms: get(error, "retryAfterMs").as_f64(),
        causes: from_js(get(error, "causes")),
        conflicts: from_js(get(error, "conflicts")),
    }
}
