//! List cutter: the body of a list, split anywhere, to its items.

use std::ops::ControlFlow;

use crate::error::{Error, ErrorKind, Result};
use crate::unknown::{MAGIC, TypeMeta, check_encoding};
use crate::wire::{Reader, Value, varint};

/// Complete piece of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListPiece<'c> {
    /// The type of the list. An apiserver sends it first.
    Type(TypeMeta<'c>),
    /// The metadata of the list. An apiserver sends it before the items.
    Metadata(ListMeta<'c>),
    /// The protobuf message of an item, without an envelope: its type is that of the list.
    Item(&'c [u8]),
}

/// Metadata of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListMeta<'c> {
    /// Version of the list, from which a watch continues; may be empty.
    pub resource_version: &'c str,
    /// Continue token of the next page; empty for the last page.
    pub continue_token: &'c str,
    /// Number of items after this page, if the server knows it.
    pub remaining_item_count: Option<i64>,
}

/// Splits the body of a list into its items, and buffers no more than one.
///
/// An item that is complete in its chunk is not copied. The time is linear for all chunk sizes.
///
/// The body is a `k8s\0`, an envelope and the message of the list. Any message with the fields of a list (metadata is 1,
/// items are 2) can be cut; other fields are skipped. The caller checks that the kind is a list: an error response is a
/// Status, whose field 2 is a string.
#[derive(Debug)]
pub struct ListCutter {
    limit: usize,
    state: State,
    /// Whether the fields are those of the list, not of the envelope.
    in_list: bool,
    /// Bytes of the list that are still expected.
    list_left: u64,
    has_list: bool,
    /// Beginning of an incomplete tag or value, from earlier chunks.
    rest: Vec<u8>,
    /// Position in the stream.
    at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the `k8s\0`, whose bytes so far are in the buffer.
    Magic,
    /// Before or in a tag and the number that follows it.
    Tag,
    /// Before or in a value that is a piece, of this length.
    Value(Part, usize),
    /// In a value that is skipped, of which these bytes are left.
    Skip(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Type,
    Encoding,
    Metadata,
    Item,
}

/// Tag of a field, with the number that follows it.
struct Tag {
    number: u64,
    wire_type: u64,
    /// The length of a value of type 2.
    length: u64,
    /// Length of the tag and the number.
    bytes: usize,
}

/// Limit of the values that are not items, in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Maximum size of the buffer between values. It is larger after one huge value, and then released.
const MAX_IDLE_BYTES: usize = 256 << 10;

impl ListCutter {
    /// Creates a cutter of one list, whose items may have at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, state: State::Magic, in_list: false, list_left: 0, has_list: false, rest: Vec::new(), at: 0 }
    }

    /// Whether the list has ended. Bytes of the envelope may follow.
    pub fn is_complete(&self) -> bool {
        self.has_list && self.state == State::Tag && self.rest.is_empty() && self.list_left == 0
    }

    /// Number of bytes that were processed.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Processes a chunk: calls `each` with each completed piece, in order, until `each` breaks.
    ///
    /// # Errors
    /// [`ErrorKind::Magic`] if the body is something else, such as JSON; [`ErrorKind::TooLong`] if an item exceeds the limit,
    /// as soon as its length is known; [`ErrorKind::Stopped`] if `each` broke; errors of the wire format. After that,
    /// nothing can be pushed.
    pub fn push(&mut self, chunk: &[u8], each: &mut dyn FnMut(ListPiece<'_>) -> ControlFlow<()>) -> Result<()> {
        let mut chunk = chunk;
        loop {
            match self.state {
                State::Magic => {
                    let Some(byte) = self.take_byte(&mut chunk) else { return Ok(()) };
                    if MAGIC.get(self.rest.len()) != Some(&byte) {
                        return Err(Error::new(ErrorKind::Magic, self.at - 1));
                    }
                    self.rest.push(byte);
                    if self.rest.len() == MAGIC.len() {
                        self.rest.clear();
                        self.state = State::Tag;
                    }
                }
                State::Tag => {
                    let Some(tag) = self.read_tag(&mut chunk)? else { return Ok(()) };
                    self.begin_value(&tag)?;
                }
                State::Value(part, length) => {
                    let missing = length - self.rest.len();
                    if self.rest.is_empty() && chunk.len() >= length {
                        let (value, after) = chunk.split_at(length);
                        self.end_value(part, value, each)?;
                        chunk = after;
                    } else {
                        let (value, after) = chunk.split_at(chunk.len().min(missing));
                        self.rest.extend_from_slice(value);
                        chunk = after;
                        if self.rest.len() < length {
                            self.at += value.len();
                            return Ok(());
                        }
                        self.at -= length - value.len();
                        let value = std::mem::take(&mut self.rest);
                        self.end_value(part, &value, each)?;
                        self.rest = value;
                        self.rest.clear();
                        self.rest.shrink_to(MAX_IDLE_BYTES);
                    }
                }
                State::Skip(left) => {
                    let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
                    chunk = chunk.get(skipped..).unwrap_or_default();
                    self.at += skipped;
                    let left = left - skipped as u64;
                    self.state = if left == 0 { State::Tag } else { State::Skip(left) };
                    if left > 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn take_byte(&mut self, chunk: &mut &[u8]) -> Option<u8> {
        let (byte, after) = chunk.split_first()?;
        *chunk = after;
        self.at += 1;
        Some(*byte)
    }

    /// Returns the next tag, once it is complete.
    fn read_tag(&mut self, chunk: &mut &[u8]) -> Result<Option<Tag>> {
        let start = self.at - self.rest.len();
        let tag = if self.rest.is_empty() {
            let tag = Tag::parse(chunk).map_err(|error| error.moved(start))?;
            // An incomplete one has at most 20 bytes.
            let taken = tag.as_ref().map_or(chunk.len(), |tag| tag.bytes);
            let (bytes, after) = chunk.split_at(taken);
            if tag.is_none() {
                self.rest.extend_from_slice(bytes);
            }
            self.at += taken;
            *chunk = after;
            tag
        } else {
            let mut tag = None;
            while tag.is_none() {
                let Some(byte) = self.take_byte(chunk) else { break };
                self.rest.push(byte);
                tag = Tag::parse(&self.rest).map_err(|error| error.moved(start))?;
            }
            tag
        };
        if tag.is_some() {
            self.rest.clear();
        }
        Ok(tag)
    }

    /// Begins the value after a tag.
    fn begin_value(&mut self, tag: &Tag) -> Result<()> {
        if self.in_list && self.list_left == 0 {
            self.in_list = false;
        }
        let length = match tag.wire_type {
            0 => 0,
            1 => 8,
            2 => tag.length,
            5 => 4,
            _ => return Err(Error::new(ErrorKind::WireType, self.at - tag.bytes)),
        };
        if self.in_list {
            // The field ends with the list at the latest.
            let left = self.list_left.checked_sub(tag.bytes as u64).and_then(|left| left.checked_sub(length));
            self.list_left = left.ok_or(Error::new(ErrorKind::Truncated, self.at))?;
        }
        let part = match (self.in_list, tag.number) {
            (false, 1) => Part::Type,
            (false, 2) if tag.wire_type == 2 => {
                (self.in_list, self.list_left, self.has_list) = (true, length, true);
                self.state = State::Tag;
                return Ok(());
            }
            (false, 2..=4) => Part::Encoding,
            (true, 1) => Part::Metadata,
            (true, 2) => Part::Item,
            _ => {
                self.state = State::Skip(length);
                return Ok(());
            }
        };
        if tag.wire_type != 2 {
            return Err(Error::new(ErrorKind::Mismatch, self.at));
        }
        let limit = if part == Part::Item { self.limit } else { self.limit.max(MAX_HEAD_BYTES) };
        match usize::try_from(length) {
            Ok(length) if length <= limit => self.state = State::Value(part, length),
            _ => return Err(Error::new(ErrorKind::TooLong, self.at)),
        }
        Ok(())
    }

    /// Consumes a complete value, which begins at the position.
    fn end_value(
        &mut self,
        part: Part,
        value: &[u8],
        each: &mut dyn FnMut(ListPiece<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let start = self.at;
        self.at += value.len();
        self.state = State::Tag;
        let piece = match part {
            Part::Type => ListPiece::Type(TypeMeta::parse(value).map_err(|error| error.moved(start))?),
            Part::Encoding => return check_encoding(value, start),
            Part::Metadata => ListPiece::Metadata(ListMeta::parse(value).map_err(|error| error.moved(start))?),
            Part::Item => ListPiece::Item(value),
        };
        if each(piece).is_break() { Err(Error::new(ErrorKind::Stopped, self.at)) } else { Ok(()) }
    }
}

impl Tag {
    /// Returns the tag at the start of the bytes, if it is complete.
    fn parse(bytes: &[u8]) -> Result<Option<Self>> {
        let Some((tag, tag_bytes)) = varint(bytes).map_err(|kind| Error::new(kind, 0))? else { return Ok(None) };
        let (number, wire_type) = (tag >> 3, tag & 7);
        if number == 0 {
            return Err(Error::new(ErrorKind::FieldNumber, 0));
        }
        if !matches!(wire_type, 0 | 2) {
            return Ok(Some(Self { number, wire_type, length: 0, bytes: tag_bytes }));
        }
        let length = varint(bytes.get(tag_bytes..).unwrap_or_default()).map_err(|kind| Error::new(kind, tag_bytes))?;
        Ok(length.map(|(length, bytes)| Self { number, wire_type, length, bytes: tag_bytes + bytes }))
    }
}

impl<'c> ListMeta<'c> {
    fn parse(bytes: &'c [u8]) -> Result<Self> {
        let (mut meta, mut reader) = (Self::default(), Reader::whole(bytes));
        while let Some((number, value)) = reader.field()? {
            match (number, value) {
                (2, value) => meta.resource_version = value.text(bytes, reader.at())?,
                (3, value) => meta.continue_token = value.text(bytes, reader.at())?,
                (4, Value::Varint(count)) => meta.remaining_item_count = Some(count.cast_signed()),
                _ => {}
            }
        }
        Ok(meta)
    }
}

#[cfg(test)]
mod tests;
