//! Cached objects and their traits, `Keyed` and `KubeObject`.

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

/// Object of any versioned source, as queue and store use it.
pub trait Keyed: 'static {
    /// Its key: `namespace/name`, or `name` for cluster-scoped objects. The uid is not part of it.
    fn key(&self) -> &str;

    /// Its version: opaque, only compared for equality.
    fn resource_version(&self) -> &str;

    /// The namespace, or empty.
    fn namespace(&self) -> &str {
        self.key().split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// The name.
    fn name(&self) -> &str {
        self.key().split_once('/').map_or(self.key(), |(_, name)| name)
    }

    /// The uid, which differs for a recreated object with the same key; empty if the source has none.
    #[expect(clippy::unnecessary_literal_bound, reason = "implementations return what they hold")]
    fn uid(&self) -> &str {
        ""
    }

    /// Its labels; none if the source has none.
    fn labels(&self) -> LabelSet {
        LabelSet::default()
    }

    /// Its memory in bytes, for the counters.
    fn size(&self) -> usize {
        0
    }
}

/// Object that can be decoded from the apiserver's JSON.
pub trait KubeObject: Keyed + Sized {
    /// State shared by the objects of one resource: `()` for none.
    type Packer: 'static;

    /// Creates the decoder of a resource; one per informer.
    fn packer(resource: &GroupVersionResource, options: PackerOptions) -> Self::Packer;

    /// Decodes a single object.
    ///
    /// Items of a list contain neither `kind` nor `apiVersion`; `type_meta` is the type that they inherit from the list
    /// (LST-21).
    ///
    /// # Errors
    /// [`ErrorCode::Decode`](crate::ErrorCode::Decode) if it is not an object with a name, or is a `Status`.
    fn from_json(json: &str, type_meta: Option<&TypeMeta>) -> Result<Self>;

    /// Decodes one of many objects. `outline` covers the whole object. Only the end of `metadata.managedFields`,
    /// a third or more of the text, was located: its JSON is not validated.
    ///
    /// `known` returns the cached object of a key. If that is the same state, by uid and non-empty version, it is
    /// returned instead of a new object: a relist costs no memory.
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

/// Result of decoding one of many objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading<T> {
    /// A state that is not cached.
    New(T),
    /// The cached object.
    Known(Arc<T>),
}

impl<T> Reading<T> {
    /// The object in both cases.
    pub fn into_arc(self) -> Arc<T> {
        match self {
            Self::New(object) => Arc::new(object),
            Self::Known(object) => object,
        }
    }
}

/// Decodes one of many objects; an error contains its key, if it could be decoded.
pub(crate) fn read_one<T: KubeObject>(
    outline: &Outline<'_>,
    type_meta: Option<&TypeMeta>,
    packer: &T::Packer,
    known: &dyn Fn(&str) -> Option<Arc<T>>,
) -> Result<Reading<T>> {
    T::read(outline, type_meta, packer, known).map_err(|error| named(error, outline))
}

/// Decodes an object; an error contains its key, if it could be decoded.
pub(crate) fn read_object<T: KubeObject>(json: &str, type_meta: Option<&TypeMeta>) -> Result<T> {
    T::from_json(json, type_meta).map_err(|error| named(error, &Outline::of(Json::new(json))))
}

fn named(error: InformerError, outline: &Outline<'_>) -> InformerError {
    let Some(key) = envelope::key_of(outline) else { return error };
    InformerError::new(error.code(), format!("{key} cannot be decoded: {}", error.message())).with_object(key)
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
mod tests;
