//! kubectl's JSONPath, evaluated on JSON text without building a tree.
//!
//! An index over `{.spec.nodeName}` is evaluated for every object of a list, and a column for every row. A path is
//! therefore compiled once, then run by a scanner that skips other values. It copies nothing: results are
//! slices of the text.
//!
//! Alternatives: `serde_json_path` and `jsonpath-rust` implement RFC 9535, another language (no templates, no `range`,
//! no `\.`, other unions). They work on a parsed `serde_json::Value`, which takes several times as long to build as the
//! text takes to scan. `sonic-rs` reads text by pointer, but has no JSONPath and depends on SIMD. kubectl's dialect
//! exists in Go only. serde's `RawValue`, borrowed level by level, was measured to be as fast as this scanner, which
//! also handles wildcards, `..` and filters.

mod evaluate;
#[cfg(any(test, feature = "testing"))]
mod naive;
mod parse;
mod scan;

use std::borrow::Cow;
use std::str::FromStr;

use crate::error::{InformerError, Result};

/// Compiled JSONPath template in kubectl's dialect.
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
/// Where kubectl fails because of the data, the path finds nothing: an object that lacks an element must not cost other
/// objects their index. This applies to an index beyond the end (slices are cut to the array), an index or a filter on
/// a value that is not an array, and a comparison of different types or of more than one value, which is false.
/// Integers and fractions are comparable. Of a duplicate key, the last value counts.
///
/// Stricter than kubectl: a range must be closed, a name must follow a dot, and text and numbers stand alone in their
/// braces. kubectl's results for other templates are never intended.
///
/// Two paths are equal if they have the same effect, even if their texts differ.
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

/// Piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Path(Vec<Step>),
    Range(Vec<Step>, Vec<Piece>),
}

/// Step of a path: leads from values to other values.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Wildcard,
    /// The value itself and all its descendants.
    Recursive,
    /// Element by index; negative indexes count from the end.
    Index(i64),
    Slice(Slice),
    Union(Vec<Vec<Step>>),
    Filter(Operand, Option<(Comparison, Operand)>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    /// Step width, at least 1; `None` is 1.
    step: Option<usize>,
}

impl Slice {
    /// Resolves the slice for an array of this length: start, end, step.
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
    /// A literal, as JSON text.
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
    /// Compiles a template, as in `kubectl -o jsonpath=…`: paths are in braces, everything else is literal text.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest), with position and reason; also beyond 4,096 bytes and
    /// beyond eight nested ranges.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Self { text: text.to_owned(), pieces: parse::template(text)? })
    }

    /// Compiles one path, with or without its braces and first dot: `{.spec.nodeName}`, `.spec.nodeName`,
    /// `spec.nodeName`. kubectl accepts these forms in custom columns, and custom resources use them in printer
    /// columns.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and if the text is not a single path.
    pub fn relaxed(text: &str) -> Result<Self> {
        Ok(Self { text: text.to_owned(), pieces: vec![Piece::Path(parse::relaxed(text)?)] })
    }

    /// Returns the text that it was compiled from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the values of the paths, in order: strings without quotes and escapes, numbers and booleans unchanged,
    /// objects and arrays as JSON text. Null and literal text are not values.
    ///
    /// Scans the text once for each level of the path. The JSON must be valid, as cached objects are: in invalid JSON,
    /// the values up to the error are arbitrary.
    ///
    /// # Errors
    /// [`ErrorCode::Decode`](crate::ErrorCode::Decode) if the JSON is found to be invalid,
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) if the path finds a million values or scans the text
    /// more than 64 times, as `{..a..a..a}` may.
    pub fn values<'j>(&self, json: &'j str) -> Result<Vec<Cow<'j, str>>> {
        evaluate::values(&self.pieces, json)
    }

    /// Returns the first value of the first path, as JSON text; null is a value.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn first<'j>(&self, json: &'j str) -> Result<Option<&'j str>> {
        evaluate::first(&self.pieces, json)
    }

    /// Prints the template as kubectl does: the values of a path are separated by blanks, objects and arrays are
    /// compact with sorted keys, null is `null`.
    ///
    /// Unlike kubectl, it prints numbers unchanged (`1.0`, not `1`), visits members in the order of the text, and does
    /// not escape `<`, `>` and `&` in objects.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn print(&self, json: &str) -> Result<String> {
        evaluate::print(&self.pieces, json)
    }

    /// Returns the same as [`values`](Self::values), from a tree and without regard to speed: the reference for tests
    /// and fuzzers.
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
