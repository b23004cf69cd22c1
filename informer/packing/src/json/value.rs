//! A JSON value, read in place.

use std::borrow::Cow;

use super::ends::{end_of_container, end_of_string, end_of_value, skip_blanks};
use super::escapes::{as_text, is_key, unescaped};
use super::member::{Member, find, next_name, tag};
use super::number::decimal;

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
