//! Text form of label selectors.
//!
//! ```text
//! selector    = [ requirement { "," requirement } ]
//! requirement = "!" key | key [ ( "=" | "==" | "!=" | ">" | "<" ) [ word ] | ( "in" | "notin" ) "(" values ")" ]
//! values      = [ word ] { "," [ word ] }
//! ```
//!
//! A word is the text between blanks and the signs `=!(),<>`. `in` and `notin` are words too at places where no
//! operator is allowed, so labels may have these names.

use super::requirement::{Operator, Requirement, violation};
use crate::error::{InformerError, Result};
use crate::syntax_error::syntax_error;

/// Parses requirements, in the order of the text.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>> {
    let mut tokens = Tokens { text, next: 0 };
    let mut requirements = Vec::new();
    if tokens.peek().0 == Token::End {
        return Ok(requirements);
    }
    loop {
        requirements.push(requirement(&mut tokens)?);
        match tokens.take() {
            (Token::End, _) => return Ok(requirements),
            (Token::Sign(","), _) => {}
            found => return Err(tokens.expected("a comma or the end", found)),
        }
    }
}

fn requirement(tokens: &mut Tokens<'_>) -> Result<Requirement> {
    let (_, start) = tokens.peek();
    let absent = tokens.take_if(Token::Sign("!"));
    let key = match tokens.take() {
        (Token::Word(key), _) => key,
        found if absent => return Err(tokens.expected("a key after \"!\"", found)),
        found => return Err(tokens.expected("a key or \"!\"", found)),
    };
    let (operator, values) = match tokens.peek().0 {
        _ if absent => (Operator::DoesNotExist, Vec::new()),
        Token::End | Token::Sign(",") => (Operator::Exists, Vec::new()),
        _ => comparison(tokens)?,
    };
    match violation(key, operator, &values) {
        Some(reason) => Err(tokens.error(start, reason)),
        None => Requirement::new(key, operator, values),
    }
}

fn comparison(tokens: &mut Tokens<'_>) -> Result<(Operator, Vec<String>)> {
    let operator = match tokens.take() {
        (Token::Sign("=" | "=="), _) => Operator::Equals,
        (Token::Sign("!="), _) => Operator::NotEquals,
        (Token::Sign(">"), _) => Operator::GreaterThan,
        (Token::Sign("<"), _) => Operator::LessThan,
        (Token::Word("in"), _) => Operator::In,
        (Token::Word("notin"), _) => Operator::NotIn,
        found => return Err(tokens.expected("one of = == != > < in notin", found)),
    };
    if !matches!(operator, Operator::In | Operator::NotIn) {
        return match tokens.peek() {
            (Token::End | Token::Sign(","), _) => Ok((operator, vec![String::new()])),
            (Token::Word(_), _) => Ok((operator, vec![tokens.word()])),
            found => Err(tokens.expected("a value", found)),
        };
    }
    match tokens.take() {
        (Token::Sign("("), _) => {}
        found => return Err(tokens.expected("\"(\"", found)),
    }
    // A missing word is the empty value: `()`, `(,a)`.
    let mut values = vec![tokens.word()];
    loop {
        match tokens.take() {
            (Token::Sign(","), _) => values.push(tokens.word()),
            (Token::Sign(")"), _) => return Ok((operator, values)),
            found => return Err(tokens.expected("\",\" or \")\"", found)),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Sign(&'t str),
    End,
}

/// A token, and the index of its first byte.
type Found<'t> = (Token<'t>, usize);

struct Tokens<'t> {
    text: &'t str,
    next: usize,
}

impl<'t> Tokens<'t> {
    fn peek(&self) -> Found<'t> {
        let is_blank = |c| matches!(c, ' ' | '\t' | '\r' | '\n');
        let is_sign = |c| matches!(c, '=' | '!' | '(' | ')' | ',' | '<' | '>');
        let rest = self.text.get(self.next..).unwrap_or_default();
        let word = rest.trim_start_matches(is_blank);
        let at = self.text.len() - word.len();
        let token = if word.is_empty() {
            Token::End
        } else if word.starts_with(is_sign) {
            let length = if word.starts_with("==") || word.starts_with("!=") { 2 } else { 1 };
            Token::Sign(word.get(..length).unwrap_or(word))
        } else {
            let length = word.find(|c| is_blank(c) || is_sign(c)).unwrap_or(word.len());
            Token::Word(word.get(..length).unwrap_or(word))
        };
        (token, at)
    }

    fn take(&mut self) -> Found<'t> {
        let (token, at) = self.peek();
        self.next = at
            + match token {
                Token::Word(text) | Token::Sign(text) => text.len(),
                Token::End => 0,
            };
        (token, at)
    }

    fn take_if(&mut self, token: Token<'_>) -> bool {
        let there = self.peek().0 == token;
        if there {
            self.take();
        }
        there
    }

    /// Returns the next token if it is a word, otherwise the empty word.
    fn word(&mut self) -> String {
        match self.peek().0 {
            Token::Word(word) => {
                self.take();
                word.to_owned()
            }
            _ => String::new(),
        }
    }

    fn error(&self, at: usize, reason: impl std::fmt::Display) -> InformerError {
        syntax_error("label selector", self.text, at, reason)
    }

    fn expected(&self, what: &str, (found, at): Found<'_>) -> InformerError {
        match found {
            Token::End => self.error(at, format_args!("expected {what}, found the end")),
            Token::Word(text) | Token::Sign(text) => {
                let shown: String = text.chars().take(40).collect();
                self.error(at, format_args!("expected {what}, found {shown:?}"))
            }
        }
    }
}
