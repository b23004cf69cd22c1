//! Stream splitter: splits a stream into the members of an object, and into the elements of one array among them.

use std::ops::ControlFlow;

use memchr::memchr2;

use super::outline::{Outline, Outlined, Outliner};

/// Complete piece of the stream.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'c> {
    /// A member of the object: its name and its value.
    Member(&'c str, &'c Outline<'c>),
    /// The beginning of the array whose elements are pieces.
    Array,
    /// An element of that array.
    Element(&'c Outline<'c>),
}

/// Reason why a stream cannot be split further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutError {
    /// Not a JSON object.
    Invalid,
    /// A value exceeds the limit.
    TooLong,
    /// The consumer stopped.
    Stopped,
}

/// Splits a JSON object out of a stream of arbitrary chunks, and buffers no more than one value.
///
/// A value that is complete in its chunk is read in place, in one pass. Otherwise its bytes are copied, and the pass
/// resumes with each chunk. A resumed string is read again, so for a long value only its end is searched until it is
/// complete. The time is therefore linear for all chunk sizes.
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
    position: Position,
    outliner: Outliner,
    /// Beginning of an incomplete value or name, from earlier chunks. Empty between values.
    rest: Vec<u8>,
    /// Progress of the search for its end, once it is [`LONG_VALUE_BYTES`].
    end: Option<FindEnd>,
}

/// Position in the object.
#[derive(Debug)]
struct Position {
    expect: Expect,
    /// Name of the current member.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Document,
    /// A name, or the end of the still empty object.
    FirstName,
    Name,
    Colon,
    Value,
    /// A comma, or the end of the object.
    NextMember,
    /// An element, or the end of the still empty array.
    FirstElement,
    Element,
    /// A comma, or the end of the array.
    NextElement,
    /// Only blanks.
    End,
}

/// Size of an incomplete value, in bytes, from which on it is not parsed again before it is complete.
const LONG_VALUE_BYTES: usize = if cfg!(test) { 64 } else { 128 << 10 };

/// Number of bytes of a chunk that are appended to an incomplete value first; then twice as many, until the value ends.
const FIRST_COPY_BYTES: usize = if cfg!(test) { 8 } else { 4 << 10 };

/// Maximum size of the buffer between values. It is larger after one huge value, and then released.
const MAX_IDLE_BYTES: usize = 256 << 10;

impl Cutter {
    /// Creates a splitter of an object whose member `array`, if it is an array, is returned element by element. Values
    /// may have at most `limit` bytes.
    pub fn new(array: &'static str, limit: usize) -> Self {
        let position = Position { expect: Expect::Document, name: String::new() };
        Self { array, limit, position, outliner: Outliner::default(), rest: Vec::new(), end: None }
    }

    /// Makes values skip one member, for callers that cut it out: see [`Outliner::passing_over`].
    #[must_use]
    pub fn passing_over(self, parent: &'static str, name: &'static str) -> Self {
        Self { outliner: Outliner::passing_over(parent, name), ..self }
    }

    /// Starts with another object.
    pub fn reset(&mut self) {
        self.position.expect = Expect::Document;
        self.rest.clear();
        self.end = None;
    }

    /// Whether the object has ended.
    pub fn is_complete(&self) -> bool {
        self.position.expect == Expect::End
    }

    /// Processes a chunk: calls `each` with each completed piece, in order, until `each` breaks.
    ///
    /// # Errors
    /// If the stream cannot be split, or `each` broke. After that, nothing can be pushed.
    pub fn push(&mut self, chunk: &[u8], each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>) -> Result<(), CutError> {
        let mut at = 0;
        if !self.rest.is_empty() {
            let Some(end) = self.finish(chunk, each)? else { return Ok(()) };
            at = end;
        }
        loop {
            at = skip_blanks(chunk, at);
            let Some(byte) = chunk.get(at).copied() else { return Ok(()) };
            if let Some(expect) = self.position.after(byte, self.array)? {
                at += 1;
                let array_begins = (self.position.expect, expect) == (Expect::Value, Expect::FirstElement);
                self.position.expect = expect;
                if array_begins && each(Piece::Array).is_break() {
                    return Err(CutError::Stopped);
                }
                continue;
            }
            let value = chunk.get(at..).unwrap_or_default();
            match self.outliner.read(value) {
                Outlined::Complete(value) if value.len() <= self.limit => {
                    at += value.len();
                    self.position.take(&value, each)?;
                }
                Outlined::Complete(_) => return Err(CutError::TooLong),
                Outlined::Incomplete => return self.buffer(value),
                Outlined::Invalid(_) => return Err(CutError::Invalid),
            }
        }
    }

    /// Continues a value from an earlier chunk. Returns the position after it, if it ends in this one.
    fn finish(
        &mut self,
        chunk: &[u8],
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Option<usize>, CutError> {
        let (mut at, mut piece) = (0, FIRST_COPY_BYTES);
        while self.rest.len() < LONG_VALUE_BYTES && at < chunk.len() {
            let upto = chunk.len().min(at + piece);
            self.rest.extend_from_slice(chunk.get(at..upto).unwrap_or_default());
            match self.outliner.resume(&self.rest) {
                Outlined::Complete(value) if value.len() <= self.limit => {
                    self.position.take(&value, each)?;
                    let after = self.rest.len() - value.len();
                    self.clear_rest();
                    return Ok(Some(upto - after));
                }
                Outlined::Invalid(_) => return Err(CutError::Invalid),
                _ if self.rest.len() > self.limit => return Err(CutError::TooLong),
                _ => (at, piece) = (upto, 2 * piece),
            }
        }
        let rest = chunk.get(at..).unwrap_or_default();
        if self.rest.len() >= LONG_VALUE_BYTES && self.end.is_none() {
            let mut end = FindEnd::default();
            if end.search(&self.rest).is_some() {
                return Err(CutError::Invalid);
            }
            self.end = Some(end);
        }
        let Some(end) = self.end.as_mut().and_then(|end| end.search(rest)) else {
            self.buffer(rest)?;
            return Ok(None);
        };
        self.buffer(rest.get(..end).unwrap_or_default())?;
        // A number ends at the first other character.
        self.rest.push(b' ');
        match self.outliner.read(&self.rest) {
            Outlined::Complete(value) if value.len() + 1 == self.rest.len() => self.position.take(&value, each)?,
            _ => return Err(CutError::Invalid),
        }
        self.clear_rest();
        Ok(Some(at + end))
    }

    /// Clears the incomplete value.
    fn clear_rest(&mut self) {
        self.rest.clear();
        self.rest.shrink_to(MAX_IDLE_BYTES);
        self.end = None;
    }

    /// Appends bytes to the incomplete value.
    fn buffer(&mut self, bytes: &[u8]) -> Result<(), CutError> {
        if self.rest.len() + bytes.len() > self.limit {
            return Err(CutError::TooLong);
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }
}

impl Position {
    /// Returns the state after a bracket or separator; `None` if a value or name begins here.
    fn after(&self, byte: u8, array: &str) -> Result<Option<Expect>, CutError> {
        Ok(Some(match (self.expect, byte) {
            (Expect::Document, b'{') => Expect::FirstName,
            (Expect::FirstName | Expect::NextMember, b'}') => Expect::End,
            (Expect::Colon, b':') => Expect::Value,
            (Expect::NextMember, b',') => Expect::Name,
            (Expect::FirstElement | Expect::NextElement, b']') => Expect::NextMember,
            (Expect::NextElement, b',') => Expect::Element,
            (Expect::Value, b'[') if self.name == array => Expect::FirstElement,
            // Its reader detects an invalid value.
            (Expect::FirstName | Expect::Name, b'"') | (Expect::Value | Expect::FirstElement | Expect::Element, _) => {
                return Ok(None);
            }
            _ => return Err(CutError::Invalid),
        }))
    }

    /// Consumes a value or a name.
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

/// Search for the end of a value, by brackets and quotes alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FindEnd {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl FindEnd {
    /// Continues through the value; returns the byte after it, if it ends here.
    fn search(&mut self, bytes: &[u8]) -> Option<usize> {
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

    /// Returns the byte after the current string.
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

    /// Pieces of a text that is split into chunks at these positions, and whether it was complete.
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
    fn a_text_that_is_no_object_is_rejected_at_once() {
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
    fn a_value_beyond_the_limit_is_rejected_at_any_split() {
        let text = format!("{{\"items\":[\"{}\"]}}", "x".repeat(999));
        for cuts in [&[][..], &[500], &[500, 1_011], &[1_012]] {
            assert_eq!(pieces(text.as_bytes(), cuts), Err(CutError::TooLong), "{cuts:?}");
        }
        assert!(pieces(text.replace("xx\"", "\"").as_bytes(), &[500]).is_ok());
    }

    #[test]
    fn the_memory_of_a_huge_value_is_released() {
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
        assert!(cutter.rest.capacity() <= MAX_IDLE_BYTES, "{}", cutter.rest.capacity());
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
        fn any_split_produces_the_same_members(
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
            // Without the blanks of the pretty-printed form.
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
