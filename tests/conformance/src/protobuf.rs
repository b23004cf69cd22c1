//! Protobuf bodies and frames as JSON, so that cases can compare them with the JSON of the same target.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use informer_protobuf::{
    JsonWriter, KUBERNETES, ListCutter, ListPiece, Schema, TypeMeta, Unknown, WatchEvent, encode, encode_unknown,
};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

static SCHEMA: LazyLock<Result<Schema, String>> =
    LazyLock::new(|| Schema::parse(KUBERNETES).map_err(|error| error.to_string()));

pub(crate) fn is_protobuf(headers: &HeaderMap) -> bool {
    let kind = headers.get("content-type").and_then(|value| value.to_str().ok());
    // A compressed body is not decoded.
    kind.is_some_and(|kind| kind.starts_with(PROTOBUF)) && !headers.contains_key("content-encoding")
}

/// JSON of a body: of a list, or of an object.
pub(crate) fn body(body: &[u8]) -> Result<Value, String> {
    let unknown = Unknown::parse(body).map_err(|error| error.to_string())?;
    if unknown.type_meta.kind.ends_with("List") { list(body) } else { object(unknown) }
}

/// JSON of an event, from its frame.
pub(crate) fn event(frame: &[u8]) -> Result<Value, String> {
    let event = WatchEvent::parse(frame).map_err(|error| error.to_string())?;
    Ok(json!({"type": event.event_type, "object": object(event.object)?}))
}

/// Removes the first frame, without its length, if it is complete.
pub(crate) fn take_frame(buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    let (head, rest) = buffer.split_first_chunk()?;
    let length = usize::try_from(u32::from_be_bytes(*head)).ok()?;
    let frame = rest.get(..length)?.to_vec();
    buffer.drain(..4 + length);
    Some(frame)
}

/// Body that Go would write for an object, from its JSON.
pub(crate) fn encoded(object: &Value) -> Result<Vec<u8>, String> {
    let schema = SCHEMA.as_ref()?;
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    let type_meta = TypeMeta { api_version: text("apiVersion"), kind: text("kind") };
    let message = schema.message(type_meta.api_version, type_meta.kind).ok_or("the schema has no such kind")?;
    let (mut raw, mut body) = (Vec::new(), Vec::new());
    encode(schema, message, &object.to_string(), &mut raw).map_err(|error| error.to_string())?;
    encode_unknown(type_meta, &raw, &mut body);
    Ok(body)
}

fn object(unknown: Unknown<'_>) -> Result<Value, String> {
    message(unknown.type_meta, Some(unknown.type_meta), unknown.raw)
}

fn message(of: TypeMeta<'_>, shown: Option<TypeMeta<'_>>, raw: &[u8]) -> Result<Value, String> {
    let schema = SCHEMA.as_ref()?;
    let message = schema.message(of.api_version, of.kind).ok_or_else(|| format!("{of:?} is not in the schema"))?;
    let mut json = Vec::new();
    let unknown = JsonWriter::new(schema).write(message, shown, raw, &mut json).map_err(|error| error.to_string())?;
    if let Some((_, number)) = unknown.first {
        return Err(format!("{of:?} has an unknown field {number}"));
    }
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

fn list(body: &[u8]) -> Result<Value, String> {
    let (mut cutter, mut list) = (ListCutter::new(usize::MAX), json!({"items": []}));
    let mut failed = None;
    let cut = cutter.push(body, &mut |piece| {
        match piece {
            ListPiece::Type(type_meta) => {
                list["kind"] = type_meta.kind.into();
                list["apiVersion"] = type_meta.api_version.into();
            }
            ListPiece::Metadata(metadata) => {
                list["metadata"] = json!({"resourceVersion": metadata.resource_version});
                if !metadata.continue_token.is_empty() {
                    list["metadata"]["continue"] = metadata.continue_token.into();
                }
                if let Some(count) = metadata.remaining_item_count {
                    list["metadata"]["remainingItemCount"] = count.into();
                }
            }
            ListPiece::Item(item) => {
                let text = |name: &str| list[name].as_str().unwrap_or_default().to_owned();
                let (api_version, kind) = (text("apiVersion"), text("kind"));
                let of = TypeMeta { api_version: &api_version, kind: kind.strip_suffix("List").unwrap_or(&kind) };
                // As in JSON, only items of metadata have a type.
                let shown = (of.kind == "PartialObjectMetadata").then_some(of);
                match (message(of, shown, item), list["items"].as_array_mut()) {
                    (Ok(item), Some(items)) => items.push(item),
                    (Err(why), _) => failed = Some(why),
                    _ => {}
                }
            }
        }
        ControlFlow::Continue(())
    });
    cut.map_err(|error| error.to_string())?;
    match failed {
        Some(why) => Err(why),
        None if cutter.is_complete() => Ok(list),
        None => Err("the list is cut off".to_owned()),
    }
}
