//! Protobuf: bodies of requests to JSON, and JSON to bodies of responses, as far as the schema has their types.
//!
//! Objects are stored as JSON, so both directions go through its text. Without the feature `protobuf` there is neither.

use std::sync::LazyLock;

use informer_protobuf::{
    JsonWriter, KUBERNETES, MessageId, Schema, TypeMeta, Unknown, encode, encode_unknown, encode_watch_event,
};
use serde::Deserialize;
use serde_json::Value;

/// Content type of protobuf.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// Content type of a watch.
pub(crate) const WATCH_TYPE: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// Whether this build has protobuf. Each function asks first, so that a build without it has none of its code.
pub(crate) const IS_AVAILABLE: bool = cfg!(feature = "protobuf");

static SCHEMA: LazyLock<Option<Schema>> = LazyLock::new(|| Schema::parse(KUBERNETES).ok());

/// Types of the built-in kinds, whose JSON has the members of their messages.
pub(crate) fn schema() -> Option<&'static Schema> {
    SCHEMA.as_ref()
}

/// Returns the message of a kind.
fn find(api_version: &str, kind: &str) -> Option<(&'static Schema, MessageId)> {
    if !IS_AVAILABLE {
        return None;
    }
    let schema = schema()?;
    // Each group has its own version of these, with the same fields. In all versions of the API, metadata has the same.
    let api_version = match kind {
        "DeleteOptions" | "PartialObjectMetadata" => "meta.k8s.io/v1",
        _ => api_version,
    };
    schema.message(api_version, kind).map(|message| (schema, message))
}

/// Whether objects of a kind have a protobuf form.
pub(crate) fn has_kind(api_version: &str, kind: &str) -> bool {
    find(api_version, kind).is_some()
}

/// Decodes an object in its envelope: the body of a request.
pub(crate) fn decode(body: &[u8]) -> Result<Value, String> {
    if !IS_AVAILABLE {
        return Err("this build has no protobuf".to_owned());
    }
    let unknown = Unknown::parse(body).map_err(|error| match error.kind {
        informer_protobuf::ErrorKind::Magic => {
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]".to_owned()
        }
        _ => format!("proto: {error}"),
    })?;
    object(unknown)
}

/// Decodes an object.
pub(crate) fn object(unknown: Unknown<'_>) -> Result<Value, String> {
    if !IS_AVAILABLE {
        return Err("this build has no protobuf".to_owned());
    }
    let TypeMeta { api_version, kind } = unknown.type_meta;
    let (schema, message) = find(api_version, kind)
        .ok_or_else(|| format!("no kind \"{kind}\" is registered for version \"{api_version}\""))?;
    let mut json = Vec::new();
    // The real server also drops fields of newer clients.
    JsonWriter::new(schema)
        .write(message, Some(unknown.type_meta), unknown.raw, &mut json)
        .map_err(|error| format!("proto: {error}"))?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

/// Encodes the message of an object from its JSON. `None` if the schema does not have the kind, or a member has another type.
pub(crate) fn message(api_version: &str, kind: &str, json: &str) -> Option<Vec<u8>> {
    if !IS_AVAILABLE {
        return None;
    }
    let (schema, message) = find(api_version, kind)?;
    let mut out = Vec::new();
    encode(schema, message, json, &mut out).ok()?;
    // Kept with the object: a grown buffer is longer than its content.
    out.shrink_to_fit();
    Some(out)
}

/// Encodes a body: the envelope of an object, from its JSON with kind and apiVersion.
pub(crate) fn body(json: &[u8]) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Typed<'a> {
        api_version: &'a str,
        kind: &'a str,
    }
    if !IS_AVAILABLE {
        return None;
    }
    let Typed { api_version, kind } = serde_json::from_slice(json).ok()?;
    let raw = message(api_version, kind, std::str::from_utf8(json).ok()?)?;
    Some(envelope(api_version, kind, &raw))
}

/// Writes a message into its envelope.
pub(crate) fn envelope(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + 128);
    if IS_AVAILABLE {
        encode_unknown(TypeMeta { api_version, kind }, raw, &mut out);
    }
    out
}

/// Returns the frame of an event, from the envelope of its object.
pub(crate) fn frame(event_type: &str, object: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(object.len() + 64);
    if IS_AVAILABLE {
        encode_watch_event(event_type, object, &mut out);
    }
    out
}

#[cfg(all(test, feature = "protobuf"))]
mod tests;
