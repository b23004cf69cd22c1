//! Record of an object: its cached form in one piece of memory.
//!
//! It consists of the length of the body, then the head (key, uid, version, creation, owners, cells), then the body.
//! Texts of the head have the same form as in the body. The body is compressed as if it followed the head, so texts in
//! both take almost no space.

use informer_packing::{Json, RecordReader, push_number, push_text, push_varint, record_key};

use super::cells::{cell, push_cell, text_cell};
use super::envelope::Envelope;
use crate::cell::Cell;

/// Common kinds of owners, stored as a number; others are stored as text.
const OWNER_KINDS: [&str; 8] = ["", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "CronJob", "Deployment", "Node"];

/// Owner of an object: one of its `ownerReferences`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner<'o> {
    /// Its kind.
    pub kind: &'o str,
    /// Its name. An owner is in the object's namespace or cluster-scoped.
    pub name: &'o str,
    /// Its uid.
    pub uid: &'o str,
    /// Whether it is the managing controller.
    pub is_controller: bool,
}

/// Head, decoded up to the requested part.
pub(super) struct Head<'r> {
    reader: RecordReader<'r>,
    pub(super) key: &'r str,
    pub(super) namespace_len: usize,
}

impl<'r> Head<'r> {
    /// Reads the beginning, which suffices for most reads.
    pub(super) fn read(record: &'r [u8]) -> Option<Self> {
        record_key(record).map(|read| Self { key: read.key, namespace_len: read.mark, reader: read.rest })
    }

    pub(super) fn name(&self) -> &'r str {
        let start = if self.namespace_len == 0 { 0 } else { self.namespace_len + 1 };
        self.key.get(start..).unwrap_or_default()
    }

    /// Decodes on to uid and version.
    pub(super) fn state(&mut self) -> Option<(&'r str, &'r str)> {
        Some((self.reader.text()?, self.reader.text()?))
    }

    /// Decodes on to the creation time, after the state.
    pub(super) fn created(&mut self) -> Option<f64> {
        self.reader.number()
    }

    /// Decodes on to the number of owners, after the creation time; as many owners follow.
    pub(super) fn owners(&mut self) -> Option<usize> {
        self.reader.length()
    }

    pub(super) fn owner(&mut self) -> Option<Owner<'r>> {
        let reader = &mut self.reader;
        let tag = reader.varint()?;
        let is_controller = tag & 1 == 1;
        let kind = match OWNER_KINDS.get(usize::try_from(tag >> 1).ok()?) {
            Some(&kind) => kind,
            None => reader.text()?,
        };
        // Names of a ReplicaSet's pods begin with its name.
        let shared = reader.length()?;
        let name = match shared.checked_sub(1) {
            Some(shared) => self.key.get(self.key.len() - self.name().len()..)?.get(..shared)?,
            None => self.reader.text()?,
        };
        Some(Owner { kind, name, uid: self.reader.text()?, is_controller })
    }

    /// Decodes on to the cells that are texts, after the owners, until `each` returns false. Returns whether there are
    /// cells.
    pub(super) fn text_cells(mut self, each: &mut dyn FnMut(usize, &'r str) -> bool) -> Option<bool> {
        let (cells, name) = (self.reader.length()?, self.name());
        for at in 0..cells {
            if let Some(text) = text_cell(&mut self.reader, name)?
                && !each(at, text)
            {
                break;
            }
        }
        Some(cells > 0)
    }

    /// Decodes on to all cells, after the owners.
    pub(super) fn cells(mut self, created: f64) -> Option<Vec<Cell>> {
        let (cells, name) = (self.reader.length()?, self.name());
        (0..cells).map(|_| cell(&mut self.reader, name, created)).collect()
    }
}

/// Appends the head of an object to a record.
pub(super) fn push_head(record: &mut Vec<u8>, envelope: &Envelope<'_>, cells: &[Cell]) {
    push_varint(record, envelope.namespace.len() as u64);
    if envelope.namespace.is_empty() {
        push_text(record, &envelope.name);
    } else {
        push_varint(record, (envelope.namespace.len() + 1 + envelope.name.len()) as u64);
        record.extend_from_slice(envelope.namespace.as_bytes());
        record.push(b'/');
        record.extend_from_slice(envelope.name.as_bytes());
    }
    push_text(record, &envelope.uid);
    push_text(record, &envelope.resource_version);
    push_number(record, envelope.created);
    push_owners(record, envelope);
    push_varint(record, cells.len() as u64);
    for cell in cells {
        push_cell(record, cell, &envelope.name, envelope.created);
    }
}

/// Maximum number of owners in the head. More owners are a mistake or malice, and stay in the body only.
const MAX_OWNERS: usize = 64;

fn push_owners(record: &mut Vec<u8>, envelope: &Envelope<'_>) {
    let owners = || envelope.owners.into_iter().flat_map(Json::items).take(MAX_OWNERS);
    push_varint(record, owners().count() as u64);
    for owner in owners() {
        let (mut kind, mut name, mut uid, mut is_controller) = Default::default();
        for (field, value) in owner.members() {
            match &*field {
                "kind" => kind = value.as_str(),
                "name" => name = value.as_str(),
                "uid" => uid = value.as_str(),
                "controller" => is_controller = value.as_bool() == Some(true),
                _ => {}
            }
        }
        let (kind, name, uid) = (kind.unwrap_or_default(), name.unwrap_or_default(), uid.unwrap_or_default());
        let known = OWNER_KINDS.iter().position(|known| *known == kind).unwrap_or(OWNER_KINDS.len());
        push_varint(record, (known as u64) << 1 | u64::from(is_controller));
        if known == OWNER_KINDS.len() {
            push_text(record, &kind);
        }
        if envelope.name.starts_with(&*name) {
            push_varint(record, name.len() as u64 + 1);
        } else {
            push_varint(record, 0);
            push_text(record, &name);
        }
        push_text(record, &uid);
    }
}
