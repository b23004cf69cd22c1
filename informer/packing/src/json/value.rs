//! JSON value, read in place.

use std::borrow::Cow;

use super::ends::{end_of_container, end_of_string, end_of_value, skip_blanks};
use super::escapes::{as_text, is_key, unescaped};
use super::member::{Member, find, next_name, tag};
use super::number::decimal;

/// Text of one JSON value. It is parsed on access, and only strings with escapes are copied.
///
/// The text should be valid JSON, which it is after any first pass. In an invalid text, results up to the error are
/// arbitrary, and nothing is found after it; no call panics.
///
/// Each call scans the text of this value as far as needed: each `get` of a chain scans again. To read many members of
/// one object, make an outline of it first.
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
    /// Members recorded by an outline; empty without an outline or members.
    members: &'j [Member],
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Json<'_> {}

impl<'j> Json<'j> {
    /// Creates a value from its text, possibly between blanks.
    pub fn new(text: &'j str) -> Self {
        Self { text: text.trim_ascii().as_bytes(), members: &[] }
    }

    /// Creates a value whose members an outline has recorded. Invalid UTF-8 reads as an empty text.
    pub(crate) fn with_members(text: &'j [u8], members: &'j [Member]) -> Self {
        Self { text, members }
    }

    pub(crate) fn bytes(self) -> &'j [u8] {
        self.text
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.text.first() == Some(&b'{')
    }

    /// Creates a value if the text is one object, possibly between blanks.
    ///
    /// Checks in one scan only that strings and brackets are closed, which distinguishes a complete response from a
    /// truncated one or from other text. For the content see [`Json::new`].
    pub fn object(text: &'j str) -> Option<Self> {
        let json = Self::new(text);
        let is_whole = json.text.first() == Some(&b'{') && end_of_container(json.text, 0) == Some(json.text.len());
        is_whole.then_some(json)
    }

    /// Returns the text, unchanged.
    pub fn text(self) -> &'j str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }

    /// Returns the member of an object with this name; of duplicates the last, as usual for JSON parsers.
    pub fn get(self, name: &str) -> Option<Self> {
        if self.members.is_empty() {
            return Members::of(self, b'{').filter(|(key, _)| key.is(name)).last().map(|(_, value)| value);
        }
        let (index, member) = find(self.text, self.members, name)?;
        let (text, members) = member.value_in(index, self.text, self.members);
        Some(Self { text, members })
    }

    /// Returns a nested member by a path of names, each after a slash: `/metadata/name`. Names that contain a slash
    /// cannot be addressed.
    pub fn pointer(self, pointer: &str) -> Option<Self> {
        let (mut value, mut rest) = (self, pointer);
        while let Some((name, after)) = next_name(rest) {
            value = value.get(name)?;
            rest = after;
        }
        Some(value)
    }

    /// Finds the members of an object with these names: as [`Json::get`] for each of them, in one scan.
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
                let mut index = 0;
                while let Some(member) = self.members.get(index) {
                    for (number, name) in names.iter().enumerate() {
                        if member.key_is(self.text, name, tags[number & 7]) {
                            let (text, members) = member.value_in(index, self.text, self.members);
                            if let Some(found) = found.get_mut(number) {
                                *found = Some(Self { text, members });
                            }
                        }
                    }
                    index += member.skip.max(1) as usize;
                }
            }
        }
    }

    /// Iterates over the elements of an array; empty for other values.
    pub fn items(self) -> impl Iterator<Item = Json<'j>> {
        Members::of(self, b'[').map(|(_, value)| value)
    }

    /// Iterates over the members of an object or the elements of an array, the latter without keys; empty for other
    /// values. Reports invalid JSON: [`Members::is_broken`].
    pub fn children(self) -> Members<'j> {
        Members::of(self, if self.is_object() { b'{' } else { b'[' })
    }

    /// Iterates over the names and values of an object in the order of the text, with duplicates; empty for other
    /// values.
    pub fn members(self) -> impl Iterator<Item = (Cow<'j, str>, Json<'j>)> {
        Members::of(self, b'{').map(|(key, value)| (key.name(), value))
    }

    /// Decodes a string. Halves of surrogate pairs become U+FFFD, as in Go.
    pub fn as_str(self) -> Option<Cow<'j, str>> {
        let content = self.text.strip_prefix(b"\"")?;
        Some(unescaped(as_text(content.strip_suffix(b"\"").unwrap_or(content))))
    }

    /// Parses a number: exactly, if it has at most 15 digits and an exponent of at most 22, as nearly every number has.
    /// For others, the last digits may differ.
    pub fn as_f64(self) -> Option<f64> {
        decimal(self.text())
    }

    /// Parses a non-negative integer.
    pub fn as_u64(self) -> Option<u64> {
        self.text().parse().ok()
    }

    /// Parses `true` or `false`.
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

/// Raw key: without its quotes, with its escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'j>(&'j [u8]);

impl<'j> Key<'j> {
    /// Whether it equals this name. O(length of the name).
    pub fn is(self, name: &str) -> bool {
        is_key(self.0, name)
    }

    /// Decodes the name.
    pub fn name(self) -> Cow<'j, str> {
        unescaped(as_text(self.0))
    }
}

/// Iterator over the members of an object, or the elements of an array with empty keys, in the order of the text. See
/// [`Json::children`].
#[derive(Clone, Debug)]
pub struct Members<'j> {
    of: Json<'j>,
    /// Index of the next byte to read, or of the next recorded member.
    at: usize,
    keyed: bool,
    broken: bool,
}

/// Position after the end.
const END: usize = usize::MAX;

impl<'j> Members<'j> {
    fn of(of: Json<'j>, bracket: u8) -> Self {
        let is_one = of.text.first() == Some(&bracket);
        let at = match (is_one, of.members.is_empty()) {
            (true, true) => 1,
            (true, false) => 0,
            (false, _) => END,
        };
        Self { of, at, keyed: bracket == b'{', broken: false }
    }

    /// Whether the iteration ended at invalid JSON.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    #[inline]
    fn next_recorded(&mut self) -> Option<(Key<'j>, Json<'j>)> {
        let member = *self.of.members.get(self.at)?;
        let (text, members) = member.value_in(self.at, self.of.text, self.of.members);
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
            return self.next_recorded();
        }
        self.at = skip_blanks(self.of.text, self.at);
        if self.at == END || matches!(self.of.text.get(self.at), Some(b'}' | b']')) {
            return None;
        }
        let member = self.read();
        if member.is_none() {
            (self.at, self.broken) = (END, true);
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
    fn children_end_with_their_bracket_or_with_an_error() {
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
