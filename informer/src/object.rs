//! What the cache holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::error::{ErrorCode, InformerError, Result};
use crate::key::meta_namespace_key;
use crate::time::parse_rfc3339;

/// What the queue and the store need to know of an object; any versioned source can give it.
pub trait Keyed: 'static {
    /// What identifies it: `namespace/name`, or `name` for what lives in no namespace. The uid is no part of it.
    fn key(&self) -> &str;

    /// Its version: opaque, only ever compared for equality.
    fn resource_version(&self) -> &str;

    /// The namespace, empty where it has none.
    fn namespace(&self) -> &str {
        self.key().split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// The name.
    fn name(&self) -> &str {
        self.key().split_once('/').map_or(self.key(), |(_, name)| name)
    }

    /// Tells an object from another one that came after it under the same key; empty where the source has no such thing.
    #[expect(clippy::unnecessary_literal_bound, reason = "implementations return what they hold")]
    fn uid(&self) -> &str {
        ""
    }

    /// Its labels; none where the source has no such thing. For [`Object`] O(length of its JSON): they are read anew each
    /// time.
    fn labels(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Bytes that it keeps, for the counters.
    fn size(&self) -> usize {
        0
    }
}

/// An object that can be read from the apiserver's JSON.
pub trait KubeObject: Keyed + Sized {
    /// Reads an object.
    ///
    /// Items of a list carry neither `kind` nor `apiVersion`; `type_meta` is what they inherit from the list (LST-21).
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] when it is not an object with a name, or is a `Status`.
    fn from_json(json: &str, type_meta: Option<&TypeMeta>) -> Result<Self>;
}

/// Reads an object; an error says which one it is about, as far as the object says so itself.
pub(crate) fn read_object<T: KubeObject>(json: &str, type_meta: Option<&TypeMeta>) -> Result<T> {
    T::from_json(json, type_meta).map_err(|error| {
        let Ok(Nameplate { metadata }) = serde_json::from_str(json) else { return error };
        let key = meta_namespace_key(&metadata.namespace.unwrap_or_default(), &metadata.name);
        InformerError::new(error.code(), format!("{key} cannot be read: {}", error.message())).with_object(key)
    })
}

/// What can be read of an object that cannot be read.
#[derive(Deserialize)]
struct Nameplate<'a> {
    #[serde(borrow)]
    metadata: NameplateMetadata<'a>,
}

#[derive(Deserialize)]
struct NameplateMetadata<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    namespace: Option<Cow<'a, str>>,
}

/// `kind` and `apiVersion` of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TypeMeta {
    /// The kind.
    pub kind: String,
    /// Group and version.
    #[serde(rename = "apiVersion")]
    pub api_version: String,
}

/// An object kept as its JSON text, with the few fields of its metadata that every reader asks for.
///
/// Nothing of the body is parsed until somebody opens it.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    key: Box<str>,
    namespace_len: usize,
    uid: Box<str>,
    resource_version: Box<str>,
    created: f64,
    json: Box<str>,
}

impl Object {
    /// `creationTimestamp`, milliseconds since the Unix epoch; 0 where it has none.
    pub fn created(&self) -> f64 {
        self.created
    }

    /// The whole object as JSON, `kind` and `apiVersion` included.
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl Keyed for Object {
    fn key(&self) -> &str {
        &self.key
    }

    fn resource_version(&self) -> &str {
        &self.resource_version
    }

    fn namespace(&self) -> &str {
        self.key.get(..self.namespace_len).unwrap_or_default()
    }

    fn name(&self) -> &str {
        let start = if self.namespace_len == 0 { 0 } else { self.namespace_len + 1 };
        self.key.get(start..).unwrap_or_default()
    }

    fn uid(&self) -> &str {
        &self.uid
    }

    fn size(&self) -> usize {
        self.json.len()
    }

    fn labels(&self) -> BTreeMap<String, String> {
        // It was read once already, so it can be read; labels of another form than the apiserver's are no labels.
        serde_json::from_str::<Labelled>(&self.json).ok().and_then(|object| object.metadata.labels).unwrap_or_default()
    }
}

/// A null is empty, as in Go; `None` is a field that is not there and may be added.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default, deserialize_with = "null_as_empty")]
    kind: Option<String>,
    #[serde(default, rename = "apiVersion", deserialize_with = "null_as_empty")]
    api_version: Option<String>,
    metadata: Metadata,
}

fn null_as_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(Some(text.unwrap_or_default()))
}

impl Envelope {
    /// Whether it is an answer about objects and not one of them. Custom resources of kind Table or Status exist: only
    /// the apiserver's own are meant.
    fn is_no_object(&self) -> bool {
        match (self.kind.as_deref(), self.api_version.as_deref().unwrap_or_default()) {
            (Some("Status"), version) => matches!(version, "" | "v1"),
            (Some("Table"), version) => version.starts_with("meta.k8s.io/"),
            _ => false,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    uid: String,
    #[serde(default)]
    resource_version: String,
    #[serde(default)]
    creation_timestamp: Option<String>,
}

impl KubeObject for Object {
    fn from_json(json: &str, type_meta: Option<&TypeMeta>) -> Result<Self> {
        let no_object = |why: &dyn std::fmt::Display| {
            InformerError::new(ErrorCode::Decode, format!("not a Kubernetes object: {why}"))
        };
        let envelope: Envelope = serde_json::from_str(json).map_err(|error| no_object(&error))?;
        // serde reads a struct from an array too.
        let Some(fields) = json.trim_start().strip_prefix('{') else { return Err(no_object(&"it is an array")) };
        if envelope.metadata.name.is_empty() {
            return Err(no_object(&"its name is empty"));
        }
        if envelope.is_no_object() {
            let kind = envelope.kind.unwrap_or_default();
            return Err(InformerError::new(ErrorCode::Decode, format!("a {kind} came where an object was expected")));
        }
        let Envelope { kind, api_version, metadata } = envelope;
        let key = if metadata.namespace.is_empty() {
            metadata.name.into_boxed_str()
        } else {
            format!("{}/{}", metadata.namespace, metadata.name).into_boxed_str()
        };
        let json = match type_meta {
            Some(meta) if kind.is_none() || api_version.is_none() => {
                let kind = kind.is_none().then_some(meta.kind.as_str());
                with_type_meta(fields, kind, api_version.is_none().then_some(meta.api_version.as_str()))?
            }
            _ => json.into(),
        };
        Ok(Self {
            key,
            namespace_len: metadata.namespace.len(),
            uid: metadata.uid.into(),
            resource_version: metadata.resource_version.into(),
            created: metadata.creation_timestamp.as_deref().and_then(parse_rfc3339).unwrap_or(0.0),
            json,
        })
    }
}

#[derive(Deserialize)]
struct Labelled {
    metadata: LabelledMetadata,
}

#[derive(Deserialize)]
struct LabelledMetadata {
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
}

/// Writes what is missing of `kind` and `apiVersion` in front of an object's other fields, where the apiserver has them
/// in a watch. `fields` is the object after its brace.
fn with_type_meta(fields: &str, kind: Option<&str>, api_version: Option<&str>) -> Result<Box<str>> {
    let mut text =
        String::with_capacity(fields.len() + kind.map_or(0, str::len) + api_version.map_or(0, str::len) + 32);
    text.push('{');
    for (name, value) in [("\"kind\":", kind), ("\"apiVersion\":", api_version)] {
        if let Some(value) = value {
            let value = serde_json::to_string(value)
                .map_err(|error| InformerError::new(ErrorCode::Decode, format!("{error}")))?;
            text.extend([name, &value, ","]);
        }
    }
    text.push_str(fields);
    Ok(text.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_body_come_out_as_they_went_in() {
        let json = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"18446744073709551616000","creationTimestamp":"1970-01-01T00:00:01Z"},"x":12345678901234567890}"#;
        let object = Object::from_json(json, None).expect("valid");
        assert_eq!((object.key(), object.namespace(), object.name(), object.uid()), ("n/a", "n", "a", "u"));
        assert_eq!((object.resource_version(), object.created()), ("18446744073709551616000", 1000.0));
        assert_eq!(object.json(), json);
    }

    #[test]
    fn lst_21_items_of_a_list_get_the_kind_of_the_list() {
        let meta = TypeMeta { kind: "Node".into(), api_version: "v1".into() };
        let object = Object::from_json(r#" {"metadata":{"name":"a"}}"#, Some(&meta)).expect("valid");
        assert_eq!(object.json(), r#"{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}"#);
        assert_eq!((object.namespace(), object.name()), ("", "a"));
    }

    #[test]
    fn what_an_item_of_a_list_says_itself_is_not_said_twice() {
        let meta = TypeMeta { kind: "Node".into(), api_version: "v1".into() };
        for (item, json) in [
            (
                r#"{"apiVersion":"v2","metadata":{"name":"a"}}"#,
                r#"{"kind":"Node","apiVersion":"v2","metadata":{"name":"a"}}"#,
            ),
            (r#"{"metadata":{"name":"a"},"kind":"X"}"#, r#"{"apiVersion":"v1","metadata":{"name":"a"},"kind":"X"}"#),
            (r#"{"kind":null,"metadata":{"name":"a"}}"#, r#"{"apiVersion":"v1","kind":null,"metadata":{"name":"a"}}"#),
        ] {
            let object = Object::from_json(item, Some(&meta)).expect("valid");
            assert_eq!(object.json(), json);
            assert_eq!(Object::from_json(json, None), Ok(object), "and can be read again");
        }
    }

    #[test]
    fn a_custom_resource_may_be_called_table_or_status() {
        for kind in ["Table", "Status"] {
            let json = format!(r#"{{"kind":"{kind}","apiVersion":"example.dev/v1","metadata":{{"name":"a"}}}}"#);
            assert!(Object::from_json(&json, None).is_ok(), "{kind}");
        }
        let table = r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}"#;
        assert_eq!(Object::from_json(table, None).expect_err("a table").code(), ErrorCode::Decode);
    }

    #[test]
    fn what_is_not_an_object_is_refused() {
        for json in [
            "",
            "null",
            "[]",
            "{}",
            "\"x\"",
            "{\"metadata\":{}}",
            "{\"metadata\":{\"name\":1}}",
            "{\"metadata\":{\"name\":\"\",\"namespace\":\"n\"}}",
            "[null,null,{\"name\":\"a\"}]",
            "{\"kind\":\"Status\",\"metadata\":{\"name\":\"x\"}}",
            "{\"metadata\":{\"name\":\"x\"}",
        ] {
            assert_eq!(Object::from_json(json, None).expect_err(json).code(), ErrorCode::Decode);
        }
    }
}
