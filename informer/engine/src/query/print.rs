//! Printer of queries; its output parses to the same query.

use std::fmt::{Formatter, Result, Write};

use super::expression::{Clause, Colon, Column, Comparison, Expression, Test, Word};
use super::parse::{is_blank, is_operator};
use super::{Pattern, Query};

pub(super) fn query(query: &Query, f: &mut Formatter<'_>) -> Result {
    match &query.expression {
        Expression::All(of) => joined(of, " ", f),
        Expression::Any(of) => joined(of, " OR ", f),
        other => expression(other, f),
    }
}

fn joined(of: &[Expression], between: &str, f: &mut Formatter<'_>) -> Result {
    for (at, one) in of.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        expression(one, f)?;
    }
    Ok(())
}

fn expression(expression_: &Expression, f: &mut Formatter<'_>) -> Result {
    let (of, between) = match expression_ {
        Expression::Not(inner) => {
            f.write_char('-')?;
            return expression(inner, f);
        }
        Expression::Clause(one) => return clause(one, f),
        Expression::All(of) => (of, " "),
        Expression::Any(of) => (of, " OR "),
    };
    f.write_char('(')?;
    joined(of, between, f)?;
    f.write_char(')')
}

fn clause(clause: &Clause, f: &mut Formatter<'_>) -> Result {
    match clause {
        // Without quotes it could be parsed as a test.
        Clause::Text(text) if Colon::read(text, 0).is_some() => quoted(text, f),
        Clause::Text(text) => phrase(text, f),
        Clause::Colon(colon) => phrase(&colon.text, f),
        Clause::Pattern(found) => pattern(found, f),
        Clause::Column(Column { name, test, .. }) => {
            phrase(name, f)?;
            test_of(test, f)
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
                Some(Test::Is(words)) => {
                    // A value that begins with an operator character must not merge with this operator.
                    inner.extend([if first(words).starts_with('=') { "==" } else { "=" }, first(words)]);
                }
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

fn test_of(test: &Test, f: &mut Formatter<'_>) -> Result {
    match test {
        Test::Is(words) => {
            f.write_char('=')?;
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
        Test::Like(found) => {
            f.write_char('~')?;
            pattern(found, f)
        }
        Test::Unlike(found) => {
            f.write_str("!~")?;
            pattern(found, f)
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
        } else if word.wild || word.number.is_some() || word.text.is_empty() {
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
    let means_something =
        |c: char| is_blank(c) || is_operator(c) || matches!(c, '(' | ')' | '|' | '"' | ',' | '*' | '\\');
    let plain = !text.is_empty()
        && !text.starts_with(['-', '/'])
        && !matches!(text, "OR" | "AND" | "NOT")
        && !text.contains(means_something);
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
