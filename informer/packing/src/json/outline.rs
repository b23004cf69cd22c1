//! Outline: where the members of an object begin and end in its JSON text.

use std::borrow::Cow;

use super::escapes::is_key;
use super::invalid::Invalid;
use super::member::{Member, find, next_name, siblings};
use super::scan::Scan;
use super::value::Json;

/// What came of reading a text from its beginning.
#[derive(Clone, Debug)]
pub enum Outlined<'j> {
    /// A whole value stands there. What comes after it was not looked at.
    Complete(Outline<'j>),
    /// So far it is the beginning of a value.
    Incomplete,
    /// No value begins so, whatever comes after.
    Invalid(Invalid),
}

/// Reads outlines, one after the other, and keeps the memory for it.
///
/// Reading is one pass that checks everything there is to JSON (RFC 8259): grammar, escapes, UTF-8, and that no more
/// than 127 arrays and objects stand in each other, which is where `serde_json` stops too. Halves of surrogate pairs may
/// stand alone, as escapes: that is valid text, though no valid string.
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
    /// An outliner for who does not want one member of one member of the value, called `parent` and `name`, and cuts it
    /// out: where that is an array or object, only its quotes and brackets are looked at, at ten times the speed.
    pub fn passing_over(parent: &'static str, name: &'static str) -> Self {
        Self { scan: Scan::passing_over(parent, name) }
    }

    /// Reads the value that a text begins with; blanks before it are skipped. O(length of the value).
    pub fn read<'j>(&'j mut self, text: &'j [u8]) -> Outlined<'j> {
        self.scan.reset();
        self.resume(text)
    }

    /// Goes on where the last call found its text incomplete. `text` is that text and what has come since. So a value
    /// that comes in pieces is still read once, but for a string that was cut.
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

/// An object of which much is asked at once: the members of the object, and of the objects that are its members, are
/// found without a look at the text between them.
#[derive(Clone, Debug)]
pub struct Outline<'j> {
    text: &'j [u8],
    start: usize,
    end: usize,
    members: Cow<'j, [Member]>,
    error: Option<Invalid>,
}

impl<'j> Outline<'j> {
    /// The outline of a value. Of what is not JSON, what can be found is as with [`Json`], and [`Outline::error`] says what
    /// is wrong with it.
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

    /// The outline of a text that is one JSON value and nothing else but blanks.
    ///
    /// # Errors
    /// Where it is not, or is cut off.
    pub fn parse(text: &'j str) -> Result<Self, Invalid> {
        let outline = Self::of(Json::new(text));
        outline.error.map_or(Ok(outline), Err)
    }

    /// Where it is no JSON. What an [`Outliner`] gives is some.
    pub fn error(&self) -> Option<Invalid> {
        self.error
    }

    /// The whole value.
    pub fn root(&self) -> Json<'j> {
        let text = self.text.get(self.start..self.end).unwrap_or_default();
        // What is found in the value lives longer than an outline that has the members for itself.
        let members = if let Cow::Borrowed(members) = self.members { members } else { &[] };
        Json::noted(text, members)
    }

    /// How far the value reaches in the text that was read, blanks before it included.
    #[expect(clippy::len_without_is_empty, reason = "no value is empty")]
    pub fn len(&self) -> usize {
        self.end
    }

    /// As [`Json::pointer`], at the cost of a look at the names beside those asked for, and none at the text between.
    pub fn pointer(&self, pointer: &str) -> Option<Json<'j>> {
        let root = self.root();
        if let Cow::Borrowed(_) = self.members {
            return root.pointer(pointer);
        }
        let (mut text, mut members, mut rest) = (root.bytes(), &*self.members, pointer);
        while let Some((name, after)) = next_name(rest).filter(|_| !members.is_empty()) {
            let (place, member) = find(text, members, name)?;
            (text, members) = member.inside(place, text, members);
            rest = after;
        }
        Json::noted(text, &[]).pointer(rest)
    }

    /// Puts the text of the value at the end of `to`, without every member called `name` of every member called
    /// `parent`, and without the comma that parted each from the others. All else is as it stands.
    pub fn write_without(&self, parent: &str, name: &str, to: &mut Vec<u8>) {
        let text = self.text.get(self.start..self.end).unwrap_or_default();
        let mut from = 0;
        if text.first() == Some(&b'{') {
            for (place, member) in siblings(&self.members) {
                let (value, inside) = member.inside(place, text, &self.members);
                if value.first() == Some(&b'{') && is_key(member.key_in(text), parent) {
                    cut(text, member.value.0 as usize, value, inside, name, &mut from, to);
                }
            }
        }
        to.extend_from_slice(text.get(from..).unwrap_or_default());
    }
}

/// Writes, from one place on, up to what is cut out of one object in a text, and moves the place behind that.
fn cut(text: &[u8], start: usize, object: &[u8], members: &[Member], name: &str, from: &mut usize, to: &mut Vec<u8>) {
    let mut skip = |cut: (u32, u32)| {
        to.extend_from_slice(text.get(*from..start + cut.0 as usize).unwrap_or_default());
        *from = start + cut.1 as usize;
    };
    let stays = |(_, member): &(usize, Member)| !is_key(member.key_in(object), name);
    let last_that_stays = siblings(members).filter(stays).last();
    // What goes goes with the comma after it, to the quote of the next key.
    let mut rest = siblings(members).peekable();
    if let Some((last, _)) = last_that_stays {
        while let Some(member) = rest.next_if(|(place, _)| *place <= last) {
            if let Some((_, next)) = rest.peek().filter(|_| !stays(&member)) {
                skip((member.1.key.0 - 1, next.key.0 - 1));
            }
        }
    }
    // Those at the end have no comma after them; they go with the one before, if there is one.
    if let Some((_, gone)) = rest.next() {
        let start = last_that_stays.map_or(gone.key.0 - 1, |(_, member)| member.value.1);
        let end = rest.last().map_or(gone.value.1, |(_, member)| member.value.1);
        skip((start, end));
    }
}

#[cfg(test)]
mod tests;
