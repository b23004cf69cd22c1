//! What the cache holds.

mod cells;
mod envelope;
mod label_set;
mod packed;
mod record;

use std::sync::Arc;

use informer_packing::{Json, Outline};
use serde::Deserialize;

pub use label_set::LabelSet;
pub use packed::Object;
pub use record::Owner;

use crate::error::{InformerError, Result};
use crate::packer::PackerOptions;
use crate::resource::GroupVersionResource;

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
    /// [`ErrorCode::Decode`](crate::ErrorCode::Decode) when it is not an object with a name, or is a `Status`.
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
