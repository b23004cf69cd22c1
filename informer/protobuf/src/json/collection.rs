//! JSON of lists and maps.

use std::ops::Range;

use informer_packing::Keys;

use crate::error::{Error, ErrorKind, Result};
use crate::json::entry::Entry;
use crate::json::message::Job;
use crate::json::text;
use crate::schema::{Field, Kind};
use crate::unknown::TypeMeta;
use crate::wire::{Reader, Value};

impl Job<'_> {
    /// Writes a list, whose elements are these entries.
    pub(super) fn list(&mut self, field: &Field, run: Range<usize>) -> Result<()> {
        let schema = self.schema;
        let type_meta = match field.kind {
            Kind::Message(message) if field.is_typed => {
                Some(TypeMeta { api_version: schema.api_version(message), kind: schema.name_alone(message) })
            }
            _ => None,
        };
        self.out.push(b'[');
        let start = self.out.len();
        for index in run {
            match self.entries.get(index).copied() {
                Some(entry) if field.kind.is_number() && !entry.is_varint => {
                    self.packed(field.kind, entry.range(), start)?;
                }
                _ => {
                    self.separate(start);
                    self.element(field.kind, index, type_meta)?;
                }
            }
        }
        self.out.push(b']');
        Ok(())
    }

    /// Writes the numbers of a packed list.
    fn packed(&mut self, kind: Kind, range: Range<usize>, start: usize) -> Result<()> {
        let end = range.end;
        let mut reader = Reader::new(self.bytes, range);
        while reader.at() < end {
            let number = reader.varint()?;
            self.separate(start);
            self.scalar(kind, Entry::varint(0, number))?;
        }
        Ok(())
    }

    /// Writes a comma, unless it is the first of a list or a map that begins at `start`.
    fn separate(&mut self, start: usize) {
        if self.out.len() > start {
            self.out.push(b',');
        }
    }

    /// Writes a map. An apiserver sends it sorted by key; otherwise it is sorted first.
    pub(super) fn map(&mut self, kind: Kind, run: Range<usize>) -> Result<()> {
        let start = self.out.len();
        let mut last: Option<&[u8]> = None;
        let bytes = self.bytes;
        self.out.push(b'{');
        for index in run.clone() {
            let (key, value) = self.map_entry(kind, index)?;
            let text = bytes.get(key.clone()).unwrap_or_default();
            if last.is_some_and(|last| last >= text) {
                self.out.truncate(start);
                return self.unsorted_map(kind, run);
            }
            last = Some(text);
            self.separate(start + 1);
            self.map_member(kind, key, value)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    #[cold]
    fn unsorted_map(&mut self, kind: Kind, run: Range<usize>) -> Result<()> {
        let mut keys = Keys::default();
        for index in run.clone() {
            let (key, _) = self.map_entry(kind, index)?;
            let text = self.bytes.get(key).unwrap_or_default();
            keys.push(&mut |to| to.extend_from_slice(text));
        }
        self.out.push(b'{');
        let (start, sorted) = (self.out.len(), keys.sorted());
        for (place, number) in sorted.iter().enumerate() {
            // The last of equal keys counts.
            if sorted.get(place + 1).is_none_or(|next| keys.get(*next) != keys.get(*number)) {
                let (key, value) = self.map_entry(kind, run.start + *number as usize)?;
                self.separate(start);
                self.map_member(kind, key, value)?;
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Returns the key and the value of an entry of a map.
    fn map_entry(&self, kind: Kind, index: usize) -> Result<(Range<usize>, Entry)> {
        let (mut key, mut entry) = (0..0, Entry::default());
        let mut reader = Reader::new(self.bytes, self.entries.get(index).map_or(0..0, Entry::range));
        while let Some((number, value)) = reader.field()? {
            match (number, value) {
                (1, Value::Bytes(range)) => key = range,
                (1, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
                (2, value) => entry = Entry::of_map(kind, value, reader.at())?,
                _ => {}
            }
        }
        Ok((key, entry))
    }

    fn map_member(&mut self, kind: Kind, key: Range<usize>, value: Entry) -> Result<()> {
        text::string(self.out, self.bytes, key);
        self.out.push(b':');
        // In Go, bytes in a map are never null.
        let index = self.entries.len();
        self.entries.push(value);
        self.element(kind, index, None)?;
        self.entries.truncate(index);
        Ok(())
    }
}
