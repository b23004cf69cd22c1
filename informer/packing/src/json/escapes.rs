//! Escapes in strings: decoding, and comparison of keys with names.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memchr;

/// Whether a raw key equals this name.
#[inline]
pub(crate) fn is_key(key: &[u8], name: &str) -> bool {
    // An escape is always longer than its character, so length alone decides for most keys.
    match key.len().cmp(&name.len()) {
        Ordering::Less => false,
        Ordering::Equal => key == name.as_bytes() && memchr(b'\\', key).is_none(),
        Ordering::Greater => is_escaped_key(key, name),
    }
}

#[inline]
fn is_escaped_key(key: &[u8], name: &str) -> bool {
    // The names differ unless the first difference is an escape, which begins with a backslash.
    let shared = key.iter().zip(name.as_bytes()).position(|(a, b)| a != b).unwrap_or(name.len());
    key.get(shared) == Some(&b'\\') && unescaped(as_text(key)) == name
}

pub(super) fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

pub(super) fn unescaped(raw: &str) -> Cow<'_, str> {
    if memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut chars = escape.chars();
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\x08'),
            Some('f') => text.push('\x0c'),
            Some('u') => {
                let (unit, after) = utf16_unit(chars.as_str());
                let low = after.strip_prefix("\\u").map(utf16_unit);
                let pair = low.and_then(|(low, after)| Some((surrogates(unit, low)?, after)));
                let (c, after) = pair.unwrap_or((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), after));
                text.push(c);
                rest = after;
                continue;
            }
            Some(c) => text.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Reads the four digits after `\u`. Returns also the rest.
fn utf16_unit(text: &str) -> (u32, &str) {
    let (digits, rest) = text.split_at_checked(4).unwrap_or((text, ""));
    (u32::from_str_radix(digits, 16).unwrap_or(0xFFFD), rest)
}

fn surrogates(high: u32, low: u32) -> Option<char> {
    let is_pair = (0xD800..0xDC00).contains(&high) && (0xDC00..0xE000).contains(&low);
    is_pair.then(|| char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)))?
}
