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

    /// Reads one of many. `outline` is of the whole object. Of its `metadata.managedFields`, a third and more of it, which
    /// hardly anybody reads, only the end was looked for: whether they are JSON has not been checked.
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
