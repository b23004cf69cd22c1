//! Query: the filter language for rows.

mod draft;
mod expression;
mod fold;
mod matching;
mod parse;
mod part;
mod pattern;
mod print;
mod refines;
#[cfg(test)]
mod tests;
mod type_mismatch;

use std::fmt;
use std::str::FromStr;

pub use draft::Draft;
use expression::Comparison;
pub(crate) use expression::{Clause, Colon, Column, Expression, Test};
pub(crate) use fold::contains_folded;
pub(crate) use matching::{column_named, field_holds};
pub(crate) use pattern::Pattern;

/// Parsed row filter.
///
/// All terms must match. Case is ignored.
///
/// | term | matches rows |
/// |---|---|
/// | `web` | whose `namespace/name` or any cell contains it |
/// | `"two words"` | the same, for text with blanks or operators; `\"` is a quote, `\\` a backslash |
/// | `/web-\d+$/` | whose name, `namespace/name` or any cell matches the regular expression |
/// | `status=Running` | whose column equals the value; `status=Running,Pending` one of several; `node=` an empty one. `1024Mi` equals `1Gi`; `"1.10"` and `1/2` are compared as text |
/// | `name=web-*` | the same, where `*` matches any text |
/// | `node!=n1` | whose column differs from the value, or from all of several |
/// | `restarts>3` | whose column is greater; also `>=`, `<`, `<=`. `cpu>=500m`, `memory<1Gi`, `ready<1/2`; texts in natural order |
/// | `age<30m` | that are younger: durations in `s`, `m`, `h`, `d`, `w`, `y`, also combined as in `1h30m`. Works for every column of times, including future ones: `expires<30d` |
/// | `name~^web`, `name!~^web` | whose column matches the regular expression, or does not |
/// | `label=app`, `label=app=web,tier!=db` | whose labels match the selector; `label="app in (web, db)"` if it contains blanks |
/// | `field=spec.nodeName=n1` | whose object has this value at this JSONPath (braces optional), case-sensitive; also with `!=`, `*`, `<`, `~` and the other operators. Without an operator: a value exists |
/// | `a b` | that match both; `a AND b` is the same |
/// | `a OR b`, `a \| b` | that match at least one; AND binds more tightly |
/// | `-a`, `!a`, `NOT a` | that do not match `a` |
/// | `( … )` | grouping |
///
/// Blanks are allowed around an operator: `restarts > 3`. After "=" and "!=" they are allowed only if there is also
/// one before, because `node=` is a complete term. In a view, a word with a colon after a column name,
/// `status:Running`, is rejected with the hint to write `status=Running`; in quotes it is text. A comparison that no
/// value can satisfy is rejected too, such as `restarts>x` for a column of numbers.
///
/// A column's name is its header, in any case, with blanks left out or written as `-` or `_`: `last-schedule`.
/// `namespace`, `name` and `age` always exist. Any part of a value may be quoted; quoted `,` and `*` are literal.
///
/// `label` reads the labels. `field` decompresses the object: for 100,000 objects that is about a second, while
/// everything else takes milliseconds.
///
/// Its printed form parses to the same query, unless added quotes and brackets exceed the limits of length or nesting.
///
/// ```
/// use informer_engine::Query;
///
/// let query: Query = "status!=Running  (web | restarts>3)".parse()?;
/// assert_eq!(query.to_string(), "status!=Running (web OR restarts>3)");
/// let error = "status=Running age<".parse::<Query>().expect_err("an age without a limit");
/// assert_eq!((error.start, error.end), (15, 19));
/// # Ok::<(), informer_engine::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub(crate) expression: Expression,
}

impl Query {
    /// Whether every row matches.
    pub fn is_empty(&self) -> bool {
        matches!(&self.expression, Expression::All(of) if of.is_empty())
    }
}

impl Default for Query {
    /// The query that matches every row.
    fn default() -> Self {
        Self { expression: Expression::All(Vec::new()) }
    }
}

impl FromStr for Query {
    type Err = QueryError;

    /// Parses a query. O(length).
    ///
    /// # Errors
    /// A syntax error, with its position and what to do; also beyond 4,096 bytes and 32 levels of brackets and
    /// negations.
    fn from_str(text: &str) -> Result<Self, QueryError> {
        let part = parse::parse(text, parse::Mode::Whole)?.part;
        // A complete text has no unfinished terms.
        Ok(part.expression().map_or_else(Self::default, |expression| Self { expression }))
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::query(self, f)
    }
}

/// Syntax error of a query, or a query that does not fit these columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// First byte of the invalid part.
    pub start: usize,
    /// One past its last byte; equal to `start` if something is missing.
    pub end: usize,
    /// The error, with what to do.
    pub message: String,
}

impl QueryError {
    pub(crate) fn new(span: std::ops::Range<usize>, message: impl Into<String>) -> Self {
        Self { start: span.start, end: span.end, message: message.into() }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid filter at byte {}: {}", self.start, self.message)
    }
}

impl std::error::Error for QueryError {}
