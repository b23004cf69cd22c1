//! Expression tree of a query.

use std::ops::Range;

use super::pattern::Pattern;
use crate::value::{duration_ms, number};
use informer::{JsonPath, LabelSelector};

/// Boolean expression of clauses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// All match. An empty list matches every row.
    All(Vec<Expression>),
    /// At least one matches.
    Any(Vec<Expression>),
    /// It does not match.
    Not(Box<Expression>),
    /// A single condition.
    Clause(Clause),
}

/// Condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clause {
    /// The name or a cell contains this text, which is in lower case.
    Text(String),
    /// Same as `Text`, for a text that may be a mistaken test of a column.
    Colon(Colon),
    /// The name or a cell matches this regular expression.
    Pattern(Pattern),
    /// A test of a column.
    Column(Column),
    /// A label selector.
    Label(LabelSelector),
    /// A test of a field of the object; without a test, the field exists.
    Field {
        /// Path of the field.
        path: JsonPath,
        /// Test of its value.
        test: Option<Test>,
    },
}

/// Unquoted text with a colon, such as `status:Running`. If the column exists, it is rejected as a mistake for
/// `status=Running`, because other tools use the colon.
#[derive(Clone, Debug)]
pub(crate) struct Colon {
    /// Whole text, in lower case.
    pub(crate) text: String,
    /// Text before the colon, as typed.
    pub(crate) name: String,
    /// Text after the colon.
    pub(crate) value: String,
    /// Position in the filter. Used for errors only, so it is not compared.
    pub(crate) span: Range<usize>,
}

impl Colon {
    /// Parses a word that begins at `start`; `None` if no text comes before a colon.
    pub(super) fn read(word: &str, start: usize) -> Option<Self> {
        let (name, value) = word.split_once(':').filter(|(name, _)| !name.is_empty())?;
        let (name, value) = (name.to_owned(), value.to_owned());
        Some(Self { text: word.to_lowercase(), name, value, span: start..start + word.len() })
    }
}

impl PartialEq for Colon {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// Test of a column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Name of the column, as typed.
    pub(crate) name: String,
    /// Positions of the name and of the whole clause. Used for errors only, so they are not compared.
    pub(crate) span: (Range<usize>, Range<usize>),
    /// Test of its value.
    pub(crate) test: Test,
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.test == other.test
    }
}

/// Test of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// Equals one of these.
    Is(Vec<Word>),
    /// Equals none of these.
    IsNot(Vec<Word>),
    /// Is less or greater than this limit.
    Compare(Comparison, Limit),
    /// Matches this regular expression.
    Like(Pattern),
    /// Does not match this regular expression.
    Unlike(Pattern),
}

/// Comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Text that a value must equal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Whether `*` matches any text.
    pub(crate) is_wildcard: bool,
    /// Its value as a number or quantity: `1024Mi` is `1Gi`. `None` for quoted text, because version `"1.10"`
    /// differs from `1.1`, and for ratios, because `1/1` differs from `2/2`.
    pub(crate) number: Option<f64>,
}

impl Word {
    pub(crate) fn new(text: String, quoted: bool) -> Self {
        let is_wildcard = !quoted && text.contains('*');
        let number = if quoted || text.contains('/') { None } else { number(&text) };
        Self { text, is_wildcard, number }
    }

    /// Whether it would mean something else without quotes.
    pub(super) fn is_literal(&self) -> bool {
        Self::new(self.text.clone(), false) != *self
    }
}

/// Limit of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    pub(crate) text: String,
    /// Value as a number or a quantity.
    pub(crate) number: Option<f64>,
    /// Value as a duration: `5m` is five minutes for an age, but five thousandths of a core for a quantity.
    pub(crate) duration_ms: Option<f64>,
}

impl Limit {
    pub(crate) fn new(text: String) -> Self {
        Self { number: number(&text), duration_ms: duration_ms(&text), text }
    }
}
