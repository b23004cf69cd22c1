//! Parser of queries.
//!
//! ```text
//! any    = all { ( "OR" | "|" ) all }
//! all    = one { [ "AND" ] one }
//! one    = ( "-" | "!" | "NOT" ) one | "(" any ")" | '"' phrase '"' | "/" pattern "/" | word
//! word   = text | name test | "label" ( "=" | "!=" ) selector | "field" "=" path [ test ]
//! test   = ( "=" | "!=" ) [ value { "," value } ] | ( "<" | "<=" | ">" | ">=" ) value | ( "~" | "!~" ) pattern
//! ```
//!
//! Blanks are allowed around the operator of a test. After "=" and "!=" they are allowed only with one before, because
//! `node=` alone is a test.

use std::ops::Range;

use super::expression::{Clause, Colon, Column, Limit, Test, Word};
use super::part::{Part, PartKind};
use super::pattern::Pattern;
use super::{Comparison, QueryError};
use informer::{JsonPath, LabelSelector};

/// Maximum length of a query, in bytes.
const MAX_BYTES: usize = 4096;

/// Maximum depth of nested brackets and negations.
const MAX_DEPTH: u32 = 32;

type Result<T> = std::result::Result<T, QueryError>;

/// Parsing mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The whole text must be complete.
    Whole,
    /// The text is being typed: a term without a value, and an operator at the end, are unfinished.
    Typed,
    /// Same as `Typed`, and open brackets are closed at the end.
    Open,
}

/// Result of parsing.
pub(super) struct Parsed {
    pub(super) part: Part,
    /// Positions of each "AND", which means the same as a blank.
    pub(super) ands: Vec<Range<usize>>,
}

pub(super) fn parse(text: &str, mode: Mode) -> Result<Parsed> {
    if text.len() > MAX_BYTES {
        // Stay on a character boundary.
        let start = (0..=MAX_BYTES).rfind(|at| text.is_char_boundary(*at)).unwrap_or_default();
        return Err(QueryError::new(start..text.len(), "a filter must not be longer than 4,096 bytes"));
    }
    let mut reader = Reader { text, at: 0, depth: 0, mode, ands: Vec::new() };
    let part = reader.any()?;
    match reader.peek() {
        None => Ok(Parsed { part, ands: reader.ands }),
        Some(_) => Err(reader.wrong(reader.at..reader.at + 1, "unmatched \")\"")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
    mode: Mode,
    ands: Vec<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn any(&mut self) -> Result<Part> {
        let mut of = vec![self.all()?];
        loop {
            self.blanks();
            let start = self.at;
            if !(self.take("|") || self.keyword("OR")) {
                break;
            }
            let sign = start..self.at;
            let mut next = self.all()?;
            if next.is_empty() && self.is_typed_to_its_end() {
                next = Part { span: sign, kind: PartKind::Unfinished };
            }
            if of.iter().any(Part::is_empty) || next.is_empty() {
                return Err(self.wrong(start..self.at, "expected an expression on both sides of OR"));
            }
            of.push(next);
        }
        Ok(Part::of_several(of, PartKind::Any))
    }

    /// An empty text is an empty `All`, which matches every row.
    fn all(&mut self) -> Result<Part> {
        let mut of = Vec::new();
        loop {
            self.blanks();
            let start = self.at;
            if self.keyword("AND") {
                let sign = start..self.at;
                self.blanks();
                if !of.is_empty() && self.is_typed_to_its_end() {
                    of.push(Part { span: sign, kind: PartKind::Unfinished });
                    break;
                }
                let last = self.peek().is_none_or(|c| matches!(c, '|' | ')')) || self.is_keyword("OR");
                if of.is_empty() || last {
                    return Err(self.wrong(start..self.at, "expected an expression on both sides of AND"));
                }
                self.ands.push(sign);
            }
            if self.peek().is_none_or(|c| matches!(c, '|' | ')')) || self.is_keyword("OR") {
                break;
            }
            of.push(self.one()?);
        }
        Ok(Part::of_several(of, PartKind::All))
    }

    fn one(&mut self) -> Result<Part> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.wrong(self.at..self.at + 1, "too deeply nested: at most 32 brackets and negations"));
        }
        self.blanks();
        let start = self.at;
        let rest = self.rest();
        let lone = self.mode != Mode::Whole && matches!(rest, "-" | "!");
        let sign = lone || rest.starts_with(['-', '!']) && !rest[1..].starts_with(is_blank) && rest.len() > 1;
        let read = if sign || self.is_keyword("NOT") {
            self.at += if sign { 1 } else { 3 };
            let span = start..self.at;
            self.blanks();
            if self.is_typed_to_its_end() {
                Part { span, kind: PartKind::Unfinished }
            } else if self.peek().is_none_or(|c| matches!(c, '|' | ')')) {
                return Err(self.wrong(start..self.at, "expected an expression after NOT"));
            } else {
                let inner = Box::new(self.one()?);
                Part { span: start..inner.span.end, kind: PartKind::Not(inner) }
            }
        } else if self.take("(") {
            let inner = self.any()?;
            let closed = self.take(")") || self.mode == Mode::Open && self.peek().is_none();
            if !closed {
                return Err(self.wrong(start..start + 1, "unclosed bracket: \")\" is missing"));
            }
            if inner.is_empty() && self.mode != Mode::Open {
                return Err(self.wrong(start..self.at, "empty brackets: expected an expression"));
            }
            Part { span: start..self.at, kind: inner.kind }
        } else {
            self.clause()?
        };
        self.depth -= 1;
        Ok(read)
    }

    fn clause(&mut self) -> Result<Part> {
        let start = self.at;
        let rest = self.rest();
        let part = |of: &Self, clause| Ok(Part { span: start..of.at, kind: PartKind::Clause(clause) });
        if rest.starts_with('/') {
            let pattern = self.pattern()?;
            return part(self, Clause::Pattern(pattern));
        }
        let name = if rest.starts_with('"') {
            let phrase = self.quoted()?;
            if !self.is_before_sign() {
                return part(self, Clause::Text(phrase.to_lowercase()));
            }
            phrase
        } else {
            let word = self.raw(&[]);
            match operator_in(word) {
                None => {
                    self.at += word.len();
                    if !self.is_before_sign() {
                        return part(self, Colon::read(word, start).map_or_else(|| text(word), Clause::Colon));
                    }
                    word.to_owned()
                }
                Some(0) => {
                    let end = self.at + word.len();
                    let message = "expected a column name before this operator, for example status=Running; quote the \
                                   operator to search for it";
                    return Err(self.wrong(self.at..end, message));
                }
                Some(length) => {
                    self.at += length;
                    word[..length].to_owned()
                }
            }
        };
        let named = start..self.at;
        let apart = self.rest().starts_with(is_blank);
        self.blanks();
        let Some(sign) = operator(self.rest()) else {
            return Err(self.wrong(named, "expected an operator after this name"));
        };
        self.at += sign.len();
        let signed = self.at;
        let equals = matches!(sign, "=" | "==" | "!=");
        if apart || !equals {
            self.blanks();
            // A missing term is reported right after the operator.
            if self.is_at_an_end() || self.is_keyword("AND") || self.is_keyword("OR") {
                self.at = signed;
            }
        }
        if self.mode != Mode::Whole && self.is_at_an_end() {
            return Ok(Part { span: start..signed, kind: PartKind::Unfinished });
        }
        let special = name.to_ascii_lowercase();
        let clause = if special == "label" || special == "labels" {
            self.label(sign, named)?
        } else if special == "field" {
            self.field(sign, named)?
        } else {
            let test = self.test(sign, named.start)?;
            Part::clause(Clause::Column(Column { name, span: (named, start..self.at), test }))
        };
        let span = start..self.at;
        Ok(if self.mode == Mode::Whole { clause.at(span) } else { clause.at(span).typed(self.text) })
    }

    /// Whether an operator of a test comes next, possibly after blanks.
    fn is_before_sign(&self) -> bool {
        operator(self.rest().trim_start_matches(is_blank)).is_some()
    }

    /// Whether the current term ends here.
    fn is_at_an_end(&self) -> bool {
        self.peek().is_none_or(|c| is_blank(c) || matches!(c, '|' | ')'))
    }

    /// Whether the rest is still to be typed.
    fn is_typed_to_its_end(&self) -> bool {
        self.mode != Mode::Whole && self.rest().is_empty()
    }

    fn test(&mut self, sign: &str, start: usize) -> Result<Test> {
        let sign_end = self.at;
        match sign {
            "=" | "==" => Ok(Test::Is(self.words()?)),
            "!=" => Ok(Test::IsNot(self.words()?)),
            "~" | "!~" => {
                let pattern = self.pattern()?;
                if self.at == sign_end {
                    return Err(self.wrong(start..self.at, "expected a value after the operator"));
                }
                Ok(if sign == "~" { Test::Like(pattern) } else { Test::Unlike(pattern) })
            }
            _ => {
                let value = self.value(&[])?.0;
                if value.is_empty() {
                    return Err(self.wrong(start..self.at, "expected a value after the operator"));
                }
                Ok(Test::Compare(comparison(sign), Limit::new(value)))
            }
        }
    }

    fn words(&mut self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            let (text, quoted) = self.value(&[','])?;
            words.push(Word::new(text, quoted));
            if !self.take_here(",") {
                return Ok(words);
            }
        }
    }

    fn label(&mut self, sign: &str, named: Range<usize>) -> Result<Part> {
        if !matches!(sign, "=" | "==" | "!=") {
            let message = "write \"=\" after label, for example label=app=web; the selector contains its own operators";
            return Err(self.wrong(named.start..self.at, message));
        }
        let start = self.at;
        let (text, quoted) = self.value(&[])?;
        let selector = match text.parse::<LabelSelector>() {
            Ok(selector) if !text.is_empty() => Ok(selector),
            Ok(_) => Err("expected a label selector, for example label=app=web".to_owned()),
            Err(error) => Err(error.message().to_owned()),
        };
        // A closed quote is complete: `label="app="` selects an empty value.
        if self.mode != Mode::Whole && !quoted && text.ends_with(['=', '!', ',']) {
            return Ok(Part { span: start..self.at, kind: PartKind::Unfinished });
        }
        let clause = selector.map_err(|message| self.wrong(start..self.at, message))?;
        let clause = Part::clause(Clause::Label(clause));
        Ok(if sign == "!=" { Part { span: 0..0, kind: PartKind::Not(Box::new(clause)) } } else { clause })
    }

    fn field(&mut self, sign: &str, named: Range<usize>) -> Result<Part> {
        if sign != "=" {
            let message =
                "write \"=\" after field and the operator after the path, for example field=spec.nodeName!=n1";
            return Err(self.wrong(named.start..self.at, message));
        }
        let start = self.at;
        let text = self.value(&[])?.0;
        let wrong = |message: &str| QueryError::new(start..self.at, message);
        let length = match text.strip_prefix('{').and_then(|_| text.rfind('}')) {
            Some(brace) => brace + 1,
            None => operator_in(&text).unwrap_or(text.len()),
        };
        let (path, tail) = text.split_at(length);
        if path.is_empty() {
            return Err(wrong("expected a path, for example field=spec.nodeName=n1"));
        }
        let path = JsonPath::relaxed(path).map_err(|error| wrong(error.message()))?;
        let wanted = match operator(tail) {
            None if tail.is_empty() => None,
            None => return Err(wrong("expected an operator after the path, for example field=spec.nodeName=n1")),
            Some(sign) => {
                let value = &tail[sign.len()..];
                if self.mode != Mode::Whole && value.is_empty() {
                    return Ok(Part { span: start..self.at, kind: PartKind::Unfinished });
                }
                let word = || vec![Word::new(value.to_owned(), false)];
                let pattern = || Pattern::new(value).map_err(|message| wrong(&message));
                Some(match sign {
                    "=" | "==" => Test::Is(word()),
                    "!=" => Test::IsNot(word()),
                    "~" => Test::Like(pattern()?),
                    "!~" => Test::Unlike(pattern()?),
                    _ if value.is_empty() => return Err(wrong("expected a value after the operator")),
                    _ => Test::Compare(comparison(sign), Limit::new(value.to_owned())),
                })
            }
        };
        Ok(Part::clause(Clause::Field { path, test: wanted }))
    }

    /// Parses a regular expression: between slashes, in quotes, or up to the next blank.
    fn pattern(&mut self) -> Result<Pattern> {
        let start = self.at;
        let text = if self.take_here("/") { self.slashed(start)? } else { self.value(&[])?.0 };
        Pattern::new(&text).map_err(|message| self.wrong(start..self.at, message))
    }

    fn slashed(&mut self, start: usize) -> Result<String> {
        let mut text = String::new();
        let mut letters = self.rest().char_indices();
        while let Some((at, letter)) = letters.next() {
            match (letter, letter == '\\') {
                ('/', _) => {
                    self.at += at + 1;
                    return Ok(text);
                }
                (_, true) => text.extend(std::iter::once('\\').chain(letters.next().map(|(_, escaped)| escaped))),
                _ => text.push(letter),
            }
        }
        Err(self.wrong(start..self.text.len(), "unclosed regular expression: \"/\" is missing"))
    }

    /// Parses a value. Returns also whether it was quoted.
    fn value(&mut self, ends: &[char]) -> Result<(String, bool)> {
        if self.rest().starts_with('"') {
            return Ok((self.quoted()?, true));
        }
        let raw = self.raw(ends).to_owned();
        self.at += raw.len();
        Ok((raw, false))
    }

    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let mut text = String::new();
        let mut letters = self.rest().char_indices().skip(1).peekable();
        while let Some((at, letter)) = letters.next() {
            match (letter, letters.peek()) {
                ('"', _) => {
                    self.at += at + 1;
                    return Ok(text);
                }
                ('\\', Some((_, escaped @ ('"' | '\\')))) => {
                    text.push(*escaped);
                    letters.next();
                }
                _ => text.push(letter),
            }
        }
        Err(self.wrong(start..self.text.len(), "unclosed quote: \" is missing"))
    }

    /// Reads up to the next blank, bracket, bar or quote.
    fn raw(&self, ends: &[char]) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| is_blank(c) || matches!(c, '(' | ')' | '|' | '"') || ends.contains(&c));
        &rest[..end.unwrap_or(rest.len())]
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_blank).len();
    }

    /// Consumes a sign, skipping blanks before it: for brackets and bars.
    fn take(&mut self, sign: &str) -> bool {
        self.blanks();
        self.take_here(sign)
    }

    /// Consumes a sign at the current position, without skipping blanks.
    fn take_here(&mut self, sign: &str) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    fn is_keyword(&self, word: &str) -> bool {
        let after = self.rest().strip_prefix(word);
        after.is_some_and(|after| {
            after.is_empty() || after.starts_with(|c| is_blank(c) || matches!(c, '(' | ')' | '"' | '|'))
        })
    }

    fn keyword(&mut self, word: &str) -> bool {
        let there = self.is_keyword(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn wrong(&self, span: Range<usize>, message: impl Into<String>) -> QueryError {
        let mut end = span.end.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        QueryError::new(span.start.min(end)..end, message)
    }
}

fn text(word: &str) -> Clause {
    Clause::Text(word.to_lowercase())
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

pub(super) fn is_operator(c: char) -> bool {
    matches!(c, '=' | '<' | '>' | '~' | '!')
}

/// Returns the operator that a text begins with.
fn operator(text: &str) -> Option<&'static str> {
    ["==", "!=", "!~", "<=", ">=", "=", "<", ">", "~"].into_iter().find(|sign| text.starts_with(sign))
}

/// Returns the position of the first operator.
fn operator_in(text: &str) -> Option<usize> {
    text.char_indices().filter(|(_, c)| is_operator(*c)).map(|(at, _)| at).find(|at| operator(&text[*at..]).is_some())
}

fn comparison(sign: &str) -> Comparison {
    match sign {
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        _ => Comparison::GreaterOrEqual,
    }
}
