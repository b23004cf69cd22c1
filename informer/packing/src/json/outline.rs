//! Outline: the positions of the members of an object in its JSON text.

use std::borrow::Cow;

use super::escapes::is_key;
use super::invalid::Invalid;
use super::member::{Member, find, next_name, siblings};
use super::scan::Scan;
use super::value::Json;

/// Result of reading the beginning of a text.
#[derive(Clone, Debug)]
pub enum Outlined<'j> {
    /// A complete value. Bytes after it were not read.
    Complete(Outline<'j>),
    /// The beginning of a value.
    Incomplete,
    /// Not the beginning of any value.
    Invalid(Invalid),
}

/// Reader of outlines that reuses its memory.
///
/// It reads in one pass, which checks all of JSON (RFC 8259): grammar, escapes, UTF-8, and at most 127 nested arrays
/// and objects, which is `serde_json`'s limit too. An escaped half of a surrogate pair may stand alone: that is valid
/// JSON text, though not a valid string.
///
/// ```
/// use informer_packing::{Json, Outlined, Outliner};
///
/// let mut outliner = Outliner::default();
/// let text = br#"{"metadata":{"name":"web"}},{"metadata":"#;
/// let Outlined::Complete(web) = outliner.read(text) else { panic!("it is there") };
/// assert_eq!(web.pointer("/metadata/name").and_then(Json::as_str).as_deref(), Some("web"));
/// assert_eq!(web.len(), 27);
/// assert!(matches!(outliner.read(&text[28..]), Outlined::Incomplete));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Outliner {
    scan: Scan,
}

impl Outliner {
    /// Creates a reader that skips one member of one member of the value, called `parent` and `name`, for callers that
    /// cut it out. If that is an array or object, only its quotes and brackets are read, at ten times the speed.
    pub fn passing_over(parent: &'static str, name: &'static str) -> Self {
        Self { scan: Scan::passing_over(parent, name) }
    }

    /// Reads the value at the beginning of a text, after blanks. O(length of the value).
    pub fn read<'j>(&'j mut self, text: &'j [u8]) -> Outlined<'j> {
        self.scan.reset();
        self.resume(text)
    }

    /// Resumes after the last call found its text incomplete. `text` is that text with the bytes received since. A
    /// value in several chunks is thus read once, except for a string across two chunks.
    pub fn resume<'j>(&'j mut self, text: &'j [u8]) -> Outlined<'j> {
        match self.scan.run(text) {
            Ok(Some((start, end))) => Outlined::Complete(Outline {
                text,
                start,
                end,
                members: Cow::Borrowed(self.scan.members()),
                error: None,
            }),
            Ok(None) => Outlined::Incomplete,
            Err(invalid) => Outlined::Invalid(invalid),
        }
    }
}

/// Object with the positions of its members, and of their members, which are found without scanning the text between
/// them.
#[derive(Clone, Debug)]
pub struct Outline<'j> {
    text: &'j [u8],
    start: usize,
    end: usize,
    members: Cow<'j, [Member]>,
    error: Option<Invalid>,
}

impl<'j> Outline<'j> {
    /// Creates the outline of a value. For invalid JSON it finds what [`Json`] finds, and [`Outline::error`] is set.
    pub fn of(root: Json<'j>) -> Self {
        let mut scan = Scan::default();
        let text = root.bytes();
        let error = match scan.run(text) {
            Ok(Some((_, end))) if end == text.len() => None,
            Ok(Some((_, at))) => Some(Invalid { at, why: "unexpected text after the value" }),
            Ok(None) => Some(Invalid { at: text.len(), why: "the text is truncated" }),
            Err(invalid) => Some(invalid),
        };
        let members = if error.is_none() { scan.into_members() } else { Vec::new() };
        Self { text, start: 0, end: text.len(), members: Cow::Owned(members), error }
    }

    /// Parses a text that is one JSON value, possibly between blanks.
    ///
    /// # Errors
    /// If the text is invalid or incomplete.
    pub fn parse(text: &'j str) -> Result<Self, Invalid> {
        let outline = Self::of(Json::new(text));
        outline.error.map_or(Ok(outline), Err)
    }

    /// Returns the error of invalid JSON. Outlines of an [`Outliner`] are valid.
    pub fn error(&self) -> Option<Invalid> {
        self.error
    }

    /// Returns the whole value.
    pub fn root(&self) -> Json<'j> {
        let text = self.text.get(self.start..self.end).unwrap_or_default();
        // Values outlive an outline that owns its members, so they do not borrow them.
        let members = if let Cow::Borrowed(members) = self.members { members } else { &[] };
        Json::with_members(text, members)
    }

    /// Length of the value in the text, with the blanks before it.
    #[expect(clippy::len_without_is_empty, reason = "no value is empty")]
    pub fn len(&self) -> usize {
        self.end
    }

    /// As [`Json::pointer`], by comparing the names at each level instead of scanning the text.
    pub fn pointer(&self, pointer: &str) -> Option<Json<'j>> {
        let root = self.root();
        if let Cow::Borrowed(_) = self.members {
            return root.pointer(pointer);
        }
        let (mut text, mut members, mut rest) = (root.bytes(), &*self.members, pointer);
        while let Some((name, after)) = next_name(rest).filter(|_| !members.is_empty()) {
            let (index, member) = find(text, members, name)?;
            (text, members) = member.value_in(index, text, members);
            rest = after;
        }
        Json::with_members(text, &[]).pointer(rest)
    }

    /// Appends the text of the value to `to`, without every member `name` of every member `parent`, and without its
    /// comma. Everything else stays unchanged.
    pub fn write_without(&self, parent: &str, name: &str, to: &mut Vec<u8>) {
        let text = self.text.get(self.start..self.end).unwrap_or_default();
        let mut from = 0;
        if text.first() == Some(&b'{') {
            for (index, member) in siblings(&self.members) {
                let (value, inside) = member.value_in(index, text, &self.members);
                if value.first() == Some(&b'{') && is_key(member.key_in(text), parent) {
                    cut(text, member.value.0 as usize, value, inside, name, &mut from, to);
                }
            }
        }
        to.extend_from_slice(text.get(from..).unwrap_or_default());
    }
}

/// Writes the text up to the cut of one object, and moves the position behind it.
fn cut(text: &[u8], start: usize, object: &[u8], members: &[Member], name: &str, from: &mut usize, to: &mut Vec<u8>) {
    let mut skip = |cut: (u32, u32)| {
        to.extend_from_slice(text.get(*from..start + cut.0 as usize).unwrap_or_default());
        *from = start + cut.1 as usize;
    };
    let stays = |(_, member): &(usize, Member)| !is_key(member.key_in(object), name);
    let last_that_stays = siblings(members).filter(stays).last();
    // A cut includes the comma after it, up to the quote of the next key.
    let mut rest = siblings(members).peekable();
    if let Some((last, _)) = last_that_stays {
        while let Some(member) = rest.next_if(|(index, _)| *index <= last) {
            if let Some((_, next)) = rest.peek().filter(|_| !stays(&member)) {
                skip((member.1.key.0 - 1, next.key.0 - 1));
            }
        }
    }
    // The last members have no comma after them; the comma before them is cut, if there is one.
    if let Some((_, gone)) = rest.next() {
        let start = last_that_stays.map_or(gone.key.0 - 1, |(_, member)| member.value.1);
        let end = rest.last().map_or(gone.value.1, |(_, member)| member.value.1);
        skip((start, end));
    }
}

#[cfg(test)]
mod tests;
