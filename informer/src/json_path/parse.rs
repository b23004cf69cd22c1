//! JSONPath parser: from the text of a template to its pieces.

mod brackets;
mod filter;
mod literal;

use super::{Piece, Step};
use crate::error::{InformerError, Result};
use crate::syntax_error::syntax_error;

/// Maximum length of a path in bytes. Legitimate paths are shorter.
const MAX_BYTES: usize = 4096;

/// Maximum depth of ranges: evaluation recurses into them.
const MAX_RANGE_DEPTH: usize = 8;

/// Parses a template.
pub(super) fn template(text: &str) -> Result<Vec<Piece>> {
    let mut parser = Parser::new(text)?;
    let mut pieces = Vec::new();
    let mut open: Vec<Range> = Vec::new();
    loop {
        let literal = parser.take_while(|c| c != '{');
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal.to_owned()));
        }
        let start = parser.at;
        if !parser.eat("{") {
            break;
        }
        match parser.action()? {
            Action::Piece(piece) => pieces.push(piece),
            Action::Range(_) if open.len() == MAX_RANGE_DEPTH => {
                return Err(parser.error(start, format_args!("more than {MAX_RANGE_DEPTH} nested ranges")));
            }
            Action::Range(path) => open.push(Range { start, path, before: std::mem::take(&mut pieces) }),
            Action::End => {
                let Some(range) = open.pop() else { return Err(parser.error(start, "{end} without a range")) };
                let body = std::mem::replace(&mut pieces, range.before);
                pieces.push(Piece::Range(range.path, body));
            }
        }
    }
    match open.pop() {
        // kubectl runs the body once more, outside of the range, which is never intended.
        Some(range) => Err(parser.error(range.start, "unclosed range: {end} is missing")),
        None => Ok(pieces),
    }
}

/// Range that is still open.
struct Range {
    start: usize,
    path: Vec<Step>,
    before: Vec<Piece>,
}

/// Parses one path, with or without braces and first dot.
pub(super) fn relaxed(text: &str) -> Result<Vec<Step>> {
    let mut parser = Parser::new(text)?;
    parser.skip_blanks();
    let braced = parser.eat("{");
    parser.skip_blanks();
    let mut steps = Vec::new();
    if !parser.rest().starts_with(['.', '[', '$', '@', '}']) {
        steps.push(parser.field(&[])?);
    }
    parser.steps(&mut steps, false)?;
    let closed = parser.eat("}");
    parser.skip_blanks();
    if braced != closed || !parser.rest().is_empty() {
        return Err(parser.unexpected("expected exactly one path"));
    }
    if steps.is_empty() && !braced {
        return Err(parser.error(0, "expected a path; {@} is the object itself"));
    }
    Ok(steps)
}

enum Action {
    Piece(Piece),
    Range(Vec<Step>),
    End,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

/// Characters that end a name, besides a blank.
const ENDS_NAME: &[char] = &['.', ',', '[', ']', '$', '@', '{', '}', '\t', '\r', '\n', ' '];

/// Further characters that end a name in a filter.
const ENDS_OPERAND: &[char] = &['=', '!', '<', '>', ')'];

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self> {
        if text.len() > MAX_BYTES {
            return Err(syntax_error("JSONPath", text, MAX_BYTES, format_args!("it is longer than {MAX_BYTES} bytes")));
        }
        Ok(Self { text, at: 0 })
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, expected: &str) -> bool {
        let there = self.rest().starts_with(expected);
        if there {
            self.at += expected.len();
        }
        there
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = rest.get(..rest.find(|c| !keep(c)).unwrap_or(rest.len())).unwrap_or(rest);
        self.at += taken.len();
        taken
    }

    fn skip_blanks(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t');
    }

    fn error(&self, at: usize, reason: impl std::fmt::Display) -> InformerError {
        syntax_error("JSONPath", self.text, at, reason)
    }

    fn unexpected(&self, expected: &str) -> InformerError {
        match self.rest().chars().next() {
            Some(found) => self.error(self.at, format_args!("unexpected {found:?}: {expected}")),
            None => self.error(self.at, format_args!("unexpected end: {expected}")),
        }
    }

    /// Parses the content of braces, and the closing brace.
    fn action(&mut self) -> Result<Action> {
        self.skip_blanks();
        let start = self.at;
        let action = match self.rest().chars().next() {
            Some('"' | '\'') => Action::Piece(Piece::Literal(self.quoted()?)),
            Some(c) if c.is_ascii_digit() || c == '-' || c == '+' => {
                Action::Piece(Piece::Literal(self.number()?.to_owned()))
            }
            Some(c) if c.is_alphabetic() || c == '_' => match self.take_while(|c| !ENDS_NAME.contains(&c)) {
                word @ ("true" | "false") => Action::Piece(Piece::Literal(word.to_owned())),
                "end" => Action::End,
                "range" => {
                    let mut path = Vec::new();
                    self.steps(&mut path, false)?;
                    Action::Range(path)
                }
                word => {
                    return Err(
                        self.error(start, format_args!("unknown keyword {word:?}; write a field as \".{word}\""))
                    );
                }
            },
            _ => {
                let mut path = Vec::new();
                self.steps(&mut path, false)?;
                Action::Piece(Piece::Path(path))
            }
        };
        self.skip_blanks();
        if self.eat("}") { Ok(action) } else { Err(self.unexpected("expected \"}\"")) }
    }

    /// Parses steps up to the closing brace, or the end of a filter's operand.
    fn steps(&mut self, steps: &mut Vec<Step>, in_filter: bool) -> Result<()> {
        let ends_name = if in_filter { ENDS_OPERAND } else { &[] };
        loop {
            self.skip_blanks();
            if self.rest().starts_with("[?") {
                if in_filter {
                    return Err(self.unexpected("a filter cannot contain a filter"));
                }
                steps.push(self.filter()?);
            } else if self.rest().starts_with("..") {
                if steps.last() == Some(&Step::Recursive) {
                    return Err(self.unexpected("expected a name after \"..\""));
                }
                self.at += 2;
                steps.push(Step::Recursive);
                if self.rest().starts_with(|c: char| c == '_' || c.is_alphanumeric()) {
                    steps.push(self.field(ends_name)?);
                }
            } else if self.eat("[") {
                self.brackets(steps)?;
            } else if self.eat(".") {
                steps.push(self.field(ends_name)?);
            } else if !self.eat("@") && !self.eat("$") {
                return Ok(());
            }
        }
    }

    /// Parses a name; a backslash escapes the next character.
    fn field(&mut self, ends_name: &[char]) -> Result<Step> {
        let start = self.at;
        let mut name = String::new();
        let mut chars = self.rest().char_indices();
        self.at = loop {
            match chars.next() {
                Some((_, '\\')) => name.extend(chars.next().map(|(_, c)| c)),
                Some((at, c)) if ENDS_NAME.contains(&c) || ends_name.contains(&c) => break start + at,
                Some((_, c)) => name.push(c),
                None => break self.text.len(),
            }
        };
        match self.text.get(start..self.at) {
            Some("*") => Ok(Step::Wildcard),
            Some("") => Err(self.error(start, "expected a name; {@} is the object itself")),
            _ => Ok(Step::Field(name)),
        }
    }
}
