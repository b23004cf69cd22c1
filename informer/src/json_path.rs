//! kubectl's JSONPath, evaluated on JSON text without building a tree.
//!
//! An index over `{.spec.nodeName}` is asked of every object of a list, and a column of every row. So a path is compiled
//! once and then run by a scanner that skips what it does not need and copies nothing: what it finds are slices of the
//! text.
//!
//! The crates for this were looked at: `serde_json_path` and `jsonpath-rust` speak RFC 9535, which is another language
//! (no templates, no `range`, no `\.`, other unions), and work on a parsed `serde_json::Value`, which takes several times
//! as long to build as the text takes to scan; `sonic-rs` reads from text by pointer, but has no JSONPath and lives by
//! SIMD. kubectl's dialect exists in Go only. serde's `RawValue`, borrowed level by level, was measured to be as fast as
//! the scanner here, which also serves wildcards, `..` and filters.

mod evaluate;
#[cfg(any(test, feature = "testing"))]
mod naive;
mod parse;
mod scan;

use std::borrow::Cow;
use std::str::FromStr;

use crate::error::{InformerError, Result};

/// A JSONPath template in kubectl's dialect, compiled.
///
/// | | |
/// |---|---|
/// | `text` | outside of braces: printed as it is |
/// | `{.a.b}` `{['a']}` `{["a"]}` | a field; in quotes too a dot separates, and `\.` is a dot in a name |
/// | `{.a[0]}` `{.a[-1]}` | an element, from either end |
/// | `{.a[1:5:2]}` `{.a[*]}` | some elements, all of them |
/// | `{.a.*}` | all values of an object, all elements of an array |
/// | `{.a[0,2]}` `{.a['b','c.d']}` | one after the other |
/// | `{..a}` | at any depth |
/// | `{.a[?(@.type=="Ready")]}` | the elements for which it is true: `==` `!=` `<` `<=` `>` `>=` |
/// | `{.a[?(@.b)]}` | the elements where something is found |
/// | `{@}` `{$}` | the object itself; within a range or a filter, the element |
/// | `{range .a[*]}…{end}` | once for each |
/// | `{"\n"}` `{5}` | text, escaped as in Go |
///
/// Where kubectl ends with an error because of what it finds, nothing is found here: objects differ, and one that lacks
/// an element must not cost the others their index. That is an index beyond the end (slices are cut to what is there), an
/// index or a filter on what is no array, and a comparison of different types, which is as false as it is of more than
/// one value. Integers and fractions do compare. Of a key that an object has twice, the last counts.
///
/// Stricter than kubectl: a range must have its end, a name must follow a dot, and text and numbers stand alone in their
/// braces. kubectl's results for the others are never intended.
///
/// Two paths are equal when they do the same, whatever their text.
///
/// ```
/// use informer::JsonPath;
///
/// let pod = r#"{"metadata":{"name":"web"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}"#;
/// let ready = JsonPath::parse(r#"{.status.conditions[?(@.type=="Ready")].status}"#)?;
/// assert_eq!(ready.values(pod)?, ["True"]);
/// assert_eq!(JsonPath::parse("{.metadata.name} is {.status.nothing}")?.print(pod)?, "web is ");
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct JsonPath {
    text: String,
    pieces: Vec<Piece>,
}

/// What a template is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Path(Vec<Step>),
    Range(Vec<Step>, Vec<Piece>),
}

/// What leads from some values to others.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Wildcard,
    /// The value and everything in it.
    Recursive,
    /// From the end where it is negative.
    Index(i64),
    Slice(Slice),
    Union(Vec<Vec<Step>>),
    Filter(Operand, Option<(Comparison, Operand)>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    /// At least 1; `None` is 1.
    step: Option<usize>,
}

impl Slice {
    /// Which elements of an array of this length are meant: from, to, and how far apart.
    fn of(self, length: usize) -> (usize, usize, usize) {
        let place = |at: i64| {
            let distance = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
            if at < 0 { length.saturating_sub(distance) } else { length.min(distance) }
        };
        (self.start.map_or(0, place), self.end.map_or(length, place), self.step.unwrap_or(1))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operand {
    Path(Vec<Step>),
    /// A literal, as JSON.
    Literal(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl JsonPath {
    /// Compiles a template, as `kubectl -o jsonpath=…` takes it: paths stand in braces, all else is literal text.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest), saying where and why; also beyond 4,096 bytes and beyond
    /// eight ranges in one another.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Self { text: text.to_owned(), pieces: parse::template(text)? })
    }

    /// Compiles one path, with or without its braces and its first dot: `{.spec.nodeName}`, `.spec.nodeName`,
    /// `spec.nodeName`. kubectl takes it so for custom columns, and custom resources say their printer columns so.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and when it is not one path.
    pub fn relaxed(text: &str) -> Result<Self> {
        Ok(Self { text: text.to_owned(), pieces: vec![Piece::Path(parse::relaxed(text)?)] })
    }

    /// The text that it was compiled from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the paths find, in order: strings without quotes and escapes, numbers and booleans as they are written,
    /// objects and arrays as their JSON. Null finds nothing; literal text is no value.
    ///
    /// Costs one look at the text for each level that the path descends. The JSON is taken to be valid, as all is that
    /// the cache holds: of what is not, anything may be found up to where it breaks.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`](crate::ErrorCode::Decode) where the JSON is seen to be broken,
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) when the path finds a million values or looks at every
    /// byte hundreds of times, as `{..a..a..a}` may.
    pub fn values<'j>(&self, json: &'j str) -> Result<Vec<Cow<'j, str>>> {
        evaluate::values(&self.pieces, json)
    }

    /// The JSON of the first value that the first path finds; null is a value.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn first<'j>(&self, json: &'j str) -> Result<Option<&'j str>> {
        evaluate::first(&self.pieces, json)
    }

    /// The template, filled in, as kubectl prints it: what a path finds is joined by blanks, objects and arrays are
    /// compact with their keys sorted, null is `null`.
    ///
    /// Other than in kubectl, a number is printed as it is written (`1.0`, not `1`), what an object has comes in the order
    /// of the text, and `<`, `>` and `&` in objects are not escaped.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn print(&self, json: &str) -> Result<String> {
        evaluate::print(&self.pieces, json)
    }

    /// What [`values`](Self::values) finds, but found in a tree and without care for time: the model that the tests and
    /// the fuzzers hold it against.
    #[cfg(any(test, feature = "testing"))]
    pub fn values_in_tree(&self, tree: &serde_json::Value) -> Vec<String> {
        naive::values(&self.pieces, tree)
    }
}

impl PartialEq for JsonPath {
    fn eq(&self, other: &Self) -> bool {
        self.pieces == other.pieces
    }
}

impl Eq for JsonPath {}

impl FromStr for JsonPath {
    type Err = InformerError;

    /// As [`parse`](Self::parse).
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}
