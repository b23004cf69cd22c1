//! Where the members of an object stand in its text.

use std::borrow::Cow;
use std::fmt;

use crate::json::{Json, is_key};
use crate::scan::Scan;

/// Where a text breaks the grammar of JSON, or the bounds that are set to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The byte that cannot stand there.
    pub at: usize,
    /// What is wrong with it.
    pub why: &'static str,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.why, self.at)
    }
}

impl std::error::Error for Invalid {}

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

/// A member of the object, or of an object in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Where its key stands, without the quotes.
    pub(crate) key: (u32, u32),
    /// Where its value stands.
    pub(crate) value: (u32, u32),
    /// The place in the list of the next member that is not inside of this one.
    pub(crate) next: u32,
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
    /// Reads the value that a text begins with; blanks before it are skipped. O(length of the value).
    pub fn read<'j>(&'j mut self, text: &'j [u8]) -> Outlined<'j> {
        self.scan.reset();
        self.resume(text)
    }

    /// Goes on where the last call found its text incomplete. `text` is that text and what has come since. So a value
    /// that comes in pieces is still read once, but for a string that was cut.
    pub fn resume<'j>(&'j mut self, text: &'j [u8]) -> Outlined<'j> {
        match self.scan.run(text) {
            Ok(Some((start, end))) => {
                Outlined::Complete(Outline { text, start, end, members: Cow::Borrowed(self.scan.members()) })
            }
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
}

impl<'j> Outline<'j> {
    /// The outline of a value. Nothing is found in what is not JSON.
    pub fn of(root: Json<'j>) -> Self {
        let mut scan = Scan::default();
        let text = root.bytes();
        let members = match scan.run(text) {
            Ok(Some(_)) => scan.into_members(),
            _ => Vec::new(),
        };
        Self { text, start: 0, end: text.len(), members: Cow::Owned(members) }
    }

    /// The outline of a text that is one JSON value and nothing else but blanks.
    ///
    /// # Errors
    /// Where it is not, or is cut off.
    pub fn parse(text: &'j str) -> Result<Self, Invalid> {
        let mut scan = Scan::default();
        let bytes = text.as_bytes();
        let Some((start, end)) = scan.run(bytes)? else {
            return Err(Invalid { at: bytes.len(), why: "the text is cut off" });
        };
        let rest = bytes.get(end..).unwrap_or_default();
        match rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            Some(at) => Err(Invalid { at: end + at, why: "something stands after the value" }),
            None => Ok(Self { text: bytes, start, end, members: Cow::Owned(scan.into_members()) }),
        }
    }

    /// The whole value.
    pub fn root(&self) -> Json<'j> {
        Json::of_bytes(self.text.get(self.start..self.end).unwrap_or_default())
    }

    /// How far the value reaches in the text that was read, blanks before it included.
    #[expect(clippy::len_without_is_empty, reason = "no value is empty")]
    pub fn len(&self) -> usize {
        self.end
    }

    /// As [`Json::pointer`]. The first two names cost no look at the text but at the names beside them.
    pub fn pointer(&self, pointer: &str) -> Option<Json<'j>> {
        let mut names = pointer.split('/').skip(1);
        let Some(first) = names.next() else { return Some(self.root()) };
        let (at, member) = self.last_of(first, self.members_in(0, self.members.len()))?;
        let Some(second) = names.next() else { return Some(self.value(member)) };
        let inside = self.members_in(at + 1, member.next as usize);
        let (_, member) = self.last_of(second, inside)?;
        names.try_fold(self.value(member), Json::get)
    }

    /// Puts the text of the value at the end of `to`, without every member called `name` of every member called
    /// `parent`, and without the comma that parted each from the others. All else is as it stands.
    pub fn write_without(&self, parent: &str, name: &str, to: &mut Vec<u8>) {
        let mut from = self.start;
        for (at, member) in self.members_in(0, self.members.len()) {
            if is_key(self.key(member), parent) {
                self.cut(name, at + 1, member.next as usize, &mut from, to);
            }
        }
        to.extend_from_slice(self.text.get(from..self.end).unwrap_or_default());
    }

    /// Writes up to what is cut out of one object, whose members are from one place of the list to another.
    fn cut(&self, name: &str, first: usize, end: usize, from: &mut usize, to: &mut Vec<u8>) {
        let mut skip = |cut: (usize, usize)| {
            to.extend_from_slice(self.text.get(*from..cut.0).unwrap_or_default());
            *from = cut.1;
        };
        let stays = |(_, member): &(usize, Member)| !is_key(self.key(*member), name);
        let last_that_stays = self.members_in(first, end).filter(stays).last();
        // What goes goes with the comma after it, to the quote of the next key.
        let before_that = last_that_stays.map_or(first, |(at, _)| at);
        for (at, member) in self.members_in(first, before_that).filter(|member| !stays(member)) {
            let next = self.members.get(at + 1).map_or(member.value.1, |next| next.key.0 - 1);
            skip((member.key.0 as usize - 1, next as usize));
        }
        // Those at the end have no comma after them; they go with the one before, if there is one.
        let mut rest = self.members_in(last_that_stays.map_or(first, |(at, _)| at + 1), end);
        if let Some((_, gone)) = rest.next() {
            let start = last_that_stays.map_or(gone.key.0 - 1, |(_, member)| member.value.1);
            let end = rest.last().map_or(gone.value.1, |(_, member)| member.value.1);
            skip((start as usize, end as usize));
        }
    }

    fn key(&self, member: Member) -> &'j [u8] {
        self.text.get(member.key.0 as usize..member.key.1 as usize).unwrap_or_default()
    }

    fn value(&self, member: Member) -> Json<'j> {
        Json::of_bytes(self.text.get(member.value.0 as usize..member.value.1 as usize).unwrap_or_default())
    }

    /// The members from one place of the list to another that stand in the same object, with their places.
    fn members_in(&self, first: usize, end: usize) -> impl Iterator<Item = (usize, Member)> {
        let mut at = first;
        std::iter::from_fn(move || {
            let member = *self.members.get(..end)?.get(at)?;
            let place = at;
            at = member.next as usize;
            Some((place, member))
        })
    }

    /// Of several members of one name, the last, as everybody reads it.
    fn last_of(&self, name: &str, members: impl Iterator<Item = (usize, Member)>) -> Option<(usize, Member)> {
        members.filter(|(_, member)| is_key(self.key(*member), name)).last()
    }
}
