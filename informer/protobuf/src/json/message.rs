//! JSON of a message: its fields are noted as the wire has them, then written in the order of JSON.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::json::entry::{Entry, sort};
use crate::json::{UnknownFields, number, special, text, time};
use crate::schema::{Field, Kind, MessageId, NONE, Schema, Shape};
use crate::unknown::TypeMeta;
use crate::wire::{Reader, low_32};

/// Maximum depth of messages.
const MAX_DEPTH: usize = 64;

/// One object that is being written.
pub(super) struct Job<'j> {
    pub(super) schema: &'j Schema,
    /// The message and the number of the field to skip.
    pub(super) skipped: Option<(MessageId, u32)>,
    /// Fields of the open messages, those of the innermost last.
    pub(super) entries: &'j mut Vec<Entry>,
    pub(super) bytes: &'j [u8],
    pub(super) out: &'j mut Vec<u8>,
    pub(super) depth: usize,
    pub(super) unknown: UnknownFields,
}

impl Job<'_> {
    /// Writes the outermost message.
    pub(super) fn object(&mut self, message: MessageId, type_meta: Option<TypeMeta<'_>>) -> Result<()> {
        self.begin(type_meta);
        self.note(message, 0..self.bytes.len())?;
        self.end(message, 0, type_meta.is_none())
    }

    /// Writes a message whose parts are these entries. More than one part is a merged message, as in protobuf.
    fn message(&mut self, message: MessageId, parts: Range<usize>, type_meta: Option<TypeMeta<'_>>) -> Result<()> {
        self.begin(type_meta);
        let first = self.entries.len();
        self.enter(message, parts)?;
        self.end(message, first, type_meta.is_none())?;
        self.depth -= 1;
        Ok(())
    }

    fn begin(&mut self, type_meta: Option<TypeMeta<'_>>) {
        self.out.push(b'{');
        if let Some(TypeMeta { api_version, kind }) = type_meta {
            self.out.extend_from_slice(b"\"kind\":");
            text::string(self.out, kind.as_bytes(), 0..kind.len());
            self.out.extend_from_slice(b",\"apiVersion\":");
            text::string(self.out, api_version.as_bytes(), 0..api_version.len());
        }
    }

    fn end(&mut self, message: MessageId, first: usize, is_empty: bool) -> Result<()> {
        self.members(message, first, &mut { is_empty })?;
        self.out.push(b'}');
        Ok(())
    }

    /// Notes the fields of a message one level deeper.
    fn enter(&mut self, message: MessageId, parts: Range<usize>) -> Result<()> {
        self.depth += 1;
        // Before the parts, of which there may be none: a schema may have a message that is a value in itself.
        if self.depth > MAX_DEPTH {
            let at = self.entries.get(parts.start).map_or(0, |part| part.range().start);
            return Err(Error::new(ErrorKind::TooDeep, at));
        }
        let (first, is_merged) = (self.entries.len(), parts.len() > 1);
        for part in parts {
            let range = self.entries.get(part).map_or(0..0, Entry::range);
            self.note(message, range)?;
        }
        if is_merged {
            sort(self.entries.get_mut(first..).unwrap_or_default());
        }
        Ok(())
    }

    /// Notes the fields of a message, sorted as in JSON.
    fn note(&mut self, message: MessageId, range: Range<usize>) -> Result<()> {
        let (fields, by_number) = (self.schema.fields(message), self.schema.by_number(message));
        let skipped =
            self.skipped.filter(|skipped| self.depth == 1 && skipped.0 == message).map_or(0, |skipped| skipped.1);
        let first = self.entries.len();
        let mut reader = Reader::new(self.bytes, range);
        let (mut is_sorted, mut last) = (true, 0);
        while !reader.is_at_end() {
            let (number, value) = reader.next()?;
            let index = by_number.get(number as usize).copied().unwrap_or(u8::MAX);
            let Some(field) = fields.get(usize::from(index)) else {
                // Without a value nothing is lost: old servers write fields that are gone.
                if !value.is_empty() {
                    self.unknown.count += 1;
                    self.unknown.first.get_or_insert((message, number));
                }
                continue;
            };
            if number == skipped {
                continue;
            }
            self.entries.push(Entry::of_field(index, field, value, reader.at())?);
            is_sorted &= last <= index;
            last = index;
        }
        if !is_sorted {
            sort(self.entries.get_mut(first..).unwrap_or_default());
        }
        Ok(())
    }

    /// Writes the members of a message, whose fields are the entries from `first` on, and removes these.
    fn members(&mut self, message: MessageId, first: usize, is_empty: &mut bool) -> Result<()> {
        let fields = self.schema.fields(message);
        let (mut at, end, mut next) = (first, self.entries.len(), 0);
        loop {
            // The next field on the wire, or one that is written without it.
            let index = self.index_at(at, end).min(Schema::next_kept(fields, next));
            let Some(field) = fields.get(usize::from(index)) else { break };
            let start = at;
            while self.index_at(at, end) == index {
                at += 1;
            }
            self.member(field, start..at, is_empty)?;
            next = index + 1;
        }
        self.entries.truncate(first);
        Ok(())
    }

    /// Index of the field of an entry before `end`.
    #[inline]
    fn index_at(&self, at: usize, end: usize) -> u8 {
        if at < end { self.entries.get(at).map_or(NONE, |entry| entry.index) } else { NONE }
    }

    /// Writes one member, unless it is omitted.
    fn member(&mut self, field: &Field, run: Range<usize>, is_empty: &mut bool) -> Result<()> {
        if let (Shape::Inline, Kind::Message(message)) = (field.shape, field.kind) {
            let first = self.entries.len();
            self.enter(message, run)?;
            self.members(message, first, is_empty)?;
            self.depth -= 1;
            return Ok(());
        }
        let entry = self.entries.get(run.clone()).and_then(<[_]>::last).copied();
        if field.shape == Shape::Value && !field.keeps_empty && self.is_zero(field.kind, entry)? {
            return Ok(());
        }
        let (labels, Range { start, end }) = self.schema.label(field);
        text::copy(self.out, labels, start + usize::from(std::mem::take(is_empty))..end);
        match (field.shape, field.kind, entry) {
            (Shape::Value, Kind::Message(message), _) | (Shape::Pointer, Kind::Message(message), Some(_)) => {
                self.message(message, run, None)
            }
            (Shape::Value, kind, None) if kind != Kind::Bytes => self.scalar(kind, Entry::default()),
            (_, _, None) => {
                self.out.extend_from_slice(b"null");
                Ok(())
            }
            (Shape::List, ..) => self.list(field, run),
            (Shape::Map, kind, _) => self.map(kind, run),
            (_, kind, Some(entry)) => self.scalar(kind, entry),
        }
    }

    /// Whether a value is the zero of its type, which is omitted.
    fn is_zero(&self, kind: Kind, entry: Option<Entry>) -> Result<bool> {
        let Some(entry) = entry else { return Ok(true) };
        match kind {
            Kind::Int32 => Ok(low_32(entry.number) == 0),
            Kind::Bool | Kind::Int64 => Ok(entry.number == 0),
            Kind::Text | Kind::Bytes => Ok(entry.range().is_empty()),
            Kind::Time | Kind::MicroTime => Ok(time::read(self.bytes, entry.range())?.is_none()),
            _ => Ok(false),
        }
    }

    /// Writes an element of a list or a map.
    pub(super) fn element(&mut self, kind: Kind, index: usize, type_meta: Option<TypeMeta<'_>>) -> Result<()> {
        match (kind, self.entries.get(index)) {
            (Kind::Message(message), _) => self.message(message, index..index + 1, type_meta),
            (kind, entry) => self.scalar(kind, entry.copied().unwrap_or_default()),
        }
    }

    /// Writes a value that is no message in JSON.
    pub(super) fn scalar(&mut self, kind: Kind, entry: Entry) -> Result<()> {
        let out = &mut *self.out;
        match kind {
            Kind::Text => text::string(out, self.bytes, entry.range()),
            Kind::Bool => out.extend_from_slice(if entry.number == 0 { b"false" } else { b"true" }),
            Kind::Int32 => number::integer(out, i64::from(low_32(entry.number))),
            Kind::Int64 => number::integer(out, entry.number.cast_signed()),
            Kind::Bytes => number::base64(out, self.bytes.get(entry.range()).unwrap_or_default()),
            Kind::Time => time::write(out, time::read(self.bytes, entry.range())?, false),
            Kind::MicroTime => time::write(out, time::read(self.bytes, entry.range())?, true),
            Kind::Quantity => special::quantity(out, self.bytes, entry.range())?,
            Kind::IntOrString => special::int_or_string(out, self.bytes, entry.range())?,
            Kind::Json => special::json(out, self.bytes, entry.range())?,
            Kind::Strings => special::strings(out, self.bytes, entry.range())?,
            Kind::Message(_) => {}
        }
        Ok(())
    }
}
