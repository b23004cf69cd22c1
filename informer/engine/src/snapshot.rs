//! Snapshot: the persisted form of a cache. A header, and the packed objects in parts.
//!
//! Objects are written as they are cached, so writing is copying: their records, and once each the label sets that they share
//! and the dictionaries of their bodies. A part is about a megabyte; what it needs of these is in it or in an earlier part. The
//! header names the source of the snapshot and has the checksum of each part, and its own. If anything differs from what was
//! written, the whole snapshot is ignored: see [`Unusable`]. No bytes cause a panic, or take more memory than a small multiple
//! of their length.

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::vec::IntoIter;

use informer_packing::lz4::Dictionary;
use informer_packing::{RecordReader, Slots, hash, push_number, push_text, push_varint, seal};

use informer::{Keyed, LabelSet, Object};

/// What a snapshot begins with.
const MAGIC: &str = "kube-informer snapshot";

/// Format version. A snapshot of another version is ignored. Raise it if objects, their cells or columns, or the layout of
/// a snapshot change: tests compare today's code with the golden file of this version, and fail otherwise.
const VERSION: u64 = 1;

/// Bytes of objects in a part, as soon as which it is full.
const PART: usize = 1 << 20;

/// The same of the first part: what fills a screen shall not wait until a megabyte is read and checked.
const FIRST_PART: usize = 1 << 16;

/// Objects that shall be in the first part: those that come first by key, as in an unsorted list.
const FIRST_OBJECTS: usize = 64;

/// Dictionaries in a snapshot, at the most. What is cached for many lives of a worker comes from as many sessions, each of
/// which makes its own; rather than hand on more and more of them, nothing is kept, and the next session begins anew.
const MOST_DICTIONARIES: usize = 32;

/// What a snapshot is of. Nothing is taken from one that is of anything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The uid of the cluster.
    pub cluster: String,
    /// Who was allowed to see this; empty where that could not be found out.
    pub user: String,
    /// The informer: resource, scope, selectors and mode.
    pub informer: String,
}

/// Length and seal of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    length: usize,
    seal: u64,
}

/// What a snapshot says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// What it is of.
    pub subject: Subject,
    /// Where a watch resumes: the version that the objects are at.
    pub resource_version: String,
    /// When the server had said so, in milliseconds since the Unix epoch.
    pub taken_at: f64,
    /// Tells the parts of this snapshot from those of others under the same name.
    pub generation: u64,
    /// How many objects there are.
    pub objects: usize,
    /// The parts.
    pub parts: Vec<Sealed>,
}

/// Why a snapshot is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is none, or of another version.
    Format,
    /// Something of it is missing or changed.
    Torn,
    /// It is of another cluster, user or informer.
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
    /// The header's bytes.
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
            bytes.extend_from_slice(&part.seal.to_le_bytes());
        }
        let seal = seal(&bytes);
        bytes.extend_from_slice(&seal.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// [`Unusable::Format`] or [`Unusable::Torn`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unusable> {
        let mut reader = RecordReader::new(bytes);
        if reader.text() != Some(MAGIC) || reader.bytes(8) != Some(&VERSION.to_le_bytes()) {
            return Err(Unusable::Format);
        }
        let (sealed, end) = bytes.split_last_chunk().ok_or(Unusable::Torn)?;
        if seal(sealed) != u64::from_le_bytes(*end) {
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
            parts.push(Sealed { length, seal: u64::from_le_bytes(*reader.bytes(8)?.first_chunk()?) });
        }
        Some(Self { subject, resource_version, taken_at, generation, objects, parts })
    }
}

/// Writes the objects of a cache, part by part.
pub struct Writer {
    objects: IntoIter<Arc<Object>>,
    dictionaries: Vec<Arc<Dictionary>>,
    labels: Vec<LabelSet>,
    places: Slots,
    parts: Vec<Sealed>,
}

impl Writer {
    /// A writer of these objects, of which those come first that are first by key. O(objects).
    pub fn new(mut objects: Vec<Arc<Object>>) -> Self {
        if objects.len() > FIRST_OBJECTS {
            objects.select_nth_unstable_by(FIRST_OBJECTS, |a, b| a.key().cmp(b.key()));
        }
        let objects = objects.into_iter();
        Self { objects, dictionaries: Vec::new(), labels: Vec::new(), places: Slots::default(), parts: Vec::new() }
    }

    /// The next part; `None` when there are no more. O(its bytes).
    pub fn part(&mut self) -> Option<Vec<u8>> {
        let full = if self.parts.is_empty() { FIRST_PART } else { PART };
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
        self.parts.push(Sealed { length: part.len(), seal: seal(&part) });
        Some(part)
    }

    /// The seals of the parts that there were; `None` when the objects are not to be kept.
    pub fn finish(self) -> Option<Vec<Sealed>> {
        (self.dictionaries.len() <= MOST_DICTIONARIES).then_some(self.parts)
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
        let labels = if labels.is_empty() { 0 } else { 1 + self.place_of(labels, shared) };
        for number in [dictionary, labels, record.len()] {
            push_varint(objects, number as u64);
        }
        objects.extend_from_slice(record);
    }

    fn place_of(&mut self, labels: &LabelSet, shared: &mut Vec<u8>) -> usize {
        let known = &self.labels;
        let same = |place: u32| known.get(place as usize) == Some(labels);
        if let Some(place) = self.places.find(hash(labels.record()), &mut { same }) {
            return place as usize;
        }
        push_shared(shared, LABELS, labels.record());
        self.labels.push(labels.clone());
        let (place, known) = (self.labels.len() - 1, &self.labels);
        #[expect(clippy::cast_possible_truncation, reason = "four billion label sets are more than fit")]
        self.places
            .insert(place as u32, &mut |place| known.get(place as usize).map_or(0, |known| hash(known.record())));
        place
    }
}

const DICTIONARY: u8 = 0;
const LABELS: u8 = 1;

fn push_shared(shared: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    shared.push(kind);
    push_varint(shared, bytes.len() as u64);
    shared.extend_from_slice(bytes);
}

/// Reads the objects of a snapshot, part by part.
#[derive(Default)]
pub struct Reader {
    dictionaries: Vec<Arc<Dictionary>>,
    labels: Vec<LabelSet>,
    parts: usize,
    objects: usize,
}

impl Reader {
    /// The objects of the next part. O(its bytes); no body is inflated.
    ///
    /// # Errors
    /// [`Unusable::Torn`]: nothing that was read before is of any use then.
    pub fn part(&mut self, header: &Header, part: &[u8]) -> Result<Vec<Arc<Object>>, Unusable> {
        let sealed = header.parts.get(self.parts).ok_or(Unusable::Torn)?;
        if part.len() != sealed.length || seal(part) != sealed.seal {
            return Err(Unusable::Torn);
        }
        let objects = self.read(part).ok_or(Unusable::Torn)?;
        self.parts += 1;
        self.objects += objects.len();
        // The last one completes what the header says.
        let whole = self.parts < header.parts.len() || self.objects == header.objects;
        if whole { Ok(objects) } else { Err(Unusable::Torn) }
    }

    /// How many parts were read.
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
                Some(place) => Some(Arc::clone(self.dictionaries.get(place)?)),
                None => None,
            };
            let labels = match labels.checked_sub(1) {
                Some(place) => self.labels.get(place)?.clone(),
                None => LabelSet::default(),
            };
            read.push(Arc::new(Object::from_parts(objects.bytes(length)?, labels, dictionary)?));
        }
        Some(read)
    }
}
