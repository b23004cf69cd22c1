//! Protobuf decoder for the bodies that kubectl's generator commands (`create`, `run`, `expose`) send; converts them to
//! JSON.
//!
//! Protobuf is never written: all clients also accept JSON, so responses are JSON.

pub(crate) mod schema;
mod wire;

use serde_json::{Map, Value, json};

use schema::{Field, Shape, Type};
use wire::{Item, Reader};

/// First bytes of every protobuf body of Kubernetes.
const MAGIC: &[u8] = b"k8s\0";

/// Maximum depth of nesting.
const MAX_DEPTH: usize = 64;

/// Decodes the envelope and its object.
pub(crate) fn decode(body: &[u8]) -> Result<Value, String> {
    let envelope = body
        .strip_prefix(MAGIC)
        .ok_or("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Reader::new(envelope) {
        match field? {
            (1, Item::Bytes(type_meta)) => {
                for field in Reader::new(type_meta) {
                    match field? {
                        (1, Item::Bytes(bytes)) => api_version = text(bytes)?,
                        (2, Item::Bytes(bytes)) => kind = text(bytes)?,
                        _ => {}
                    }
                }
            }
            (2, Item::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let message = message_name(&api_version, &kind);
    let mut object = message_value(&message, raw, 0)?
        .ok_or_else(|| format!("no kind \"{kind}\" is registered for version \"{api_version}\""))?;
    object.insert("apiVersion".to_owned(), api_version.into());
    object.insert("kind".to_owned(), kind.into());
    Ok(Value::Object(object))
}

/// Returns the name of the message of an object: the first word of its group, its version and its kind.
fn message_name(api_version: &str, kind: &str) -> String {
    if kind == "DeleteOptions" {
        return "meta/v1.DeleteOptions".to_owned();
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("core", api_version));
    format!("{}/{version}.{kind}", group.split('.').next().unwrap_or_default())
}

fn text(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "proto: invalid UTF-8 in a string".to_owned())
}

/// Returns the fields of a message; `None` if the message is unknown.
fn message_value(name: &str, bytes: &[u8], depth: usize) -> Result<Option<Map<String, Value>>, String> {
    let Some(fields) = schema::message(name) else { return Ok(None) };
    if depth > MAX_DEPTH {
        return Err("proto: too deeply nested".to_owned());
    }
    let mut object = Map::new();
    for item in Reader::new(bytes) {
        let (number, item) = item?;
        // The real server also drops fields of newer clients.
        let Some(field) = fields.iter().find(|field| field.number == number) else { continue };
        add(&mut object, field, &item, depth)?;
    }
    Ok(Some(object))
}

fn add(object: &mut Map<String, Value>, field: &Field, item: &Item, depth: usize) -> Result<(), String> {
    match field.shape {
        Shape::One => {
            let value = value(&field.of, item, depth)?;
            match value {
                Value::Object(inner) if field.name.is_empty() => object.extend(inner),
                value if field.keep_zero || !is_zero(&value) => drop(object.insert(field.name.clone(), value)),
                _ => {}
            }
        }
        Shape::List => {
            let value = value(&field.of, item, depth)?;
            if let Value::Array(items) = object.entry(field.name.clone()).or_insert_with(|| json!([])) {
                items.push(value);
            }
        }
        Shape::Map => {
            let Item::Bytes(entry) = item else { return Err(mismatch()) };
            let (mut key, mut found) = (String::new(), Value::Null);
            for item in Reader::new(entry) {
                match item? {
                    (1, Item::Bytes(bytes)) => key = text(bytes)?,
                    (2, item) => found = value(&field.of, &item, depth)?,
                    _ => {}
                }
            }
            if let Value::Object(entries) = object.entry(field.name.clone()).or_insert_with(|| json!({})) {
                entries.insert(key, found);
            }
        }
    }
    Ok(())
}

fn mismatch() -> String {
    "proto: wrong wire type".to_owned()
}

/// Whether JSON omits a value under `omitempty`.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

fn value(of: &Type, item: &Item, depth: usize) -> Result<Value, String> {
    match (of, item) {
        (Type::Integer, Item::Number(number)) => Ok(json!(number.cast_signed())),
        (Type::Flag, Item::Number(number)) => Ok(json!(*number != 0)),
        (Type::Text, Item::Bytes(bytes)) => Ok(json!(text(bytes)?)),
        (Type::Bytes, Item::Bytes(bytes)) => Ok(json!(wire::base64(bytes))),
        (Type::Message(name), Item::Bytes(bytes)) => special(name, bytes, depth),
        _ => Err(mismatch()),
    }
}

/// Converts a message: messages with a special JSON form, and all others.
fn special(name: &str, bytes: &[u8], depth: usize) -> Result<Value, String> {
    let (mut numbers, mut strings) = ([0_i64; 4], [const { Vec::new() }; 4]);
    let known =
        matches!(name, "Time" | "MicroTime" | "Quantity" | "IntOrString" | "FieldsV1" | "RawExtension" | "Strings");
    if !known {
        return Ok(message_value(name, bytes, depth + 1)?.map_or(Value::Null, Value::Object));
    }
    let mut all = Vec::new();
    for item in Reader::new(bytes) {
        match item? {
            (number @ 1..=3, Item::Number(found)) => numbers[number as usize] = found.cast_signed(),
            (number @ 1..=3, Item::Bytes(found)) => {
                all.push(text(found)?);
                strings[number as usize] = found.to_vec();
            }
            _ => {}
        }
    }
    Ok(match name {
        "Time" => wire::time(numbers[1], 0),
        "MicroTime" => wire::time(numbers[1], numbers[2]),
        "Quantity" => json!(text(&strings[1])?),
        "IntOrString" if numbers[1] == 0 => json!(numbers[2]),
        "IntOrString" => json!(text(&strings[3])?),
        "Strings" => json!(all),
        _ => serde_json::from_slice(&strings[1]).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with a length.
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2, u8::try_from(bytes.len()).unwrap()];
        out.extend_from_slice(bytes);
        out
    }

    fn envelope(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
        let type_meta = [field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &type_meta), field(2, raw)].concat()
    }

    #[test]
    fn a_config_map_and_a_deployment() {
        let metadata =
            field(1, &[field(1, b"a"), field(2, b""), field(11, &[field(1, b"k"), field(2, b"v")].concat())].concat());
        let data = field(2, &[field(1, b"x"), field(2, b"1")].concat());
        let map = envelope("v1", "ConfigMap", &[metadata.clone(), data].concat());
        let expected = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"k": "v"}}, "data": {"x": "1"},
        });
        assert_eq!(decode(&map).unwrap(), expected);
        // Replicas are a pointer, so their 0 is kept; minReadySeconds are not, so their 0 is omitted.
        let spec = field(2, &[8, 0, 40, 0]);
        let deployment = decode(&envelope("apps/v1", "Deployment", &[metadata, spec].concat())).unwrap();
        assert_eq!(deployment["spec"], json!({"replicas": 0}));
    }

    #[test]
    fn other_bodies_are_rejected() {
        assert!(decode(b"{}").is_err());
        assert!(decode(&envelope("v1", "Nonsense", b"")).is_err());
        for cut in 5..20 {
            let whole = envelope("v1", "ConfigMap", &field(1, &field(1, b"name")));
            drop(decode(&whole[..cut]));
        }
        assert!(decode(&envelope("v1", "ConfigMap", &[0x0a, 200, 1])).is_err());
        assert!(decode(&envelope("v1", "ConfigMap", &field(1, &field(1, &[0xff])))).is_err());
    }
}
