//! Requests by the package's `Client`: arguments and results are JSON here.

use informer::GroupVersionResource;
use js_sys::{Array, Promise};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::failure::Failure;
use super::{Factory, InformerError};

/// Calls a method of the client.
pub(crate) async fn call(factory: &Factory, method: &str, arguments: &[Value]) -> Result<Value, Failure> {
    call_method(factory, method, arguments).await.map(from_js).map_err(|error| failure(&error))
}

/// Reads a path of the server, whose response is JSON.
pub(crate) async fn read(factory: &Factory, path: &str) -> Result<Value, Failure> {
    request(factory, path, json!({})).await
}

/// The path of an object.
pub(crate) fn object_path(resource: &GroupVersionResource, namespace: Option<&str>, name: &str) -> String {
    let encoded = |text: &str| String::from(js_sys::encode_uri_component(text));
    format!("{}/{}", resource.collection_path(namespace.map(encoded).as_deref()), encoded(name))
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

/// The number of objects of a list, by its path with `limit=1`; `None` if the server does not say it.
pub(crate) async fn count(factory: &Factory, path: &str) -> Result<Option<u64>, Failure> {
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    let list = request(factory, path, json!({ "headers": { "accept": accept } })).await?;
    let here = list["items"].as_array().map_or(0, Vec::len) as u64;
    let is_whole = list["metadata"]["continue"].as_str().is_none_or(str::is_empty);
    // The number may have become a float on its way through JavaScript.
    let others = list["metadata"]["remainingItemCount"].as_f64().filter(|others| *others >= 0.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of objects")]
    Ok(others.map(|others| others as u64).or(is_whole.then_some(0)).map(|others| here + others))
}

/// Requests a path and parses the response as JSON; any status but 2xx is an error with the package's code.
async fn request(factory: &Factory, path: &str, mut options: Value) -> Result<Value, Failure> {
    options["throwOnError"] = true.into();
    let json = async {
        let sent = factory.client().request(path, &to_js(&options)?);
        let response: Response = JsFuture::from(sent).await?.unchecked_into();
        Ok(JsFuture::from(response.json()?).await)
    };
    // A response without JSON is null.
    json.await.map(|json| json.map(from_js).unwrap_or_default()).map_err(|error: JsValue| failure(&error))
}

async fn call_method(factory: &Factory, method: &str, arguments: &[Value]) -> Result<JsValue, JsValue> {
    let client = factory.client();
    let arguments: Array = arguments.iter().map(to_js).collect::<Result<Array, JsValue>>()?;
    JsFuture::from(client.method(method).apply(&client, &arguments)?.unchecked_into::<Promise>()).await
}

fn to_js(value: &Value) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::json_compatible())?)
}

/// A value of the package; the type's default if it has another shape.
fn from_js<T: DeserializeOwned + Default>(value: JsValue) -> T {
    serde_wasm_bindgen::from_value(value).unwrap_or_default()
}

/// Converts an error of the package.
pub(crate) fn failure(error: &JsValue) -> Failure {
    let error_object: &InformerError = error.unchecked_ref();
    Failure {
        code: error_object.code().unwrap_or_else(|| "internal".to_owned()),
        status: error_object.status(),
        reason: error_object.reason().unwrap_or_default(),
        message: error_object.message().unwrap_or_else(|| format!("{error:?}")),
        webhook: error_object.webhook(),
        retry_after_ms: error_object.retry_after_ms(),
        causes: from_js(error_object.causes()),
        conflicts: from_js(error_object.conflicts()),
    }
}
