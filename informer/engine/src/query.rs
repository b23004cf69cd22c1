//! The language that rows are filtered by.

mod draft;
mod expression;
mod fold;
mod matching;
mod misfit;
mod narrows;
mod parse;
mod part;
mod pattern;
mod print;
mod push_down;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use draft::Draft;
use expression::Comparison;
pub(crate) use expression::{Clause, Colon, Column, Expression, Test};
pub(crate) use fold::contains_folded;
pub(crate) use matching::{column_named, field_holds};
pub(crate) use pattern::Pattern;
pub use push_down::PushDown;

/// A filter of rows, read.
///
/// Words between blanks must all hold. Letters match in any case.
///
/// | | keeps rows |
/// |---|---|
/// | `web` | whose `namespace/name` or any cell contains it |
/// | `"two words"` | the same with blanks and signs in it; `\"` is a quote, `\\` a backslash |
/// | `/web-\d+$/` | whose name, `namespace/name` or any cell the regular expression finds |
/// | `status=Running` | whose column is that; `status=Running,Pending` one of these; `node=` where it is empty. `1024Mi` is `1Gi`; `"1.10"` and `1/2` are only what is written so |
/// | `name=web-*` | the same, `*` standing for any text |
/// | `node!=n1` | whose column is not that, or none of these |
/// | `restarts>3` | with more than that; also `>=`, `<`, `<=`. `cpu>=500m`, `memory<1Gi`, `ready<1/2`; texts as people order them |
/// | `age<30m` | younger than that: durations in `s`, `m`, `h`, `d`, `w`, `y`, as in `1h30m`. So for each column that is a moment, ahead as well: `expires<30d` |
/// | `name~^web`, `name!~^web` | whose column the regular expression finds, or does not |
/// | `label=app`, `label=app=web,tier!=db` | whose labels the selector selects; `label="app in (web, db)"` if it has blanks |
/// | `field=spec.nodeName=n1` | whose object has that there, letter for letter; with `!=`, `*`, `<`, `~` and the others as above, or none where it is enough that there is something. The path is a JSONPath, its braces may be left out |
/// | `a b` | for which both hold; `a AND b` is the same |
/// | `a OR b`, `a \| b` | for which one holds; "and" goes first |
/// | `-a`, `!a`, `NOT a` | for which it does not hold |
/// | `( … )` | as anywhere |
///
/// Blanks may stand around a sign, `restarts > 3`, and behind "=" and "!=" only if they also stand before it, because `node=`
/// says something by itself. A text with a colon behind the name of a column, `status:Running`, is refused in a view, since
/// `status=Running` is meant; in quotes it is text. So is a test that no value can pass, such as `restarts>x` of numbers.
///
/// A column is called by its header in any case, blanks left out or written as `-` or `_`: `last-schedule`. `namespace`,
/// `name` and `age` are always there. Anything in a value may stand in quotes, and then `,` and `*` are themselves.
///
/// `label` costs a look at the labels. `field` reads the object itself, which is inflated for it: on a hundred thousand
/// objects that is about a second, where everything else is milliseconds.
///
/// It prints as a text that reads as the same query.
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
    /// Whether every row is kept.
    pub fn is_empty(&self) -> bool {
        matches!(&self.expression, Expression::All(of) if of.is_empty())
    }
}

impl Default for Query {
    /// The query that keeps every row.
    fn default() -> Self {
        Self { expression: Expression::All(Vec::new()) }
    }
}

impl FromStr for Query {
    type Err = QueryError;

    /// Reads a query. O(length).
    ///
    /// # Errors
    /// When it cannot be read, saying where and what to do; also beyond 4,096 bytes and 32 levels of brackets and
    /// negations.
    fn from_str(text: &str) -> Result<Self, QueryError> {
        let part = parse::parse(text, parse::Mode::Whole)?.part;
        // Nothing is unfinished where all of it must be complete.
        Ok(part.expression().map_or_else(Self::default, |expression| Self { expression }))
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::query(self, f)
    }
}

/// Why a query cannot be read, or cannot be asked of these columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The first byte of what is wrong.
    pub start: usize,
    /// One past its last byte; the same where something is missing.
    pub end: usize,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl QueryError {
    pub(crate) fn new(place: std::ops::Range<usize>, message: impl Into<String>) -> Self {
        Self { start: place.start, end: place.end, message: message.into() }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the filter is wrong at byte {}: {}", self.start, self.message)
    }
}

impl std::error::Error for QueryError {}
