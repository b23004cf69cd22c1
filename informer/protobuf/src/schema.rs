//! Schema: the fields of each message, by number and in the order of JSON.

#[cfg(feature = "encode")]
mod members;
mod parse;

use std::ops::Range;

#[cfg(feature = "encode")]
pub use members::{Member, MemberCount, MemberType};

/// Fields of the messages of Kubernetes, from the text of `schema.txt`.
///
/// Immutable, and shared by all decoders. The text has 70 KB (16 KB of gzip) for all groups; parsed it takes about 150 KB.
#[derive(Debug)]
pub struct Schema {
    version: String,
    packages: Vec<Package>,
    messages: Vec<Message>,
    fields: Vec<Field>,
    /// The text before the value of each field, such as `,"name":`; then a block of no meaning.
    labels: Vec<u8>,
    /// Tables from field number to the position among the fields of a message; 255 for an unknown number.
    by_number: Vec<u8>,
}

/// Index of a message in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId(u16);

/// The index of no field.
pub(crate) const NONE: u8 = u8::MAX;

/// Messages of a Go package, sorted by name.
#[derive(Debug)]
struct Package {
    /// Such as `core/v1`.
    name: String,
    api_version: String,
    messages: Range<usize>,
}

#[derive(Debug)]
struct Message {
    name: String,
    is_kind: bool,
    /// The message itself, or the one that has its fields.
    same: MessageId,
    /// Whether it is a list of strings with a name.
    is_list: bool,
    fields: Range<usize>,
    /// Part of [`Schema::by_number`].
    by_number: Range<usize>,
}

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) number: u8,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    /// Whether JSON has the member even if it is empty.
    pub(crate) keeps_empty: bool,
    /// Whether it is an object with its kind and apiVersion.
    pub(crate) is_typed: bool,
    /// Index of this field or the next one that keeps its empty value; 255 if there is none.
    next_kept: u8,
    label: u32,
    label_bytes: u8,
}

/// How many values a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One; if the wire has none, it is the zero of its type.
    Value,
    /// One or none.
    Pointer,
    List,
    /// With string keys.
    Map,
    /// A struct whose members are those of the struct around it.
    Inline,
}

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Bool,
    Int32,
    Int64,
    Bytes,
    Quantity,
    Time,
    MicroTime,
    IntOrString,
    /// JSON text (`RawExtension`, `FieldsV1`).
    Json,
    /// A message with a list of strings, which is a list in JSON.
    Strings,
    Message(MessageId),
}

impl Kind {
    /// Whether the wire has a varint.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Bool | Self::Int32 | Self::Int64)
    }
}

impl Schema {
    /// Version of Kubernetes that the schema is of, such as `1.36.3`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the message of a kind; `None` if the schema does not have it, as for custom resources.
    ///
    /// Metadata of any object is `PartialObjectMetadata` of `meta.k8s.io/v1`, an error is `Status` of `v1`.
    pub fn message(&self, api_version: &str, kind: &str) -> Option<MessageId> {
        self.packages.iter().filter(|package| package.api_version == api_version).find_map(|package| {
            let message = self.messages.get(self.find(package, kind)?)?;
            message.is_kind.then_some(message.same)
        })
    }

    /// Returns the name of a message, such as `core/v1.Pod`.
    pub fn name(&self, message: MessageId) -> String {
        let package = self.package(message);
        [package.map_or("", |package| &package.name), ".", self.name_alone(message)].concat()
    }

    /// All kinds: the apiVersion, the kind and the message.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, &str, MessageId)> {
        self.packages.iter().flat_map(move |package| {
            let messages = self.messages.get(package.messages.clone()).unwrap_or_default();
            let kinds = messages.iter().filter(|message| message.is_kind);
            kinds.map(|message| (&*package.api_version, &*message.name, message.same))
        })
    }

    /// Returns the message of a name, also of one that is no kind.
    pub(crate) fn by_name(&self, package: &str, message: &str) -> Option<MessageId> {
        let package = self.packages.iter().find(|other| other.name == package)?;
        self.messages.get(self.find(package, message)?).map(|message| message.same)
    }

    /// Returns the number of the field with this JSON name.
    pub(crate) fn number(&self, message: MessageId, name: &str) -> Option<u32> {
        let field = self.fields(message).iter().find(|field| self.field_name(field) == name)?;
        Some(u32::from(field.number))
    }

    fn package(&self, message: MessageId) -> Option<&Package> {
        self.packages.iter().find(|package| package.messages.contains(&usize::from(message.0)))
    }

    pub(crate) fn api_version(&self, message: MessageId) -> &str {
        self.package(message).map_or("", |package| &package.api_version)
    }

    pub(crate) fn name_alone(&self, message: MessageId) -> &str {
        self.messages.get(usize::from(message.0)).map_or("", |message| &message.name)
    }

    /// Index of the message of this name.
    fn find(&self, package: &Package, name: &str) -> Option<usize> {
        let messages = self.messages.get(package.messages.clone())?;
        let at = messages.binary_search_by(|message| message.name.as_str().cmp(name)).ok()?;
        Some(package.messages.start + at)
    }

    /// Returns the fields of a message, in the order of JSON.
    #[inline]
    pub(crate) fn fields(&self, message: MessageId) -> &[Field] {
        let message = self.messages.get(usize::from(message.0));
        message.and_then(|message| self.fields.get(message.fields.clone())).unwrap_or_default()
    }

    /// Returns the index of the first field from `index` on that JSON has even if it is empty; 255 if there is none.
    #[inline]
    pub(crate) fn next_kept(fields: &[Field], index: u8) -> u8 {
        fields.get(usize::from(index)).map_or(NONE, |field| field.next_kept)
    }

    /// Returns the table from field number to the index in [`Schema::fields`].
    #[inline]
    pub(crate) fn by_number(&self, message: MessageId) -> &[u8] {
        let message = self.messages.get(usize::from(message.0));
        message.and_then(|message| self.by_number.get(message.by_number.clone())).unwrap_or_default()
    }

    /// Returns the text before the value of a field: a comma, the name and a colon. At least a block follows its start.
    #[inline]
    pub(crate) fn label(&self, field: &Field) -> (&[u8], Range<usize>) {
        let start = field.label as usize;
        (&self.labels, start..start + usize::from(field.label_bytes))
    }

    /// Returns the JSON name of a field.
    pub(crate) fn field_name(&self, field: &Field) -> &str {
        let (labels, range) = self.label(field);
        str::from_utf8(labels.get(range.start + 2..range.end - 2).unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
