//! Encoder: the protobuf of an object, from its JSON text, as Go writes it. For test servers (the feature `encode`).

mod message;
mod value;

use crate::error::Result;
use crate::list::ListMeta;
use crate::schema::{MessageId, Schema};
use crate::unknown::{MAGIC, TypeMeta};

/// Appends the protobuf message of an object, from its JSON text.
///
/// It has each field that Go writes, in the order of the numbers: values that are not pointers even when they are zero. Members that
/// the schema does not have are ignored, also `kind` and `apiVersion`. Quantities are copied: those of an apiserver are
/// canonical already.
///
/// # Errors
/// [`crate::ErrorKind::Json`] with the position of a value that has another type than its field, or of invalid JSON. Nothing is
/// appended then.
pub fn encode(schema: &Schema, message: MessageId, json: &str, out: &mut Vec<u8>) -> Result<()> {
    let before = out.len();
    let encoded = message::encode(schema, message, json, out);
    if encoded.is_err() {
        out.truncate(before);
    }
    encoded
}

/// Appends an object in its envelope: the body of a response, and the object of a watch event.
pub fn encode_unknown(type_meta: TypeMeta<'_>, raw: &[u8], out: &mut Vec<u8>) {
    envelope_head(type_meta, raw.len(), out);
    out.extend_from_slice(raw);
    out.extend_from_slice(LIST_TAIL);
}

/// Bytes after the last item of a list: the rest of its envelope.
pub const LIST_TAIL: &[u8] = b"\x1a\0\x22\0";

/// Appends the beginning of a list, up to its items. These have `item_bytes` in all, each with its head
/// ([`encode_list_item`]): the length precedes them. After them comes [`LIST_TAIL`].
pub fn encode_list_head(type_meta: TypeMeta<'_>, meta: &ListMeta<'_>, item_bytes: usize, out: &mut Vec<u8>) {
    let mut metadata = Vec::new();
    bytes_field(1, b"", &mut metadata);
    bytes_field(2, meta.resource_version.as_bytes(), &mut metadata);
    bytes_field(3, meta.continue_token.as_bytes(), &mut metadata);
    if let Some(count) = meta.remaining_item_count {
        varint(4 << 3, &mut metadata);
        varint(count.cast_unsigned(), &mut metadata);
    }
    let mut field = Vec::new();
    bytes_field(1, &metadata, &mut field);
    envelope_head(type_meta, field.len() + item_bytes, out);
    out.extend_from_slice(&field);
}

/// Appends an item of a list, from its message.
pub fn encode_list_item(message: &[u8], out: &mut Vec<u8>) {
    bytes_field(2, message, out);
}

/// Number of bytes that [`encode_list_item`] appends for a message of this length.
pub fn list_item_bytes(message_bytes: usize) -> usize {
    let bits = usize::BITS - (message_bytes | 1).leading_zeros();
    1 + bits.div_ceil(7) as usize + message_bytes
}

/// Appends the frame of a watch event, with its length, from the object in its envelope.
pub fn encode_watch_event(event_type: &str, object: &[u8], out: &mut Vec<u8>) {
    let (mut extension, mut event) = (Vec::new(), Vec::new());
    bytes_field(1, object, &mut extension);
    bytes_field(1, event_type.as_bytes(), &mut event);
    bytes_field(2, &extension, &mut event);
    out.extend_from_slice(&u32::try_from(event.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(&event);
}

fn envelope_head(type_meta: TypeMeta<'_>, raw_bytes: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    let mut head = Vec::new();
    bytes_field(1, type_meta.api_version.as_bytes(), &mut head);
    bytes_field(2, type_meta.kind.as_bytes(), &mut head);
    bytes_field(1, &head, out);
    varint(2 << 3 | 2, out);
    varint(raw_bytes as u64, out);
}

/// Appends a field with a length.
fn bytes_field(number: u8, bytes: &[u8], out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | 2, out);
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests;
