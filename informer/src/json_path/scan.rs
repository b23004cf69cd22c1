//! Walks JSON text and skips what is not asked for. No recursion, no copies.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::{ErrorCode, InformerError, Result};

fn broken() -> InformerError {
    InformerError::new(ErrorCode::Decode, "what the JSONPath is asked of is not JSON")
}

/// The members of an object, the elements of an array; of anything else, nothing. In the order of the text.
pub(super) struct Children<'j> {
    text: &'j str,
    at: usize,
    keyed: bool,
}

/// One child. The key is as it is written, without its quotes; empty in arrays.
type Child<'j> = (&'j str, &'j str);

impl<'j> Children<'j> {
    pub(super) fn of_object(value: &'j str) -> Option<Self> {
        value.starts_with('{').then_some(Self { text: value, at: 1, keyed: true })
    }

    pub(super) fn of_array(value: &'j str) -> Option<Self> {
        value.starts_with('[').then_some(Self { text: value, at: 1, keyed: false })
    }

    fn read(&mut self) -> Option<Child<'j>> {
        let bytes = self.text.as_bytes();
        let mut key = "";
        if self.keyed {
            let end = end_of_string(bytes, self.at).filter(|_| bytes.get(self.at) == Some(&b'"'))?;
            key = self.text.get(self.at + 1..end - 1)?;
            let colon = skip_blanks(bytes, end);
            if bytes.get(colon) != Some(&b':') {
                return None;
            }
            self.at = skip_blanks(bytes, colon + 1);
        }
        let end = end_of_value(bytes, self.at)?;
        let value = self.text.get(self.at..end)?;
        self.at = skip_blanks(bytes, end);
        match bytes.get(self.at)? {
            b',' => self.at += 1,
            b'}' | b']' => {}
            _ => return None,
        }
        Some((key, value))
    }
}

impl<'j> Iterator for Children<'j> {
    type Item = Result<Child<'j>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.at = skip_blanks(self.text.as_bytes(), self.at);
        if matches!(self.text.as_bytes().get(self.at), Some(b'}' | b']')) {
            return None;
        }
        let child = self.read().ok_or_else(broken);
        if child.is_err() {
            // Nothing can be told of what comes after.
            *self = Self { text: "]", at: 0, keyed: false };
        }
        Some(child)
    }
}

/// The member of an object with this key; of several, the last.
pub(super) fn field<'j>(value: &'j str, name: &str) -> Result<Option<&'j str>> {
    let mut found = None;
    for child in Children::of_object(value).into_iter().flatten() {
        let (key, value) = child?;
        if is_key(key, name) {
            found = Some(value);
        }
    }
    Ok(found)
}

/// Puts the values of an object or the elements of an array at the end of `to`. Of a key that is there twice, the last.
pub(super) fn push_children<'j>(value: &'j str, to: &mut Vec<&'j str>) -> Result<()> {
    if let Some(elements) = Children::of_array(value) {
        for element in elements {
            to.push(element?.1);
        }
    }
    let Some(members) = Children::of_object(value) else { return Ok(()) };
    let start = to.len();
    let mut seen = HashSet::new();
    for (key, value) in members.collect::<Result<Vec<_>>>()?.into_iter().rev() {
        if seen.insert(unescaped(key)) {
            to.push(value);
        }
    }
    to.get_mut(start..).unwrap_or_default().reverse();
    Ok(())
}

fn is_key(key: &str, name: &str) -> bool {
    // An escape is always longer than what it stands for.
    if key.len() <= name.len() {
        key == name && !name.contains('\\')
    } else {
        key.contains('\\') && unescaped(key) == name
    }
}

/// The content of a JSON string. Halves of surrogate pairs become U+FFFD, as in Go.
pub(super) fn unescaped(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
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

/// The four digits after `\u`, and what is after them.
fn utf16_unit(text: &str) -> (u32, &str) {
    let (digits, rest) = text.split_at_checked(4).unwrap_or((text, ""));
    (u32::from_str_radix(digits, 16).unwrap_or(0xFFFD), rest)
}

fn surrogates(high: u32, low: u32) -> Option<char> {
    let is_pair = (0xD800..0xDC00).contains(&high) && (0xDC00..0xE000).contains(&low);
    is_pair.then(|| char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)))?
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

/// The byte after the value that begins here.
fn end_of_value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => end_of_string(bytes, at),
        b'{' | b'[' => end_of_container(bytes, at),
        _ => {
            let is_end = |b: &u8| matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r');
            let length = bytes.get(at..)?.iter().position(is_end)?;
            (length > 0).then_some(at + length)
        }
    }
}

/// The byte after the string whose quote is here.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The byte after the object or array that begins here. Which bracket closes which is not checked.
fn end_of_container(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = end_of_string(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}
