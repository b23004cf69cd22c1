//! Response forms of objects: whole, metadata only, or rows of a table.

use bytes::Bytes;

use crate::kinds::Kind;
use crate::object::Entry;
use crate::table::{self, Table};

/// Object part of a table row, besides its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Include {
    None,
    Metadata,
    Object,
}

/// Form of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    #[default]
    Object,
    /// `PartialObjectMetadata`.
    Metadata,
    /// `PartialObjectMetadataList`.
    MetadataList,
    Table(Include),
}

/// Encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    #[default]
    Json,
    Yaml,
    Protobuf,
}

/// Form and its encoding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) form: Form,
    pub(crate) encoding: Encoding,
    /// Requested version of `meta.k8s.io`.
    pub(crate) meta_version: &'static str,
}

impl Default for View {
    fn default() -> Self {
        Self { form: Form::Object, encoding: Encoding::Json, meta_version: "v1" }
    }
}

impl View {
    /// Returns the columns, if the view is a table.
    pub(crate) fn table(self, kind: &Kind, version: &str) -> Option<Table> {
        match self.form {
            Form::Table(include) => Some(Table::new(kind, version, include, self.meta_version)),
            _ => None,
        }
    }

    /// Returns the apiVersion and the kind of the objects, which protobuf has in the envelope.
    pub(crate) fn type_of(self, kind: &Kind, version: &str) -> (String, String) {
        match self.form {
            Form::Metadata | Form::MetadataList => {
                (format!("meta.k8s.io/{}", self.meta_version), "PartialObjectMetadata".to_owned())
            }
            Form::Object | Form::Table(_) => (kind.api_version(version), kind.name.clone()),
        }
    }

    /// Returns the protobuf message of one object. Tables have none.
    pub(crate) fn message(self, kind: &Kind, version: &str, entry: &Entry) -> Bytes {
        match self.form {
            Form::Metadata | Form::MetadataList => entry.metadata_message(),
            Form::Object | Form::Table(_) => entry.message(kind, version),
        }
    }

    /// Writes one object as JSON.
    pub(crate) fn write(self, kind: &Kind, version: &str, entry: &Entry, out: &mut Vec<u8>) {
        match self.form {
            Form::Object => entry.write(kind, version, out),
            Form::Metadata | Form::MetadataList => partial(entry, self.meta_version, out),
            Form::Table(_) => {
                if let Some(table) = self.table(kind, version) {
                    let metadata = format!("\"resourceVersion\":\"{}\"", entry.revision);
                    out.extend_from_slice(table.head(&metadata, true).as_bytes());
                    table.write_row(kind, version, entry, false, out);
                    out.extend_from_slice(table::TAIL);
                }
            }
        }
    }
}

/// Writes the `PartialObjectMetadata` of an object.
pub(crate) fn partial(entry: &Entry, meta_version: &str, out: &mut Vec<u8>) {
    let head =
        format!("{{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/{meta_version}\",\"metadata\":");
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(entry.metadata().as_bytes());
    out.push(b'}');
}
