//! What the cache holds.

mod envelope;
mod label_set;

use std::borrow::Cow;
use std::sync::Arc;

use informer_packing::{Json, Outline, write_string};
use serde::Deserialize;

pub use label_set::LabelSet;

use crate::columns::Cell;
use crate::error::{InformerError, Result};
use crate::packer::{Packer, PackerOptions};
use crate::resource::GroupVersionResource;
use envelope::Envelope;

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

    /// Its labels; none where the source has no such thing.
    fn labels(&self) -> LabelSet {
        LabelSet::default()
    }

    /// Bytes that it keeps, for the counters.
    fn size(&self) -> usize {
        0
    }
}

/// An object that can be read from the apiserver's JSON.
pub trait KubeObject: Keyed + Sized {
    /// What reading many objects of one resource keeps between them: `()` where nothing.
    type Packer: 'static;

    /// What the objects of a resource are read with; one for each informer.
    fn packer(resource: &GroupVersionResource, options: PackerOptions) -> Self::Packer;

    /// Reads an object by itself.
    ///
    /// Items of a list carry neither `kind` nor `apiVersion`; `type_meta` is what they inherit from the list (LST-21).
    ///
    /// # Errors
    /// [`ErrorCode::Decode`] when it is not an object with a name, or is a `Status`.
    fn from_json(json: &str, type_meta: Option<&TypeMeta>) -> Result<Self>;

    /// Reads one of many. `outline` is of the whole object.
    ///
    /// `known` gives what the cache holds under a key. If that is the same state, by uid and a version that is not empty,
    /// it is given back instead of being made again: a relist costs no memory.
    ///
    /// # Errors
    /// As [`KubeObject::from_json`].
    fn read(
        outline: &Outline<'_>,
        type_meta: Option<&TypeMeta>,
        packer: &Self::Packer,
        known: &dyn Fn(&str) -> Option<Arc<Self>>,
    ) -> Result<Reading<Self>>;
}

/// What came of reading one of many objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading<T> {
    /// A state that the cache does not hold.
    New(T),
    /// The one that the cache holds.
    Known(Arc<T>),
}

impl<T> Reading<T> {
    /// The object, either way.
    pub fn into_arc(self) -> Arc<T> {
        match self {
            Self::New(object) => Arc::new(object),
            Self::Known(object) => object,
        }
    }
}

/// Reads one of many objects; an error says which one it is about, as far as the object says so itself.
pub(crate) fn read_one<T: KubeObject>(
    outline: &Outline<'_>,
    type_meta: Option<&TypeMeta>,
    packer: &T::Packer,
    known: &dyn Fn(&str) -> Option<Arc<T>>,
) -> Result<Reading<T>> {
    T::read(outline, type_meta, packer, known).map_err(|error| named(error, outline))
}

/// Reads an object; an error says which one it is about, as far as the object says so itself.
pub(crate) fn read_object<T: KubeObject>(json: &str, type_meta: Option<&TypeMeta>) -> Result<T> {
    T::from_json(json, type_meta).map_err(|error| named(error, &Outline::of(Json::new(json))))
}

fn named(error: InformerError, outline: &Outline<'_>) -> InformerError {
    let Some(key) = envelope::key_of(outline) else { return error };
    InformerError::new(error.code(), format!("{key} cannot be read: {}", error.message())).with_object(key)
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
    labels: LabelSet,
    json: Box<str>,
}

impl Object {
    /// `creationTimestamp`, milliseconds since the Unix epoch; 0 where it has none.
    pub fn created(&self) -> f64 {
        self.created
    }

    /// The whole object as JSON, `kind` and `apiVersion` included, without `metadata.managedFields` unless its packer
    /// keeps them. Everything else is as it came, to the blank. Inflating it costs O(its length), each time.
    pub fn json(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.json)
    }

    /// The cell of a column of its resource, by the column's place among those that its packer computes; `None` beyond
    /// them, and where it was read by itself, without a packer.
    pub fn cell(&self, _column: usize) -> Option<Cell> {
        None
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

    fn labels(&self) -> LabelSet {
        self.labels.clone()
    }
}

impl KubeObject for Object {
    type Packer = Packer;

    fn packer(resource: &GroupVersionResource, options: PackerOptions) -> Packer {
        Packer::new(resource, options)
    }

    fn from_json(json: &str, type_meta: Option<&TypeMeta>) -> Result<Self> {
        let outline = Outline::parse(json).map_err(|invalid| envelope::no_object(&invalid))?;
        let envelope = Envelope::read(&outline)?;
        Self::new(&outline, &envelope, type_meta)
    }

    fn read(
        outline: &Outline<'_>,
        type_meta: Option<&TypeMeta>,
        _packer: &Packer,
        known: &dyn Fn(&str) -> Option<Arc<Self>>,
    ) -> Result<Reading<Self>> {
        let envelope = Envelope::read(outline)?;
        if let Some(known) = known(&envelope.key())
            && !known.resource_version().is_empty()
            && known.resource_version() == envelope.resource_version
            && known.uid() == envelope.uid
        {
            return Ok(Reading::Known(known));
        }
        Self::new(outline, &envelope, type_meta).map(Reading::New)
    }
}

impl Object {
    fn new(outline: &Outline<'_>, envelope: &Envelope<'_>, type_meta: Option<&TypeMeta>) -> Result<Self> {
        let text = outline.root().text();
        let json = match type_meta {
            Some(meta) if envelope.kind.is_none() || envelope.api_version.is_none() => {
                let kind = envelope.kind.is_none().then_some(meta.kind.as_str());
                let api_version = envelope.api_version.is_none().then_some(meta.api_version.as_str());
                with_type_meta(text.get(1..).unwrap_or_default(), kind, api_version)?
            }
            _ => text.into(),
        };
        Ok(Self {
            key: envelope.key().into(),
            namespace_len: envelope.namespace.len(),
            uid: envelope.uid.as_ref().into(),
            resource_version: envelope.resource_version.as_ref().into(),
            created: envelope.created,
            labels: envelope.labels.map(LabelSet::of_json).unwrap_or_default(),
            json,
        })
    }
}

/// Writes what is missing of `kind` and `apiVersion` in front of an object's other fields, where the apiserver has them
/// in a watch. `fields` is the object after its brace.
fn with_type_meta(fields: &str, kind: Option<&str>, api_version: Option<&str>) -> Result<Box<str>> {
    let mut text =
        String::with_capacity(fields.len() + kind.map_or(0, str::len) + api_version.map_or(0, str::len) + 32);
    text.push('{');
    for (name, value) in [("\"kind\":", kind), ("\"apiVersion\":", api_version)] {
        if let Some(value) = value {
            text.push_str(name);
            write_string(&mut text, value);
            text.push(',');
        }
    }
    text.push_str(fields);
    Ok(text.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

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
