//! Stream splitter: cuts the members of an object, and the elements of one array among them, out of a stream.

use std::ops::ControlFlow;

use memchr::memchr2;

use super::outline::{Outline, Outlined, Outliner};

/// Something whole that came out of the stream.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'c> {
    /// A member of the object: its name and its value.
    Member(&'c str, &'c Outline<'c>),
    /// The array begins whose elements are given one by one.
    Array,
    /// An element of that array.
    Element(&'c Outline<'c>),
}

/// Why a stream can be read no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutError {
    /// It is no JSON object.
    Invalid,
    /// One value is longer than it may be.
    TooLong,
    /// The consumer of the pieces needs no more of them.
    Stopped,
}

/// Cuts a JSON object out of a stream of bytes that are cut anywhere, and holds no more of it than one value.
///
/// A value that is whole in its chunk is read where it stands, in one pass. Of one that is not, the bytes are copied, and
/// the pass goes on with each chunk where it stopped. As that is the beginning of a string, of a long one only the end is
/// looked for until it is whole, however many chunks that takes: so the time is linear.
///
/// ```
/// use std::ops::ControlFlow;
/// use informer_packing::{Cutter, Piece};
///
/// let mut cutter = Cutter::new("items", 1_000);
/// let mut items = Vec::new();
/// for chunk in [r#"{"kind":"Pod"#, r#"List","items":[{"a":[1,"#, r#"2]},{}]}"#] {
///     cutter.push(chunk.as_bytes(), &mut |piece| {
///         if let Piece::Element(item) = piece {
///             items.push(item.root().text().to_owned());
///         }
///         ControlFlow::Continue(())
///     })?;
/// }
/// assert!(cutter.is_complete());
/// assert_eq!(items, [r#"{"a":[1,2]}"#, "{}"]);
/// # Ok::<(), informer_packing::CutError>(())
/// ```
#[derive(Debug)]
pub struct Cutter {
    array: &'static str,
    limit: usize,
    place: Place,
    outliner: Outliner,
    /// What came of a value or a name that began in an earlier chunk; empty between them.
    rest: Vec<u8>,
    /// How far that was looked at, once it is [`LONG`].
    end: Option<FindEnd>,
}

/// Where in the object one is.
#[derive(Debug)]
struct Place {
    expect: Expect,
    /// The name of the member that is being read.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Document,
    /// A name, or the end of the object that has none yet.
    FirstName,
    Name,
    Colon,
    Value,
    /// A comma or the end of the object.
    NextMember,
    /// An element, or the end of the array that has none yet.
    FirstElement,
    Element,
    /// A comma or the end of the array.
    NextElement,
    /// Nothing but blanks.
    End,
}

/// A value that did not end in so many bytes is not read any more before it is whole.
const LONG: usize = if cfg!(test) { 64 } else { 128 << 10 };

/// So much of a chunk is copied first to what came before it, then twice as much, until the value has ended.
const PIECE: usize = if cfg!(test) { 8 } else { 4 << 10 };

/// Buffers that one huge value has made larger than this are given back.
const KEPT: usize = 256 << 10;

impl Cutter {
    /// A cutter for an object whose member `array`, where it is one, is given element by element. No value may be longer
    /// than `limit` bytes.
    pub fn new(array: &'static str, limit: usize) -> Self {
        let place = Place { expect: Expect::Document, name: String::new() };
        Self { array, limit, place, outliner: Outliner::default(), rest: Vec::new(), end: None }
    }

    /// The same, for who cuts something out of each value: see [`Outliner::passing_over`].
    #[must_use]
    pub fn passing_over(self, parent: &'static str, name: &'static str) -> Self {
        Self { outliner: Outliner::passing_over(parent, name), ..self }
    }

    /// Begins with another object.
    pub fn reset(&mut self) {
        self.place.expect = Expect::Document;
        self.rest.clear();
        self.end = None;
    }

    /// Whether the object has ended.
    pub fn is_complete(&self) -> bool {
        self.place.expect == Expect::End
    }

    /// Takes a chunk and gives each piece that it completes, in order, until `each` breaks.
    ///
    /// # Errors
    /// When what came cannot be cut, or `each` broke. Nothing can be pushed after that.
    pub fn push(&mut self, chunk: &[u8], each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>) -> Result<(), CutError> {
        let mut at = 0;
        if !self.rest.is_empty() {
            let Some(end) = self.finish(chunk, each)? else { return Ok(()) };
            at = end;
        }
        loop {
            at = skip_blanks(chunk, at);
            let Some(byte) = chunk.get(at).copied() else { return Ok(()) };
            if let Some(expect) = self.place.after(byte, self.array)? {
                at += 1;
                let array_begins = (self.place.expect, expect) == (Expect::Value, Expect::FirstElement);
                self.place.expect = expect;
                if array_begins && each(Piece::Array).is_break() {
                    return Err(CutError::Stopped);
                }
                continue;
            }
            let value = chunk.get(at..).unwrap_or_default();
            match self.outliner.read(value) {
                Outlined::Complete(value) if value.len() <= self.limit => {
                    at += value.len();
                    self.place.take(&value, each)?;
                }
                Outlined::Complete(_) => return Err(CutError::TooLong),
                Outlined::Incomplete => return self.keep(value),
                Outlined::Invalid(_) => return Err(CutError::Invalid),
            }
        }
    }

    /// Goes on with a value that began in an earlier chunk. The place after it, if it ends in this one.
    fn finish(
        &mut self,
        chunk: &[u8],
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Option<usize>, CutError> {
        let (mut at, mut piece) = (0, PIECE);
        while self.rest.len() < LONG && at < chunk.len() {
            let upto = chunk.len().min(at + piece);
            self.rest.extend_from_slice(chunk.get(at..upto).unwrap_or_default());
            match self.outliner.resume(&self.rest) {
                Outlined::Complete(value) if value.len() <= self.limit => {
                    self.place.take(&value, each)?;
                    let after = self.rest.len() - value.len();
                    self.forget();
                    return Ok(Some(upto - after));
                }
                Outlined::Invalid(_) => return Err(CutError::Invalid),
                _ if self.rest.len() > self.limit => return Err(CutError::TooLong),
                _ => (at, piece) = (upto, 2 * piece),
            }
        }
        let rest = chunk.get(at..).unwrap_or_default();
        if self.rest.len() >= LONG && self.end.is_none() {
            let mut end = FindEnd::default();
            if end.look(&self.rest).is_some() {
                return Err(CutError::Invalid);
            }
            self.end = Some(end);
        }
        let Some(end) = self.end.as_mut().and_then(|end| end.look(rest)) else {
            self.keep(rest)?;
            return Ok(None);
        };
        self.keep(rest.get(..end).unwrap_or_default())?;
        // A number ends where something else begins.
        self.rest.push(b' ');
        match self.outliner.read(&self.rest) {
            Outlined::Complete(value) if value.len() + 1 == self.rest.len() => self.place.take(&value, each)?,
            _ => return Err(CutError::Invalid),
        }
        self.forget();
        Ok(Some(at + end))
    }

    fn forget(&mut self) {
        self.rest.clear();
        self.rest.shrink_to(KEPT);
        self.end = None;
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), CutError> {
        if self.rest.len() + bytes.len() > self.limit {
            return Err(CutError::TooLong);
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }
}

impl Place {
    /// What is expected after a bracket or another mark between values; `None` where a value or a name begins.
    fn after(&self, byte: u8, array: &str) -> Result<Option<Expect>, CutError> {
        Ok(Some(match (self.expect, byte) {
            (Expect::Document, b'{') => Expect::FirstName,
            (Expect::FirstName | Expect::NextMember, b'}') => Expect::End,
            (Expect::Colon, b':') => Expect::Value,
            (Expect::NextMember, b',') => Expect::Name,
            (Expect::FirstElement | Expect::NextElement, b']') => Expect::NextMember,
            (Expect::NextElement, b',') => Expect::Element,
            (Expect::Value, b'[') if self.name == array => Expect::FirstElement,
            // What begins here and is no value is found out by who reads it.
            (Expect::FirstName | Expect::Name, b'"') | (Expect::Value | Expect::FirstElement | Expect::Element, _) => {
                return Ok(None);
            }
            _ => return Err(CutError::Invalid),
        }))
    }

    /// Takes a value, or a name.
    fn take(
        &mut self,
        value: &Outline<'_>,
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<(), CutError> {
        let flow = match self.expect {
            Expect::FirstName | Expect::Name => {
                self.name = value.root().as_str().unwrap_or_default().into_owned();
                self.expect = Expect::Colon;
                return Ok(());
            }
            Expect::Value => {
                self.expect = Expect::NextMember;
                each(Piece::Member(&self.name, value))
            }
            _ => {
                self.expect = Expect::NextElement;
                each(Piece::Element(value))
            }
        };
        if flow.is_break() { Err(CutError::Stopped) } else { Ok(()) }
    }
}

/// Looks for the end of a value, by brackets and quotes alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FindEnd {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl FindEnd {
    /// Goes on through the value; gives the byte after it, if it ends here.
    fn look(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            if self.in_string {
                at = self.end_of_string(bytes, at)?;
                if self.depth == 0 {
                    return Some(at);
                }
            }
            match *bytes.get(at)? {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => self.depth -= 1,
                b'}' | b']' => return Some(at + self.depth),
                b',' | b' ' | b'\n' | b'\t' | b'\r' if self.depth == 0 => return Some(at),
                _ => {}
            }
            at += 1;
        }
    }

    /// The byte after the string that one is in.
    fn end_of_string(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if std::mem::take(&mut self.escaped) {
                if at >= bytes.len() {
                    self.escaped = true;
                    return None;
                }
                at += 1;
            }
            at += memchr2(b'"', b'\\', bytes.get(at..)?)? + 1;
            if bytes.get(at - 1) == Some(&b'"') {
                self.in_string = false;
                return Some(at);
            }
            self.escaped = true;
        }
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What comes out of a text that is cut at these places, and whether it was whole.
    fn pieces(text: &[u8], cuts: &[usize]) -> Result<(Vec<String>, bool), CutError> {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(text.len())).chain([0, text.len()]).collect();
        cuts.sort_unstable();
        let (mut cutter, mut pieces) = (Cutter::new("items", 1_000), Vec::new());
        for pair in cuts.windows(2) {
            cutter.push(&text[pair[0]..pair[1]], &mut |piece| {
                pieces.push(match piece {
                    Piece::Member(name, value) => format!("@{name}={}", value.root().text()),
                    Piece::Array => "[".to_owned(),
                    Piece::Element(value) => value.root().text().to_owned(),
                });
                ControlFlow::Continue(())
            })?;
        }
        Ok((pieces, cutter.is_complete()))
    }

    #[test]
    fn members_and_elements_come_in_order() {
        let text = r#" { "kind" : "a\"}List" ,"n":-1.5e3,"o":{"items":[1]},"\u0069tems" : [ {"a":"[{\\"} , null,3 , [[]] ],"items":null} "#;
        let expected = [
            r#"@kind="a\"}List""#,
            "@n=-1.5e3",
            r#"@o={"items":[1]}"#,
            "[",
            r#"{"a":"[{\\"}"#,
            "null",
            "3",
            "[[]]",
            "@items=null",
        ];
        let (pieces, whole) = pieces(text.as_bytes(), &[]).expect("cut");
        assert_eq!((pieces, whole), (expected.map(str::to_owned).to_vec(), true));
    }

    #[test]
    fn what_is_no_object_is_refused_as_soon_as_it_shows() {
        for text in [
            "<html>",
            "null",
            "[",
            "{1",
            "{\"a\" 1",
            "{\"a\":}",
            "{\"a\":1]",
            "{,",
            "{\"a\":1,}",
            "{}{",
            "{\"items\":[1,]",
        ] {
            assert_eq!(pieces(text.as_bytes(), &[]), Err(CutError::Invalid), "{text}");
        }
        for text in ["", " ", "{", "{\"a", "{\"a\":1", "{\"items\":[1"] {
            assert_eq!(pieces(text.as_bytes(), &[]).map(|(_, whole)| whole), Ok(false), "{text}");
        }
    }

    #[test]
    fn a_value_beyond_the_limit_is_refused_wherever_it_is_cut() {
        let text = format!("{{\"items\":[\"{}\"]}}", "x".repeat(999));
        for cuts in [&[][..], &[500], &[500, 1_011], &[1_012]] {
            assert_eq!(pieces(text.as_bytes(), cuts), Err(CutError::TooLong), "{cuts:?}");
        }
        assert!(pieces(text.replace("xx\"", "\"").as_bytes(), &[500]).is_ok());
    }

    #[test]
    fn a_huge_value_gives_its_memory_back() {
        let mut cutter = Cutter::new("items", 64 << 20);
        let mut length = 0;
        let text = format!("{{\"items\":[\"{}\",1", "x".repeat(10 << 20));
        for chunk in text.as_bytes().chunks(16_384) {
            let mut note = |piece: Piece<'_>| {
                if let Piece::Element(value) = piece {
                    length = length.max(value.root().text().len());
                }
                ControlFlow::Continue(())
            };
            cutter.push(chunk, &mut note).expect("below the limit");
        }
        assert_eq!(length, (10 << 20) + 2);
        assert!(cutter.rest.capacity() <= KEPT, "{}", cutter.rest.capacity());
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let text = "[a-z\"\\\\\\[\\]{}:, ä\n]{0,6}";
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i32>().prop_map(Into::into),
            text.prop_map(Into::into),
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::btree_map("(items|[a-c\"]{0,3})", inner, 0..4)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_pieces_are_the_members(
            members in prop::collection::btree_map("(items|[a-c\"]{0,3})", json(), 0..5),
            pretty in any::<bool>(),
            cuts in prop::collection::vec(0_usize..400, 0..12),
        ) {
            let mut expected = Vec::new();
            let write = |value: &serde_json::Value| {
                if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }.expect("written")
            };
            for (name, value) in &members {
                match value {
                    serde_json::Value::Array(items) if name == "items" => {
                        expected.push("[".to_owned());
                        expected.extend(items.iter().map(ToString::to_string));
                    }
                    value => expected.push(format!("@{name}={value}")),
                }
            }
            let document = serde_json::Value::Object(members.into_iter().collect());
            let text = write(&document);
            let (found, whole) = pieces(text.as_bytes(), &cuts).expect("cut");
            // Without the blanks of the pretty form.
            let compact = |piece: &String| {
                let value = if piece.starts_with('@') { piece.find('=').map_or(0, |at| at + 1) } else { 0 };
                let (name, value) = piece.split_at(value);
                let value: Option<serde_json::Value> = serde_json::from_str(value).ok();
                value.map_or_else(|| piece.clone(), |value| format!("{name}{value}"))
            };
            prop_assert_eq!(found.iter().map(compact).collect::<Vec<_>>(), expected);
            prop_assert!(whole);
        }

        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..60), cuts in prop::collection::vec(0_usize..60, 0..4)) {
            prop_assert_eq!(pieces(&bytes, &cuts).is_ok(), pieces(&bytes, &[]).is_ok());
        }
    }
}
