//! Expression tree of a query.

use std::ops::Range;

use super::pattern::Pattern;
use crate::value::{duration_ms, number};
use informer::{JsonPath, LabelSelector};

/// Clauses, and how they belong together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// All hold. None at all hold too.
    All(Vec<Expression>),
    /// One holds.
    Any(Vec<Expression>),
    /// It does not hold.
    Not(Box<Expression>),
    /// What is said of a row.
    Clause(Clause),
}

/// What is said of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clause {
    /// Something of it contains this; in small letters.
    Text(String),
    /// The same, of a text that may be meant as a test of a column.
    Colon(Colon),
    /// This finds something of it.
    Pattern(Pattern),
    /// A column of it.
    Column(Column),
    /// Its labels.
    Label(LabelSelector),
    /// A part of the object; that it is there, where nothing else is asked.
    Field {
        /// Which.
        path: JsonPath,
        /// What it must be.
        test: Option<Test>,
    },
}

/// A text with a colon in it and without quotes, `status:Running`: where there is a column of this name it is a mistake
/// for `status=Running`, which others write so.
#[derive(Clone, Debug)]
pub(crate) struct Colon {
    /// All of it, in small letters.
    pub(crate) text: String,
    /// What stands before the colon, as it was written.
    pub(crate) name: String,
    /// What stands behind it.
    pub(crate) value: String,
    /// Where it stands: for errors only, so it is not compared.
    pub(crate) place: Range<usize>,
}

impl Colon {
    /// Reads a word that begins at `start`; `None` if nothing stands before a colon.
    pub(super) fn read(word: &str, start: usize) -> Option<Self> {
        let (name, value) = word.split_once(':').filter(|(name, _)| !name.is_empty())?;
        let (name, value) = (name.to_owned(), value.to_owned());
        Some(Self { text: word.to_lowercase(), name, value, place: start..start + word.len() })
    }
}

impl PartialEq for Colon {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// What is said of a column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its name, as it was written.
    pub(crate) name: String,
    /// Where its name and the whole clause stand: for errors only, so it is not compared.
    pub(crate) place: (Range<usize>, Range<usize>),
    /// What it must be.
    pub(crate) test: Test,
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.test == other.test
    }
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// One of these.
    Is(Vec<Word>),
    /// None of these.
    IsNot(Vec<Word>),
    /// On that side of this.
    Compare(Comparison, Limit),
    /// This finds something in it.
    Like(Pattern),
    /// This finds nothing in it.
    Unlike(Pattern),
}

/// Which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A text that a value is equal to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Whether `*` stands for any text.
    pub(crate) wild: bool,
    /// What it is as a number: `1024Mi` is `1Gi`. None where it stood in quotes, as `"1.10"` is another version than
    /// `1.1`, nor of a part of a whole, as `1/1` is not all that is `2/2`.
    pub(crate) number: Option<f64>,
}

impl Word {
    pub(crate) fn new(text: String, quoted: bool) -> Self {
        let wild = !quoted && text.contains('*');
        let number = if quoted || text.contains('/') { None } else { number(&text) };
        Self { text, wild, number }
    }

    /// Whether it would be another one without quotes.
    pub(super) fn is_literal(&self) -> bool {
        Self::new(self.text.clone(), false) != *self
    }
}

/// What a value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    pub(crate) text: String,
    /// What it is as a number or a quantity.
    pub(crate) number: Option<f64>,
    /// What it is as a duration: `5m` is five minutes of an age and five thousandths of a core.
    pub(crate) duration_ms: Option<f64>,
}

impl Limit {
    pub(crate) fn new(text: String) -> Self {
        Self { number: number(&text), duration_ms: duration_ms(&text), text }
    }
}
