//! Wire format of protobuf: tags, varints and lengths.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};

/// Bytes that are copied at once.
pub(crate) const BLOCK: usize = 16;

/// Reads the fields of a message one by one.
pub(crate) struct Reader<'b> {
    /// The bytes up to the end of the message. Positions count from their start, which may precede the message.
    bytes: &'b [u8],
    at: usize,
}

/// Value of a field, as the wire has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 2: a string, bytes, a message or a packed list. The range of the bytes.
    Bytes(Range<usize>),
    /// Wire types 1 and 5: no type of Kubernetes.
    Fixed,
}

impl Value {
    /// Whether it is the zero of its type.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Varint(number) => *number == 0,
            Self::Bytes(range) => range.is_empty(),
            Self::Fixed => false,
        }
    }
}

/// Largest field number.
const MAX_NUMBER: u64 = (1 << 29) - 1;

impl<'b> Reader<'b> {
    /// Creates a reader of a part of `bytes`.
    pub(crate) fn new(bytes: &'b [u8], message: Range<usize>) -> Self {
        let at = message.start;
        Self { bytes: bytes.get(..message.end).unwrap_or_default(), at }
    }

    /// Creates a reader of a whole message.
    pub(crate) fn whole(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Position of the next field.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the number and the value of the next field; `None` at the end of the message.
    pub(crate) fn field(&mut self) -> Result<Option<(u32, Value)>> {
        if self.is_at_end() { Ok(None) } else { self.next().map(Some) }
    }

    #[inline]
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the number and the value of the next field, in the one loop that reads most fields.
    #[expect(clippy::inline_always, reason = "a quarter of the time was the return of this result through memory")]
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<(u32, Value)> {
        let start = self.at;
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 || number > MAX_NUMBER {
            return Err(Error::new(ErrorKind::FieldNumber, start));
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.fixed(8)?,
            2 => {
                let length = self.varint()?;
                let start = self.at;
                let left = self.bytes.len() - start;
                let length = usize::try_from(length).ok().filter(|length| *length <= left);
                let Some(length) = length else { return Err(Error::new(ErrorKind::Truncated, start)) };
                self.at = start + length;
                Value::Bytes(start..self.at)
            }
            5 => self.fixed(4)?,
            _ => return Err(Error::new(ErrorKind::WireType, start)),
        };
        Ok((low_32(number).cast_unsigned(), value))
    }

    /// Returns the next varint, also of a packed list.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64> {
        match *self.bytes.get(self.at..).unwrap_or_default() {
            [byte, ..] if byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(byte))
            }
            // Lengths up to 16,383, and numbers of fields from 16 on.
            [low, high, ..] if high < 0x80 => {
                self.at += 2;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64> {
        match varint(self.bytes.get(self.at..).unwrap_or_default()) {
            Ok(Some((number, length))) => {
                self.at += length;
                Ok(number)
            }
            Ok(None) => Err(Error::new(ErrorKind::Truncated, self.bytes.len())),
            Err(kind) => Err(Error::new(kind, self.at)),
        }
    }

    fn fixed(&mut self, length: usize) -> Result<Value> {
        if self.bytes.len() - self.at < length {
            return Err(Error::new(ErrorKind::Truncated, self.bytes.len()));
        }
        self.at += length;
        Ok(Value::Fixed)
    }
}

/// Returns the low half of a varint: Go reads 32 bits of the 64 that the wire has of a negative number.
#[expect(clippy::cast_possible_truncation, reason = "as in Go")]
pub(crate) fn low_32(number: u64) -> i32 {
    (number as u32).cast_signed()
}

/// Returns the varint at the start of the bytes and its length; `None` if it is incomplete.
pub(crate) fn varint(bytes: &[u8]) -> std::result::Result<Option<(u64, usize)>, ErrorKind> {
    let mut number = 0_u64;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        // The tenth byte has one bit.
        if index == 9 && *byte > 1 {
            return Err(ErrorKind::Varint);
        }
        number |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Ok(Some((number, index + 1)));
        }
    }
    Ok(None)
}

impl Value {
    /// Returns the text of a string field of a message, which ends at `at`.
    pub(crate) fn text(self, bytes: &[u8], at: usize) -> Result<&str> {
        let Self::Bytes(range) = self else { return Err(Error::new(ErrorKind::Mismatch, at)) };
        let start = range.start;
        str::from_utf8(bytes.get(range).unwrap_or_default()).map_err(|_| Error::new(ErrorKind::Utf8, start))
    }
}

/// Field with a length, for tests.
#[cfg(test)]
pub(crate) fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(length.to_le_bytes()[0] | 0x80);
        length >>= 7;
    }
    out.push(length.to_le_bytes()[0]);
    out.extend_from_slice(bytes);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Value)>> {
        let (mut reader, mut fields) = (Reader::whole(bytes), Vec::new());
        while let Some(field) = reader.field()? {
            fields.push(field);
        }
        assert_eq!(reader.at(), bytes.len());
        Ok(fields)
    }

    #[test]
    fn the_four_wire_types() {
        let bytes =
            [0x08, 0xac, 0x02, 0x12, 2, b'a', b'b', 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4, 0xda, 0x01, 0];
        let expected = [
            (1, Value::Varint(300)),
            (2, Value::Bytes(5..7)),
            (3, Value::Fixed),
            (4, Value::Fixed),
            (27, Value::Bytes(24..24)),
        ];
        assert_eq!(read(&bytes).expect("fields"), expected);
    }

    #[test]
    fn numbers_have_64_bits() {
        let minus_one = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(read(&minus_one).expect("fields"), [(1, Value::Varint(u64::MAX))]);
        let mut too_large = minus_one;
        too_large[10] = 2;
        assert_eq!(read(&too_large), Err(Error::new(ErrorKind::Varint, 1)));
        too_large[10] = 0x81;
        assert_eq!(read(&too_large), Err(Error::new(ErrorKind::Varint, 1)));
    }

    #[test]
    fn malformed_fields_are_typed_errors() {
        for (bytes, kind, at) in [
            (&[0x00][..], ErrorKind::FieldNumber, 0),
            (&[0x02, 0], ErrorKind::FieldNumber, 0),
            (&[0x80, 0x80, 0x80, 0x80, 0x10, 0], ErrorKind::FieldNumber, 0),
            (&[0x0b], ErrorKind::WireType, 0),
            (&[0x08, 1, 0x0c], ErrorKind::WireType, 2),
            (&[0x0e], ErrorKind::WireType, 0),
            (&[0x0f], ErrorKind::WireType, 0),
            (&[0x08], ErrorKind::Truncated, 1),
            (&[0x08, 0x80], ErrorKind::Truncated, 2),
            (&[0x88], ErrorKind::Truncated, 1),
            (&[0x0a], ErrorKind::Truncated, 1),
            (&[0x0a, 2, 0], ErrorKind::Truncated, 2),
            (&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], ErrorKind::Truncated, 11),
            (&[0x09, 1, 2, 3, 4, 5, 6, 7], ErrorKind::Truncated, 8),
            (&[0x0d, 1, 2, 3], ErrorKind::Truncated, 4),
        ] {
            assert_eq!(read(bytes), Err(Error::new(kind, at)), "{bytes:?}");
        }
    }
}
