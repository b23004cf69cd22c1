//! Wire format of protobuf: tags, varints and lengths.

use std::time::{Duration, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Wire value of one field.
pub(super) enum Item<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Reads the fields of a message one by one.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn field(&mut self) -> Option<(u32, Item<'a>)> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok()?;
        let item = match tag & 7 {
            0 => Item::Number(self.varint()?),
            1 => Item::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Item::Bytes(self.take(length)?)
            }
            5 => Item::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((number, item))
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<(u32, Item<'a>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or_else(|| "unexpected EOF".to_owned()))
    }
}

/// Encodes bytes as in JSON.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Formats a time as in JSON; the zero time is null.
pub(super) fn time(seconds: i64, nanos: i64) -> Value {
    let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else { return Value::Null };
    let moment = UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let moment = moment.filter(|_| seconds > 0 && seconds < 253_402_300_800);
    match (moment, nanos) {
        (None, _) => Value::Null,
        (Some(moment), 0) => json!(humantime::format_rfc3339_seconds(moment).to_string()),
        (Some(moment), nanos) => {
            let moment = moment + Duration::from_nanos(u64::from(nanos));
            json!(humantime::format_rfc3339_micros(moment).to_string())
        }
    }
}
