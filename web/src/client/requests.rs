//! Binding to the npm package's `Client`: arguments and results are JSON here.

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
    #[wasm_bindgen(method, getter)]
    pub(crate) fn client(this: &Factory) -> Object;
}

/// Calls a method of the client.
pub(crate) async fn call(factory: &Factory, method: &str, arguments: &[Value]) -> Result<Value, Failure> {
    call_method(factory, method, arguments).await.map(from_js).map_err(|error| failure(&error))
}

/// Reads a path of the server, whose response is JSON.
pub(crate) async fn read(factory: &Factory, path: &str) -> Result<Value, Failure> {
    request(factory, path, json!({})).await
}

/// Reads the metadata of the object at a path, with its `managedFields`.
pub(crate) async fn read_metadata(factory: &Factory, path: &str) -> Result<Value, Failure> {
    let accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    let object = request(factory, path, json!({ "headers": { "accept": accept } })).await?;
    // A server without support for PartialObjectMetadata sends the whole object.
    Ok(json!({ "metadata": object["metadata"] }))
}

/// Reads the metadata of all objects of a list. For 5,000 pods this is a tenth of the size.
pub(crate) async fn read_metadata_list(factory: &Factory, path: &str) -> Result<Vec<Value>, Failure> {
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    let mut list = request(factory, path, json!({ "headers": { "accept": accept } })).await?;
    Ok(list["items"].as_array_mut().map(std::mem::take).unwrap_or_default())
}

/// Requests a path and parses the response as JSON; any status but 2xx is an error with the package's code.
async fn request(factory: &Factory, path: &str, mut options: Value) -> Result<Value, Failure> {
    options["throwOnError"] = true.into();
    let response = call_method(factory, "request", &[path.into(), options]).await.map_err(|error| failure(&error))?;
    let json =
        Reflect::get(&response, &"json".into()).and_then(|json| json.unchecked_into::<Function>().call0(&response));
    let json = JsFuture::from(json.map_err(|error| failure(&error))?.unchecked_into::<Promise>()).await;
    Ok(json.map(from_js).unwrap_or_default())
}

async fn call_method(factory: &Factory, method: &str, arguments: &[Value]) -> Result<JsValue, JsValue> {
    let client = factory.client();
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
