//! Packed object: the cached form of an object.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use informer_packing::lz4::{Dictionary, decompress};
use informer_packing::{Json, Outline, RecordReader, record_moment, record_of, write_string};
use serde::de::DeserializeOwned;

use super::envelope::Envelope;
use super::record::{Head, Owner, push_head};
use super::{Keyed, KubeObject, LabelSet, Reading, TypeMeta};
use crate::cell::Cell;
use crate::error::{ErrorCode, InformerError, Result};
use crate::packer::{Buffers, Packer, PackerOptions};
use crate::resource::GroupVersionResource;

/// Packed object: a record of its frequently used fields, followed by its compressed body.
///
/// The record holds key, uid, version, creation time, owners and the cells that it carries. Labels are shared
/// with the objects that have equal ones, the dictionary of the body with all objects of the resource. A pod of 7 KB
/// takes about 600 bytes. Only [`Object::json`] decompresses the body.
///
/// An object that was decoded on its own ([`KubeObject::from_json`]) shares nothing: it contains its text
/// uncompressed, and no cells.
#[derive(Clone)]
pub struct Object {
    record: Box<[u8]>,
    labels: LabelSet,
    /// `None` if the body is plain text.
    dictionary: Option<Arc<Dictionary>>,
}

impl Object {
    /// `creationTimestamp` in milliseconds since the Unix epoch; 0 if absent.
    pub fn created(&self) -> f64 {
        record_moment(&self.record).unwrap_or_default()
    }

    /// The whole object as JSON, including `kind` and `apiVersion`, without `metadata.managedFields` unless its
    /// packer keeps them. Otherwise exactly the received text. Decompresses in O(its length), each time.
    pub fn json(&self) -> Cow<'_, str> {
        // This crate has made the record, which never changes, so it can be decoded. An error would affect only this
        // object.
        self.body().unwrap_or(Cow::Borrowed("null"))
    }

    /// Decodes the whole object as a type, for example `k8s_openapi::api::core::v1::Pod`. Decompresses and parses in O(its
    /// length), each time.
    ///
    /// ```
    /// use informer::{KubeObject, Object};
    /// #[derive(serde::Deserialize)]
    /// struct Settings {
    ///     data: std::collections::BTreeMap<String, String>,
    /// }
    /// let object = Object::from_json(r#"{"metadata":{"name":"web"},"data":{"mode":"slow"}}"#, None)?;
    /// assert_eq!(object.decode::<Settings>()?.data["mode"], "slow");
    /// # Ok::<(), informer::InformerError>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::Decode`](crate::ErrorCode::Decode) with the key, if its fields are not those of the type.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T> {
        let read = |error: serde_json::Error| InformerError::new(ErrorCode::Decode, error.to_string());
        serde_json::from_str(&self.json()).map_err(|error| read(error).with_object(self.key()))
    }

    /// Length of [`Object::json`] in bytes, without decompressing.
    pub fn json_len(&self) -> usize {
        RecordReader::new(&self.record).length().unwrap_or_default()
    }

    /// The cells that it carries ([`carry_cells`](crate::carry_cells)); none if it was decoded on its own, without a
    /// packer.
    pub fn cells(&self) -> Vec<Cell> {
        self.before_cells().and_then(|(created, head)| head.cells(created)).unwrap_or_default()
    }

    /// Calls `each` with the place and the text of every cell that is a text, until it returns false. Returns whether
    /// the object carries cells. Allocates nothing.
    pub fn text_cells<'o>(&'o self, each: &mut dyn FnMut(usize, &'o str) -> bool) -> bool {
        self.before_cells().and_then(|(_, head)| head.text_cells(each)).unwrap_or_default()
    }

    /// Its owners, in the order of its `ownerReferences`; at most the first 64.
    pub fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        let mut owners = self.created_and_head().and_then(|(_, mut head)| Some((head.owners()?, head)));
        std::iter::from_fn(move || {
            let (left, head) = owners.as_mut()?;
            *left = left.checked_sub(1)?;
            head.owner()
        })
    }

    /// Its controlling owner, if any (client-go: `GetControllerOf`).
    pub fn controller(&self) -> Option<Owner<'_>> {
        self.owners().find(|owner| owner.is_controller)
    }

    /// Its parts: the record, and the dictionary of its body, if the body is compressed.
    pub fn parts(&self) -> (&[u8], &LabelSet, Option<&Arc<Dictionary>>) {
        (&self.record, &self.labels, self.dictionary.as_ref())
    }

    /// Restores an object from its [`Object::parts`]; `None` if they are invalid. The body is not checked, because that
    /// would decompress it.
    pub fn from_parts(record: &[u8], labels: LabelSet, dictionary: Option<Arc<Dictionary>>) -> Option<Self> {
        let object = Self { record: record.into(), labels, dictionary };
        let (_, head) = object.before_cells()?;
        (!head.key.is_empty()).then_some(object)
    }

    fn head(&self) -> Option<Head<'_>> {
        Head::read(&self.record)
    }

    fn created_and_head(&self) -> Option<(f64, Head<'_>)> {
        let mut head = self.head()?;
        head.state()?;
        Some((head.created()?, head))
    }

    fn before_cells(&self) -> Option<(f64, Head<'_>)> {
        let (created, mut head) = self.created_and_head()?;
        for _ in 0..head.owners()? {
            head.owner()?;
        }
        Some((created, head))
    }

    fn state(&self) -> (&str, &str) {
        self.head().and_then(|mut head| head.state()).unwrap_or_default()
    }

    fn body(&self) -> Option<Cow<'_, str>> {
        let mut record = RecordReader::new(&self.record);
        let (body, head) = (record.length()?, record.length()?);
        let head = record.bytes(head)?;
        let Some(dictionary) = &self.dictionary else { return record.text_of(body).map(Cow::Borrowed) };
        let mut text = Vec::new();
        decompress(record.rest(), dictionary.bytes(), head, body, &mut text).ok()?;
        String::from_utf8(text).ok().map(Cow::Owned)
    }
}

impl Keyed for Object {
    fn key(&self) -> &str {
        self.head().map_or("", |head| head.key)
    }

    fn resource_version(&self) -> &str {
        self.state().1
    }

    fn namespace(&self) -> &str {
        self.head().and_then(|head| head.key.get(..head.namespace_len)).unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.head().map_or("", |head| head.name())
    }

    fn uid(&self) -> &str {
        self.state().0
    }

    fn size(&self) -> usize {
        self.record.len() + size_of::<Self>()
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
        let outline = Outline::of(Json::new(json));
        let envelope = Envelope::read(&outline)?;
        let mut head = Vec::new();
        push_head(&mut head, &envelope, &[]);
        let mut body = Vec::new();
        push_body(&mut body, outline.root().text().as_bytes(), &envelope, type_meta);
        let labels = envelope.labels.map(LabelSet::of_json).unwrap_or_default();
        Ok(Self { record: record_of(body.len(), &head, &body), labels, dictionary: None })
    }

    fn read(
        outline: &Outline<'_>,
        type_meta: Option<&TypeMeta>,
        packer: &Packer,
        known: &dyn Fn(&str) -> Option<Arc<Self>>,
    ) -> Result<Reading<Self>> {
        let envelope = Envelope::read(outline)?;
        if let Some(known) = known(&envelope.key())
            && !envelope.resource_version.is_empty()
            && known.state() == (&*envelope.uid, &*envelope.resource_version)
        {
            return Ok(Reading::Known(known));
        }
        // Everything that is kept of the object comes from the transformed text: cells, labels, owners.
        let text = transformed(outline, packer.options());
        let transformed = text.as_ref().map(|text| Outline::of(Json::new(text)));
        let (outline, envelope) = match &transformed {
            Some(transformed) => (transformed, Envelope::read(transformed)?),
            None => (outline, envelope),
        };
        let cells = packer.cells(outline);
        let mut buffers = packer.buffers();
        let Buffers { compressor, labels, record: text, scratch } = &mut *buffers;
        let labels = envelope.labels.map(|json| LabelSet::interned(json, labels, scratch)).unwrap_or_default();
        text.clear();
        push_head(text, &envelope, &cells);
        let head = text.len();
        let kept = if packer.options().managed_fields {
            outline.root().text().as_bytes()
        } else {
            scratch.clear();
            outline.write_without("metadata", "managedFields", scratch);
            scratch
        };
        push_body(text, kept, &envelope, type_meta);
        let compressed = compressor.pack(text, head);
        let record = record_of(text.len() - head, text.get(..head).unwrap_or_default(), compressed.block);
        Ok(Reading::New(Self { record, labels, dictionary: Some(compressed.dictionary) }))
    }
}

/// Returns the text of an object without the fields that an informer removes. `None` if only managedFields are removed,
/// which is faster in place.
fn transformed(outline: &Outline<'_>, options: &PackerOptions) -> Option<String> {
    let dropped = options.dropped.as_ref()?;
    let mut text = String::new();
    if options.managed_fields {
        dropped.write(outline.root(), &mut text);
    } else {
        // The JSON of managedFields has not been validated.
        let mut kept = Vec::new();
        outline.write_without("metadata", "managedFields", &mut kept);
        dropped.write(Json::new(str::from_utf8(&kept).unwrap_or("null")), &mut text);
    }
    Some(text)
}

/// Appends the text of an object to `to`, with missing `kind` and `apiVersion` in front of its other fields, where
/// the apiserver puts them in a watch.
fn push_body(to: &mut Vec<u8>, text: &[u8], envelope: &Envelope<'_>, type_meta: Option<&TypeMeta>) {
    let (Some(meta), Some(fields)) = (type_meta, text.strip_prefix(b"{")) else { return to.extend_from_slice(text) };
    to.push(b'{');
    let kind = envelope.kind.is_none().then_some(&meta.kind);
    let api_version = envelope.api_version.is_none().then_some(&meta.api_version);
    for (name, value) in [("\"kind\":", kind), ("\"apiVersion\":", api_version)] {
        if let Some(value) = value {
            to.extend_from_slice(name.as_bytes());
            let mut text = String::with_capacity(value.len() + 3);
            write_string(&mut text, value);
            text.push(',');
            to.extend_from_slice(text.as_bytes());
        }
    }
    to.extend_from_slice(fields);
}

/// Objects with equal content are equal, packed or not.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").field("key", &self.key()).field("json", &self.json()).finish_non_exhaustive()
    }
}
