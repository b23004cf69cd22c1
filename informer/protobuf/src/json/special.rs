//! Types whose JSON differs from their fields: quantities, ports and percentages, embedded objects, named lists.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::json::{embedded, number, text};
use crate::wire::{Reader, Value, low_32};

/// Returns the last value of field 1, which is bytes.
fn first_field(bytes: &[u8], message: Range<usize>) -> Result<Range<usize>> {
    let (mut found, mut reader) = (0..0, Reader::new(bytes, message));
    while let Some((number, value)) = reader.field()? {
        match (number, value) {
            (1, Value::Bytes(range)) => found = range,
            (1, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
            _ => {}
        }
    }
    Ok(found)
}

/// Writes a `Quantity`: the text of the wire, which is canonical, because Go writes no other.
pub(super) fn quantity(out: &mut Vec<u8>, bytes: &[u8], message: Range<usize>) -> Result<()> {
    let value = first_field(bytes, message)?;
    if value.is_empty() {
        out.extend_from_slice(b"\"0\"");
    } else {
        text::string(out, bytes, value);
    }
    Ok(())
}

/// Writes an `IntOrString`.
pub(super) fn int_or_string(out: &mut Vec<u8>, bytes: &[u8], message: Range<usize>) -> Result<()> {
    let (mut is_text, mut integer, mut string, start) = (0, 0, 0..0, message.start);
    let mut reader = Reader::new(bytes, message);
    while let Some((field, value)) = reader.field()? {
        match (field, value) {
            (1, Value::Varint(value)) => is_text = value,
            (2, Value::Varint(value)) => integer = low_32(value),
            (3, Value::Bytes(range)) => string = range,
            (1..=3, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
            _ => {}
        }
    }
    match is_text {
        0 => number::integer(out, i64::from(integer)),
        1 => text::string(out, bytes, string),
        _ => return Err(Error::new(ErrorKind::IntOrString, start)),
    }
    Ok(())
}

/// Writes a `RawExtension` or `FieldsV1`: the JSON text that it holds.
pub(super) fn json(out: &mut Vec<u8>, bytes: &[u8], message: Range<usize>) -> Result<()> {
    let value = first_field(bytes, message)?;
    let start = value.start;
    if value.is_empty() {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    embedded::write(out, bytes.get(value).unwrap_or_default()).map_err(|error| error.moved(start))
}

/// Writes a named list of strings (`ExtraValue`), whose message has them in field 1. In Go it is never null.
pub(super) fn strings(out: &mut Vec<u8>, bytes: &[u8], message: Range<usize>) -> Result<()> {
    let mut reader = Reader::new(bytes, message);
    out.push(b'[');
    let start = out.len();
    while let Some((number, value)) = reader.field()? {
        match (number, value) {
            (1, Value::Bytes(range)) => {
                if out.len() > start {
                    out.push(b',');
                }
                text::string(out, bytes, range);
            }
            (1, _) => return Err(Error::new(ErrorKind::Mismatch, reader.at())),
            _ => {}
        }
    }
    out.push(b']');
    Ok(())
}
