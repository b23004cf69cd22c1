//! JSON value, read in place.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memchr;

use crate::block::{BLOCK, plain_bytes};
use crate::number::decimal;

/// The text of one JSON value. Nothing is parsed before it is asked for, and nothing is copied but strings with escapes.
///
/// The text is taken to be valid JSON, as all is that has been read once. Of what is not, anything may be found up to
/// where it breaks, and nothing after; nothing panics.
///
/// Each call costs one look at the text of this value, as far as it must: a chain of `get` looks at what it descends into
/// again. Who asks for much of one object reads an outline of it first.
///
/// ```
/// use informer_packing::Json;
///
/// let pod = Json::new(r#"{"metadata":{"name":"web"},"status":{"phase":"Running","n":2,"ips":["::1"]}}"#);
/// assert_eq!(pod.pointer("/status/phase").and_then(Json::as_str).as_deref(), Some("Running"));
/// assert_eq!(pod.pointer("/status/ips").map_or(0, |ips| ips.items().count()), 1);
/// assert_eq!(pod.pointer("/spec/nodeName"), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Json<'j> {
    text: &'j [u8],
    /// What an outline has noted of what is in it; nothing where it is not part of one, or nothing is in it.
    members: &'j [Member],
}

/// A member of an object or an element of an array, as an outline notes it. Those that are in its value follow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Where its key stands, without the quotes, counted from where the object begins; in an array, nowhere.
    pub(crate) key: (u32, u32),
    /// Where its value stands, counted from there too.
    pub(crate) value: (u32, u32),
    /// One, and how many members are in its value.
    pub(crate) skip: u32,
    /// The [`tag`] of its key; [`ANY`] where that has escapes and may stand for any name.
    pub(crate) tag: u32,
}

/// The tag of a key that has to be looked at.
pub(crate) const ANY: u32 = u32::MAX;

/// What most names are told from each other by: how long one is, its first byte, one in the middle, and its last.
#[inline]
pub(crate) fn tag(name: &[u8]) -> u32 {
    let (Some(first), Some(middle), Some(last)) = (name.first(), name.get(name.len() / 2), name.last()) else {
        return 0;
    };
    // A name of 255 bytes and 0xFF thrice is none.
    u32::from_le_bytes([name.len().to_le_bytes()[0], *first, *middle, *last])
}

impl Member {
    /// Its key, in the text of its object.
    #[inline]
    pub(crate) fn key_in<'j>(&self, object: &'j [u8]) -> &'j [u8] {
        object.get(self.key.0 as usize..self.key.1 as usize).unwrap_or_default()
    }

    /// Whether its key is this name, whose tag this is.
    #[inline]
    fn key_is(&self, object: &[u8], name: &str, tag: u32) -> bool {
        self.tag == tag && self.key_in(object) == name.as_bytes()
            || self.tag == ANY && is_key(self.key_in(object), name)
    }

    /// The text of its value, and what is noted of that, by its place among the members of its object.
    #[inline]
    pub(crate) fn inside<'j, 'm>(self, place: usize, object: &'j [u8], members: &'m [Self]) -> (&'j [u8], &'m [Self]) {
        let text = object.get(self.value.0 as usize..self.value.1 as usize).unwrap_or_default();
        (text, members.get(place + 1..place + self.skip as usize).unwrap_or_default())
    }
}

/// The last of the members of one object that has this name.
pub(crate) fn find(object: &[u8], members: &[Member], name: &str) -> Option<(usize, Member)> {
    if object.first() != Some(&b'{') {
        return None;
    }
    let tag = tag(name.as_bytes());
    let (mut found, mut place) = (None, 0);
    // By reference, and no more than two fields of most: half a microsecond of a pod goes by here.
    while let Some(member) = members.get(place) {
        if member.key_is(object, name, tag) {
            found = Some((place, member));
        }
        place += member.skip.max(1) as usize;
    }
    found.map(|(place, member)| (place, *member))
}

/// The members of one object among those that an outline has noted of it, with their places.
#[inline]
pub(crate) fn siblings(members: &[Member]) -> impl Iterator<Item = (usize, Member)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let member = *members.get(next)?;
        let place = next;
        next += member.skip.max(1) as usize;
        Some((place, member))
    })
}

/// The first name of a pointer, and the pointer after it.
#[inline]
pub(crate) fn next_name(pointer: &str) -> Option<(&str, &str)> {
    let rest = pointer.strip_prefix('/')?;
    Some(rest.split_at(rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len())))
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Json<'_> {}

impl<'j> Json<'j> {
    /// A value by its text, blanks around it allowed.
    pub fn new(text: &'j str) -> Self {
        Self { text: text.trim_ascii().as_bytes(), members: &[] }
    }

    /// A value of which an outline has noted the members. What is not UTF-8 is as if it were not there.
    pub(crate) fn noted(text: &'j [u8], members: &'j [Member]) -> Self {
        Self { text, members }
    }

    pub(crate) fn bytes(self) -> &'j [u8] {
        self.text
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.text.first() == Some(&b'{')
    }

    /// A text that is one object and nothing else, blanks around it allowed.
    ///
    /// Only that strings and brackets close is looked at, once: it tells an answer from one that broke off and from what
    /// is no JSON at all. What stands between them is as with [`Json::new`].
    pub fn object(text: &'j str) -> Option<Self> {
        let json = Self::new(text);
        let is_whole = json.text.first() == Some(&b'{') && end_of_container(json.text, 0) == Some(json.text.len());
        is_whole.then_some(json)
    }

    /// The text, as it is written.
    pub fn text(self) -> &'j str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }

    /// The member of this name, of an object; of several, the last, as everybody reads it.
    pub fn get(self, name: &str) -> Option<Self> {
        if self.members.is_empty() {
            return Members::of(self, b'{').filter(|(key, _)| key.is(name)).last().map(|(_, value)| value);
        }
        let (place, member) = find(self.text, self.members, name)?;
        let (text, members) = member.inside(place, self.text, self.members);
        Some(Self { text, members })
    }

    /// The member of a member, by names that a slash stands before: `/metadata/name`. A name with a slash in it cannot be
    /// asked for so.
    pub fn pointer(self, pointer: &str) -> Option<Self> {
        let (mut value, mut rest) = (self, pointer);
        while let Some((name, after)) = next_name(rest) {
            value = value.get(name)?;
            rest = after;
        }
        Some(value)
    }

    /// The members of these names, of an object: as [`Json::get`] for each of them, in one look.
    pub fn get_all(self, names: &[&str], found: &mut [Option<Self>]) {
        if self.members.is_empty() {
            for (key, value) in Members::of(self, b'{') {
                for (name, found) in names.iter().zip(&mut *found) {
                    if key.is(name) {
                        *found = Some(value);
                    }
                }
            }
        } else if self.is_object() {
            for (names, found) in names.chunks(8).zip(found.chunks_mut(8)) {
                let mut tags = [0; 8];
                for (to, name) in tags.iter_mut().zip(names) {
                    *to = tag(name.as_bytes());
                }
                let mut place = 0;
                while let Some(member) = self.members.get(place) {
                    for (number, name) in names.iter().enumerate() {
                        if member.key_is(self.text, name, tags[number & 7]) {
                            let (text, members) = member.inside(place, self.text, self.members);
                            if let Some(found) = found.get_mut(number) {
                                *found = Some(Self { text, members });
                            }
                        }
                    }
                    place += member.skip.max(1) as usize;
                }
            }
        }
    }

    /// The elements of an array; of anything else, none.
    pub fn items(self) -> impl Iterator<Item = Json<'j>> {
        Members::of(self, b'[').map(|(_, value)| value)
    }

    /// The members of an object or the elements of an array, the latter without keys; of anything else, none. For who wants
    /// to know where a text breaks: [`Members::is_broken`].
    pub fn children(self) -> Members<'j> {
        Members::of(self, if self.is_object() { b'{' } else { b'[' })
    }

    /// The names and values of an object in the order of the text, also those that are there twice; of anything else,
    /// none.
    pub fn members(self) -> impl Iterator<Item = (Cow<'j, str>, Json<'j>)> {
        Members::of(self, b'{').map(|(key, value)| (key.name(), value))
    }

    /// The content of a string. Halves of surrogate pairs become U+FFFD, as in Go.
    pub fn as_str(self) -> Option<Cow<'j, str>> {
        let content = self.text.strip_prefix(b"\"")?;
        Some(unescaped(as_text(content.strip_suffix(b"\"").unwrap_or(content))))
    }

    /// A number: exactly, if it has at most 15 digits and is no further from 1 than 22 powers of ten, as nearly every
    /// number is. Of others the last digits may differ.
    pub fn as_f64(self) -> Option<f64> {
        decimal(self.text())
    }

    /// A whole number that is not negative.
    pub fn as_u64(self) -> Option<u64> {
        self.text().parse().ok()
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.text == b"null"
    }
}

/// A key as it is written: without its quotes, with its escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'j>(&'j [u8]);

impl<'j> Key<'j> {
    /// Whether it stands for this name. O(length of the name).
    pub fn is(self, name: &str) -> bool {
        is_key(self.0, name)
    }

    /// The name that it stands for.
    pub fn name(self) -> Cow<'j, str> {
        unescaped(as_text(self.0))
    }
}

/// The members of an object, or the elements of an array with empty keys, in the order of the text. See
/// [`Json::children`].
#[derive(Clone, Debug)]
pub struct Members<'j> {
    of: Json<'j>,
    /// The byte where the next one is to be found, or the place among those that are noted.
    at: usize,
    keyed: bool,
    broken: bool,
}

/// The place of what is no place any more.
const OVER: usize = usize::MAX;

impl<'j> Members<'j> {
    fn of(of: Json<'j>, bracket: u8) -> Self {
        let is_one = of.text.first() == Some(&bracket);
        let at = match (is_one, of.members.is_empty()) {
            (true, true) => 1,
            (true, false) => 0,
            (false, _) => OVER,
        };
        Self { of, at, keyed: bracket == b'{', broken: false }
    }

    /// Whether they ended because what comes is no JSON.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    #[inline]
    fn next_noted(&mut self) -> Option<(Key<'j>, Json<'j>)> {
        let member = *self.of.members.get(self.at)?;
        let (text, members) = member.inside(self.at, self.of.text, self.of.members);
        self.at += member.skip.max(1) as usize;
        Some((Key(member.key_in(self.of.text)), Json { text, members }))
    }

    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn read(&mut self) -> Option<(Key<'j>, Json<'j>)> {
        let bytes = self.of.text;
        let mut at = self.at;
        let mut key = &[][..];
        if self.keyed {
            let end = end_of_string(bytes, at).filter(|_| bytes.get(at) == Some(&b'"'))?;
            key = bytes.get(at + 1..end - 1)?;
            let colon = skip_blanks(bytes, end);
            if bytes.get(colon) != Some(&b':') {
                return None;
            }
            at = skip_blanks(bytes, colon + 1);
        }
        let end = end_of_value(bytes, at)?;
        let value = bytes.get(at..end)?;
        self.at = skip_blanks(bytes, end);
        match bytes.get(self.at)? {
            b',' => self.at += 1,
            b'}' | b']' => {}
            _ => return None,
        }
        Some((Key(key), Json { text: value, members: &[] }))
    }
}

impl<'j> Iterator for Members<'j> {
    type Item = (Key<'j>, Json<'j>);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.of.members.is_empty() {
            return self.next_noted();
        }
        self.at = skip_blanks(self.of.text, self.at);
        if self.at == OVER || matches!(self.of.text.get(self.at), Some(b'}' | b']')) {
            return None;
        }
        let member = self.read();
        if member.is_none() {
            (self.at, self.broken) = (OVER, true);
        }
        member
    }
}

/// Whether a key, as it is written, is this name.
#[inline]
pub(crate) fn is_key(key: &[u8], name: &str) -> bool {
    // An escape is always longer than what it stands for, so most keys are told by their length alone.
    match key.len().cmp(&name.len()) {
        Ordering::Less => false,
        Ordering::Equal => key == name.as_bytes() && memchr(b'\\', key).is_none(),
        Ordering::Greater => is_escaped_key(key, name),
    }
}

#[inline]
fn is_escaped_key(key: &[u8], name: &str) -> bool {
    // Of what is unlike from the beginning on nothing need be known: an escape begins with a backslash.
    let shared = key.iter().zip(name.as_bytes()).position(|(a, b)| a != b).unwrap_or(name.len());
    key.get(shared) == Some(&b'\\') && unescaped(as_text(key)) == name
}

fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn unescaped(raw: &str) -> Cow<'_, str> {
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
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
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
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
#[inline]
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        if let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let plain = plain_bytes(*block);
            at += plain;
            if plain == BLOCK {
                continue;
            }
        }
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The byte after the object or array that begins here. Which bracket closes which is not checked.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_whole_or_none() {
        for text in ["{}", " {\"a\":\"}\"}\n", "{\"a\":[{}]}"] {
            assert!(Json::object(text).is_some(), "{text}");
        }
        for text in ["", "{", "{\"a\":\"}", "{\"a\":[{}", "{}{}", "{}]", "[]", "<html>", "\"{}\""] {
            assert_eq!(Json::object(text), None, "{text}");
        }
    }

    #[test]
    fn children_end_with_their_bracket_or_say_that_they_broke() {
        for (text, count, is_broken) in [
            ("{}", 0, false),
            (r#" { "a" : 1 , "b":[{}] } "#, 2, false),
            ("[1,\"]\" , {}]", 3, false),
            ("7", 0, false),
            ("", 0, false),
            ("{", 0, true),
            (r#"{"a":1"#, 0, true),
            (r#"{"a":1,"b"}"#, 1, true),
            ("[1,2 3]", 1, true),
        ] {
            let mut children = Json::new(text).children();
            assert_eq!((children.by_ref().count(), children.is_broken()), (count, is_broken), "{text}");
            assert!(children.next().is_none(), "{text}");
        }
    }
}
