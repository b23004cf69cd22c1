//! Printer of queries. Its output parses to the same query, if it is within the parser's limits.

use std::fmt::{Formatter, Result, Write};

use super::expression::{Clause, Colon, Column, Comparison, Expression, Test, Word};
use super::parse::{is_blank, is_operator};
use super::{Pattern, Query};

pub(super) fn query(query: &Query, f: &mut Formatter<'_>) -> Result {
    match &query.expression {
        Expression::All(terms) => joined(terms, " ", f),
        Expression::Any(terms) => joined(terms, " OR ", f),
        term => nested(term, f),
    }
}

fn joined(terms: &[Expression], separator: &str, f: &mut Formatter<'_>) -> Result {
    for (at, term) in terms.iter().enumerate() {
        if at > 0 {
            f.write_str(separator)?;
        }
        nested(term, f)?;
    }
    Ok(())
}

/// Prints a part of an expression: several terms in brackets.
fn nested(expression: &Expression, f: &mut Formatter<'_>) -> Result {
    let (terms, separator) = match expression {
        Expression::Not(inner) => {
            f.write_char('-')?;
            return nested(inner, f);
        }
        Expression::Clause(term) => return clause(term, f),
        Expression::All(terms) => (terms, " "),
        Expression::Any(terms) => (terms, " OR "),
    };
    f.write_char('(')?;
    joined(terms, separator, f)?;
    f.write_char(')')
}

fn clause(clause: &Clause, f: &mut Formatter<'_>) -> Result {
    match clause {
        // Without quotes it could be parsed as a test.
        Clause::Text(text) if Colon::read(text, 0).is_some() => quoted(text, f),
        Clause::Text(text) => phrase(text, f),
        // It was typed without quotes. In quotes it would be parsed as text.
        Clause::Colon(colon) => f.write_str(&colon.text),
        Clause::Pattern(regex) => pattern(regex, f),
        Clause::Column(Column { name, test, .. }) => {
            phrase(name, f)?;
            column_test(test, f)
        }
        Clause::Label(selector) => {
            f.write_str("label=")?;
            phrase(&selector.to_string(), f)
        }
        Clause::Field { path, test } => {
            let mut inner = path.text().to_owned();
            // The value extends to the end of the text, so it needs no inner quotes.
            match test {
                None => {}
                Some(Test::Is(words)) => inner.extend([equals(words), first(words)]),
                Some(Test::IsNot(words)) => inner.extend(["!=", first(words)]),
                Some(Test::Like(pattern)) => inner.extend(["~", pattern.text()]),
                Some(Test::Unlike(pattern)) => inner.extend(["!~", pattern.text()]),
                Some(Test::Compare(comparison, limit)) => inner.extend([sign(*comparison), &limit.text]),
            }
            f.write_str("field=")?;
            quoted(&inner, f)
        }
    }
}

fn first(words: &[Word]) -> &str {
    words.first().map_or("", |word| &word.text)
}

/// The operator of equality. A value that begins with an operator character must not merge with it.
fn equals(words: &[Word]) -> &'static str {
    if first(words).starts_with('=') { "==" } else { "=" }
}

fn column_test(test: &Test, f: &mut Formatter<'_>) -> Result {
    match test {
        Test::Is(words) => {
            f.write_str(equals(words))?;
            list(words, f)
        }
        Test::IsNot(words) => {
            f.write_str("!=")?;
            list(words, f)
        }
        Test::Compare(comparison, limit) => {
            f.write_str(sign(*comparison))?;
            phrase(&limit.text, f)
        }
        Test::Like(regex) => {
            f.write_char('~')?;
            pattern(regex, f)
        }
        Test::Unlike(regex) => {
            f.write_str("!~")?;
            pattern(regex, f)
        }
    }
}

fn list(words: &[Word], f: &mut Formatter<'_>) -> Result {
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            f.write_char(',')?;
        }
        if word.is_literal() {
            quoted(&word.text, f)?;
        } else if word.is_wildcard || word.number.is_some() || word.text.is_empty() {
            f.write_str(&word.text)?;
        } else {
            phrase(&word.text, f)?;
        }
    }
    Ok(())
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// Prints a text, quoted if it would be parsed as anything else.
fn phrase(text: &str, f: &mut Formatter<'_>) -> Result {
    let is_special = |c: char| is_blank(c) || is_operator(c) || matches!(c, '(' | ')' | '|' | '"' | ',' | '*' | '\\');
    let plain = !text.is_empty()
        && !text.starts_with(['-', '/'])
        && !matches!(text, "OR" | "AND" | "NOT")
        && !text.contains(is_special);
    if plain { f.write_str(text) } else { quoted(text, f) }
}

fn quoted(text: &str, f: &mut Formatter<'_>) -> Result {
    f.write_char('"')?;
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(letter)?;
    }
    f.write_char('"')
}

fn pattern(pattern: &Pattern, f: &mut Formatter<'_>) -> Result {
    f.write_char('/')?;
    for letter in pattern.text().chars() {
        // The text of a pattern has no escaped slashes.
        if letter == '/' {
            f.write_char('\\')?;
        }
        f.write_char(letter)?;
    }
    f.write_char('/')
}
