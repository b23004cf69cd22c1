//! Stored object: its JSON as bytes, ready to send, and the few fields that selectors and owners need.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::kinds::Kind;
use crate::labels::Labels;
use crate::protobuf;

/// Version of an object. Immutable; each write creates a new one.
///
/// The body is JSON text, not a tree: lists and watches copy bytes, and a simulated cluster of several thousand pods
/// stays small.
#[derive(Debug)]
pub(crate) struct Entry {
    /// `namespace/name`, or the name alone.
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) uid: String,
    pub(crate) revision: u64,
    pub(crate) labels: Labels,
    /// Values of the selectable fields, in the order of `Kind::fields`.
    pub(crate) fields: Vec<String>,
    /// UIDs of the owners.
    pub(crate) owners: Vec<String>,
    pub(crate) finalizers: bool,
    pub(crate) deleting: bool,
    /// Whether its `Ready` condition is true; otherwise the controllers would have to parse every pod.
    pub(crate) ready: bool,
    /// `{"metadata":…}`: everything except kind and apiVersion, which depend on the requested version.
    body: Bytes,
    /// The protobuf message, once a client has requested one: it has about half the bytes of the JSON, and takes twenty times as
    /// long to make as to copy.
    message: OnceLock<Bytes>,
}

/// First bytes of every body.
const BODY_HEAD: &[u8] = b"{\"metadata\":";

/// Bytes that suffice for the JSON of most objects.
const TYPICAL_BYTES: usize = 12 * 1024;

/// Order of the `ObjectMeta` fields of typed objects; those of custom objects are sorted.
const METADATA_ORDER: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

impl Entry {
    /// Packs an object whose metadata is complete.
    pub(crate) fn pack(kind: &Kind, revision: u64, object: &Value) -> Self {
        let metadata = &object["metadata"];
        let name = text(&metadata["name"]);
        let namespace = text(&metadata["namespace"]);
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
        Self {
            key: object_key(&namespace, &name),
            uid: text(&metadata["uid"]),
            revision,
            labels: labels.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))).collect(),
            fields: kind.fields.iter().map(|path| field(object, path)).collect(),
            owners: owners.map(|owner| text(&owner["uid"])).collect(),
            finalizers: metadata["finalizers"].as_array().is_some_and(|list| !list.is_empty()),
            deleting: metadata["deletionTimestamp"].is_string(),
            ready: is_ready(object),
            body: body(kind, revision, object),
            message: OnceLock::new(),
            name,
            namespace,
        }
    }

    /// Returns the same object at another version: a watch sends it for an object that left its selector.
    pub(crate) fn at_revision(&self, kind: &Kind, revision: u64) -> Self {
        Self::pack(kind, revision, &self.value())
    }

    /// Returns the object as a tree, without kind and apiVersion.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Bytes of the body.
    pub(crate) fn size(&self) -> usize {
        self.body.len()
    }

    /// Writes the whole object with kind and apiVersion.
    pub(crate) fn write(&self, kind: &Kind, version: &str, out: &mut Vec<u8>) {
        let api_version = kind.api_version(version);
        let head = if kind.custom {
            format!("{{\"apiVersion\":\"{api_version}\",\"kind\":\"{}\",", kind.name)
        } else {
            format!("{{\"kind\":\"{}\",\"apiVersion\":\"{api_version}\",", kind.name)
        };
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(self.body.get(1..).unwrap_or_default());
    }

    /// Writes the object as an item of a list: typed lists omit kind and apiVersion, lists of custom objects do not.
    pub(crate) fn write_item(&self, kind: &Kind, version: &str, out: &mut Vec<u8>) {
        if kind.custom {
            self.write(kind, version, out);
        } else {
            out.extend_from_slice(&self.body);
        }
    }

    /// Returns the protobuf message of the object.
    ///
    /// Members that its type does not have are left out, as Go does. If one has another type, which only a test can store, the
    /// message has the metadata alone: a list must not fail because of one object.
    pub(crate) fn message(&self, kind: &Kind, version: &str) -> Bytes {
        let encode = || {
            let whole = std::str::from_utf8(&self.body).ok();
            let whole = whole.and_then(|json| protobuf::message(&kind.api_version(version), &kind.name, json));
            whole.map_or_else(|| self.metadata_message(), Bytes::from)
        };
        self.message.get_or_init(encode).clone()
    }

    /// Returns the protobuf message of `PartialObjectMetadata`.
    pub(crate) fn metadata_message(&self) -> Bytes {
        let metadata = format!("{{\"metadata\":{}}}", self.metadata());
        let partial = |json: &str| protobuf::message("meta.k8s.io/v1", "PartialObjectMetadata", json);
        let identity = || {
            let revision = self.revision.to_string();
            json!({"metadata": {
                "name": self.name, "namespace": self.namespace, "uid": self.uid, "resourceVersion": revision,
            }})
        };
        partial(&metadata).or_else(|| partial(&identity().to_string())).unwrap_or_default().into()
    }

    /// Returns the JSON of `metadata`, the first member of the body.
    pub(crate) fn metadata(&self) -> &str {
        let rest = self.body.get(BODY_HEAD.len()..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
        values.next().and_then(Result::ok).map_or("{}", RawValue::get)
    }
}

/// Returns the key of an object in its resource; sorts as in etcd.
pub(crate) fn object_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

/// Returns `metadata` of an object; created if it is missing or not an object.
pub(crate) fn metadata_mut(object: &mut Value) -> &mut Map<String, Value> {
    child_mut(object, "metadata")
}

/// Returns a child object; created if it is missing or not an object.
pub(crate) fn child_mut<'a>(object: &'a mut Value, name: &str) -> &'a mut Map<String, Value> {
    let parent = as_map_mut(object);
    as_map_mut(parent.entry(name).or_insert_with(|| Value::Object(Map::new())))
}

fn as_map_mut(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("was made an object above"),
    }
}

fn is_ready(object: &Value) -> bool {
    let mut conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn field(object: &Value, path: &str) -> String {
    // An event's source is selected by its component.
    let path = if path == "source" { "source.component" } else { path };
    let found = path.split('.').fold(object, |value, step| &value[step]);
    match found {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ if matches!(path, "spec.unschedulable" | "spec.hostNetwork") => "false".to_owned(),
        _ if path.starts_with("status.") && !path.ends_with("phase") && !path.ends_with("IP") => "0".to_owned(),
        _ => String::new(),
    }
}

fn body(kind: &Kind, revision: u64, object: &Value) -> Bytes {
    let empty = Map::new();
    let fields = object.as_object().unwrap_or(&empty);
    let version = Value::String(revision.to_string());
    let metadata = fields.get("metadata").and_then(Value::as_object).unwrap_or(&empty);
    let mut metadata: BTreeMap<&str, &Value> = metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
    // An unstored object has no version.
    if revision == 0 {
        metadata.remove("resourceVersion");
    } else {
        metadata.insert("resourceVersion", &version);
    }
    let order = if kind.custom { &[][..] } else { METADATA_ORDER };
    let mut out = Vec::with_capacity(TYPICAL_BYTES);
    out.extend_from_slice(BODY_HEAD);
    write_ordered(&metadata, order, &mut out);
    // `spec` first, `status` last; others are sorted between them.
    let first = fields.get_key_value("spec").into_iter();
    let rest = fields
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "kind" | "apiVersion" | "metadata" | "spec" | "status"));
    for (name, value) in first.chain(rest).chain(fields.get_key_value("status")) {
        out.push(b',');
        write_json(name, &mut out);
        out.push(b':');
        write_json(value, &mut out);
    }
    out.push(b'}');
    // Copied: a grown buffer is up to twice as long as its content, and lives as long as the object.
    Bytes::copy_from_slice(&out)
}

fn write_ordered(map: &BTreeMap<&str, &Value>, order: &[&str], out: &mut Vec<u8>) {
    let known = order.iter().filter_map(|name| map.get_key_value(name));
    let rest = map.iter().filter(|(name, _)| !order.contains(name));
    for (at, (name, value)) in known.chain(rest).enumerate() {
        out.push(if at == 0 { b'{' } else { b',' });
        write_json(name, out);
        out.push(b':');
        write_json(value, out);
    }
    out.push(b'}');
}

/// Appends JSON; serializing a `Value` cannot fail.
fn write_json(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.extend_from_slice(b"null");
    }
}
