//! Snapshot: the persisted form of a cache. A header, and the packed objects in parts.
//!
//! Objects are written in their cached form, so writing is copying: their records, and, once each, their shared label
//! sets and the dictionaries of their bodies. A part is about a megabyte; the label sets and dictionaries that it needs
//! are in it or in an earlier part. The header names the source of the snapshot and has a checksum of each part and of
//! itself. If anything differs from what was written, the whole snapshot is ignored: see [`Unusable`]. No input causes
//! a panic, or takes more memory than a small multiple of its length.

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::vec::IntoIter;

use informer_packing::lz4::Dictionary;
use informer_packing::{RecordReader, Slots, checksum, hash, push_number, push_text, push_varint};

use informer::{Keyed, LabelSet, Object};

/// First bytes of a snapshot.
const MAGIC: &str = "kube-informer snapshot";

/// Format version. A snapshot of another version is ignored. Raise it if objects, their cells or columns, or the layout
/// of a snapshot change: tests compare today's code with the golden file of this version, and fail otherwise.
const VERSION: u64 = 1;

/// Size at which a part is full, in bytes of objects.
const PART_BYTES: usize = 1 << 20;

/// The same for the first part, which fills a screen: it must not wait until a megabyte is read and checked.
const FIRST_PART_BYTES: usize = 1 << 16;

/// Number of objects for the first part: the first by key, as in an unsorted view.
const FIRST_PART_OBJECTS: usize = 64;

/// Maximum number of dictionaries in a snapshot. Each session creates its own, and a cache that lives through many
/// workers collects them. Beyond this limit no snapshot is stored, and the next session lists again.
const MAX_DICTIONARIES: usize = 32;

/// Source of a snapshot. A snapshot from another source is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// UID of the cluster.
    pub cluster: String,
    /// User who may see the objects; empty if unknown.
    pub user: String,
    /// Informer: resource, scope, selectors and mode.
    pub informer: String,
}

/// Length and checksum of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPart {
    length: usize,
    checksum: u64,
}

/// Header of a snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Source of the objects.
    pub subject: Subject,
    /// Resource version of the objects, from which a watch resumes.
    pub resource_version: String,
    /// Time at which the server reported that version, in milliseconds since the Unix epoch.
    pub taken_at: f64,
    /// Distinguishes the parts of this snapshot from those of others with the same name.
    pub generation: u64,
    /// Number of objects.
    pub objects: usize,
    /// The parts.
    pub parts: Vec<StoredPart>,
}

/// Reason why a snapshot is unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Not a snapshot, or one of another version.
    Format,
    /// A part is missing or corrupt.
    Torn,
    /// It belongs to another cluster, user or informer.
    Foreign,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "it is not a snapshot of this version",
            Self::Torn => "it is incomplete or damaged",
            Self::Foreign => "it belongs to another resource, cluster or user",
        })
    }
}

impl std::error::Error for Unusable {}

impl Header {
    /// Encodes the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Subject { cluster, user, informer } = &self.subject;
        push_text(&mut bytes, MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        for text in [cluster, user, informer, &self.resource_version] {
            push_text(&mut bytes, text);
        }
        push_number(&mut bytes, self.taken_at);
        for number in [self.generation, self.objects as u64, self.parts.len() as u64] {
            push_varint(&mut bytes, number);
        }
        for part in &self.parts {
            push_varint(&mut bytes, part.length as u64);
            bytes.extend_from_slice(&part.checksum.to_le_bytes());
        }
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Decodes a header.
    ///
    /// # Errors
    /// [`Unusable::Format`] or [`Unusable::Torn`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unusable> {
        let mut reader = RecordReader::new(bytes);
        if reader.text() != Some(MAGIC) || reader.bytes(8) != Some(&VERSION.to_le_bytes()) {
            return Err(Unusable::Format);
        }
        let (content, end) = bytes.split_last_chunk().ok_or(Unusable::Torn)?;
        if checksum(content) != u64::from_le_bytes(*end) {
            return Err(Unusable::Torn);
        }
        Self::read(&mut reader).ok_or(Unusable::Torn)
    }

    fn read(reader: &mut RecordReader<'_>) -> Option<Self> {
        let mut text = || reader.text().map(str::to_owned);
        let subject = Subject { cluster: text()?, user: text()?, informer: text()? };
        let resource_version = text()?;
        let taken_at = reader.number()?;
        let (generation, objects, count) = (reader.varint()?, reader.length()?, reader.length()?);
        let mut parts = Vec::new();
        for _ in 0..count {
            let length = reader.length()?;
            parts.push(StoredPart { length, checksum: u64::from_le_bytes(*reader.bytes(8)?.first_chunk()?) });
        }
        Some(Self { subject, resource_version, taken_at, generation, objects, parts })
    }
}

/// Writer of the objects of a cache, part by part.
pub struct Writer {
    objects: IntoIter<Arc<Object>>,
    dictionaries: Vec<Arc<Dictionary>>,
    labels: Vec<LabelSet>,
    places: Slots,
    parts: Vec<StoredPart>,
}

impl Writer {
    /// Creates a writer of these objects. The first objects by key are written first. O(objects).
    pub fn new(mut objects: Vec<Arc<Object>>) -> Self {
        if objects.len() > FIRST_PART_OBJECTS {
            objects.select_nth_unstable_by(FIRST_PART_OBJECTS, |a, b| a.key().cmp(b.key()));
        }
        let objects = objects.into_iter();
        Self { objects, dictionaries: Vec::new(), labels: Vec::new(), places: Slots::default(), parts: Vec::new() }
    }

    /// Encodes the next part; `None` after the last one. O(its bytes).
    pub fn part(&mut self) -> Option<Vec<u8>> {
        let full = if self.parts.is_empty() { FIRST_PART_BYTES } else { PART_BYTES };
        let (mut shared, mut objects) = (Vec::new(), Vec::with_capacity(full + (full >> 4)));
        while objects.len() < full
            && let Some(object) = self.objects.next()
        {
            self.write(&object, &mut shared, &mut objects);
        }
        if objects.is_empty() {
            return None;
        }
        let mut part = Vec::with_capacity(shared.len() + objects.len() + 4);
        push_varint(&mut part, shared.len() as u64);
        part.append(&mut shared);
        part.append(&mut objects);
        self.parts.push(StoredPart { length: part.len(), checksum: checksum(&part) });
        Some(part)
    }

    /// Returns the checksums of the written parts; `None` if the objects must not be stored.
    pub fn finish(self) -> Option<Vec<StoredPart>> {
        (self.dictionaries.len() <= MAX_DICTIONARIES).then_some(self.parts)
    }

    fn write(&mut self, object: &Object, shared: &mut Vec<u8>, objects: &mut Vec<u8>) {
        let (record, labels, dictionary) = object.parts();
        let dictionary = dictionary.map_or(0, |dictionary| {
            let known = self.dictionaries.iter().rposition(|known| Arc::ptr_eq(known, dictionary));
            1 + known.unwrap_or_else(|| {
                push_shared(shared, DICTIONARY, dictionary.bytes());
                self.dictionaries.push(Arc::clone(dictionary));
                self.dictionaries.len() - 1
            })
        });
        let labels = if labels.is_empty() { 0 } else { 1 + self.index_of(labels, shared) };
        for number in [dictionary, labels, record.len()] {
            push_varint(objects, number as u64);
        }
        objects.extend_from_slice(record);
    }

    fn index_of(&mut self, labels: &LabelSet, shared: &mut Vec<u8>) -> usize {
        let known = &self.labels;
        let same = |index: u32| known.get(index as usize) == Some(labels);
        if let Some(index) = self.places.find(hash(labels.record()), &mut { same }) {
            return index as usize;
        }
        push_shared(shared, LABELS, labels.record());
        self.labels.push(labels.clone());
        let (index, known) = (self.labels.len() - 1, &self.labels);
        #[expect(clippy::cast_possible_truncation, reason = "four billion label sets are more than fit")]
        self.places
            .insert(index as u32, &mut |index| known.get(index as usize).map_or(0, |known| hash(known.record())));
        index
    }
}

const DICTIONARY: u8 = 0;
const LABELS: u8 = 1;

fn push_shared(shared: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    shared.push(kind);
    push_varint(shared, bytes.len() as u64);
    shared.extend_from_slice(bytes);
}

/// Reader of the objects of a snapshot, part by part.
#[derive(Default)]
pub struct Reader {
    dictionaries: Vec<Arc<Dictionary>>,
    labels: Vec<LabelSet>,
    parts: usize,
    objects: usize,
}

impl Reader {
    /// Decodes the objects of the next part. O(its bytes); no body is decompressed.
    ///
    /// # Errors
    /// [`Unusable::Torn`]: objects of earlier parts are invalid too.
    pub fn part(&mut self, header: &Header, part: &[u8]) -> Result<Vec<Arc<Object>>, Unusable> {
        let stored = header.parts.get(self.parts).ok_or(Unusable::Torn)?;
        if part.len() != stored.length || checksum(part) != stored.checksum {
            return Err(Unusable::Torn);
        }
        let objects = self.read(part).ok_or(Unusable::Torn)?;
        self.parts += 1;
        self.objects += objects.len();
        // After the last part, the count must match the header.
        let whole = self.parts < header.parts.len() || self.objects == header.objects;
        if whole { Ok(objects) } else { Err(Unusable::Torn) }
    }

    /// Number of parts read.
    pub fn parts(&self) -> usize {
        self.parts
    }

    fn read(&mut self, part: &[u8]) -> Option<Vec<Arc<Object>>> {
        let mut objects = RecordReader::new(part);
        let shared = objects.length()?;
        let mut shared = RecordReader::new(objects.bytes(shared)?);
        while let Some(kind) = shared.byte() {
            let length = shared.length()?;
            let bytes = shared.bytes(length)?;
            match kind {
                DICTIONARY => self.dictionaries.push(Arc::new(Dictionary::new(bytes))),
                _ => self.labels.push(LabelSet::from_record(bytes)),
            }
        }
        let mut read = Vec::new();
        while !objects.rest().is_empty() {
            let (dictionary, labels, length) = (objects.length()?, objects.length()?, objects.length()?);
            let dictionary = match dictionary.checked_sub(1) {
                Some(index) => Some(Arc::clone(self.dictionaries.get(index)?)),
                None => None,
            };
            let labels = match labels.checked_sub(1) {
                Some(index) => self.labels.get(index)?.clone(),
                None => LabelSet::default(),
            };
            read.push(Arc::new(Object::from_parts(objects.bytes(length)?, labels, dictionary)?));
        }
        Some(read)
    }
}
