//! Pattern of a search: a text or a regular expression, with its matches in a line.

use std::ops::Range;

use regex_lite::{Regex, RegexBuilder};

/// Length of the beginning of a line that a regular expression searches, in bytes. Its time is linear in this length.
const SEARCHED: usize = 64 << 10;
/// Maximum size of a compiled expression, in bytes.
const SIZE: usize = 64 << 10;
/// Matches of one line that are marked, at most.
const MARKED: usize = 500;

/// Error of an invalid expression, with the reason for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(pub String);

#[derive(Clone, Debug)]
enum Kind {
    /// Text that must match exactly.
    Exact(String),
    /// Lower-case text that matches in any case.
    Folded(Vec<char>),
    Regex(Box<Regex>),
}

/// Search pattern: a text or a regular expression.
#[derive(Clone, Debug)]
pub struct Pattern(Kind);

impl Pattern {
    /// Matches a text; in any case unless `match_case`. `None` for an empty text.
    pub fn text(text: &str, match_case: bool) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let folded = || text.chars().flat_map(char::to_lowercase).collect();
        Some(Self(if match_case { Kind::Exact(text.to_owned()) } else { Kind::Folded(folded()) }))
    }

    /// Matches a regular expression (syntax of the Rust crate regex-lite). `None` for an empty one.
    pub fn regex(expression: &str, match_case: bool) -> Result<Option<Self>, PatternError> {
        if expression.is_empty() {
            return Ok(None);
        }
        let regex = RegexBuilder::new(expression).case_insensitive(!match_case).size_limit(SIZE).build();
        regex.map(|regex| Some(Self(Kind::Regex(Box::new(regex))))).map_err(|error| PatternError(error.to_string()))
    }

    /// The first match at or after a place. A match is never empty.
    fn next(&self, text: &str, from: usize) -> Option<Range<usize>> {
        match &self.0 {
            Kind::Exact(needle) => text.get(from..)?.find(needle).map(|at| from + at..from + at + needle.len()),
            Kind::Folded(needle) => find_folded(text, needle, from),
            Kind::Regex(regex) => {
                let searched = within(text);
                let mut from = from;
                loop {
                    let found = regex.find_at(searched, from).map(|found| found.range())?;
                    if !found.is_empty() {
                        return Some(found);
                    }
                    from = found.end + searched[found.end..].chars().next()?.len_utf8();
                }
            }
        }
    }

    /// Whether a text has a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.next(text, 0).is_some()
    }

    /// The matches of a text, which do not overlap: at most 500.
    pub fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let mut from = 0;
        let next = || {
            let found = self.next(text, from)?;
            from = found.end;
            Some(found)
        };
        std::iter::from_fn(next).take(MARKED).collect()
    }
}

fn within(text: &str) -> &str {
    let mut end = text.len().min(SEARCHED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn find_folded(text: &str, needle: &[char], from: usize) -> Option<Range<usize>> {
    let first = *needle.first()?;
    if first.is_ascii() {
        let [lower, upper] = [first, first.to_ascii_uppercase()].map(|c| u8::try_from(c).unwrap_or(0));
        let bytes = text.as_bytes();
        // The Kelvin sign is the one character beyond ASCII that is a letter of ASCII in lower case.
        let is_it = |byte: &u8| *byte == lower || *byte == upper || (lower == b'k' && *byte == 0xe2);
        let mut at = from;
        while let Some(found) = bytes.get(at..)?.iter().position(is_it) {
            at += found;
            if let Some(end) = folded_end(text, at, needle) {
                return Some(at..end);
            }
            at += 1;
        }
        return None;
    }
    text.get(from..)?.char_indices().find_map(|(at, _)| folded_end(text, from + at, needle).map(|end| from + at..end))
}

/// Returns the end of a match that begins at a position.
fn folded_end(text: &str, at: usize, needle: &[char]) -> Option<usize> {
    let mut needle = needle;
    let mut end = at;
    for c in text.get(at..)?.chars() {
        for lower in c.to_lowercase() {
            needle = needle.strip_prefix(&[lower])?;
        }
        end += c.len_utf8();
        if needle.is_empty() {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &Pattern, text: &str) -> Vec<String> {
        pattern.matches(text).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn texts_are_found_in_any_case_or_their_own() {
        let any = Pattern::text("Err", false).expect("not empty");
        assert_eq!(found(&any, "ERR error xErr er"), ["ERR", "err", "Err"]);
        let own = Pattern::text("Err", true).expect("not empty");
        assert_eq!(found(&own, "ERR error xErr er"), ["Err"]);
        assert!(Pattern::text("", true).is_none());
    }

    #[test]
    fn letters_beyond_ascii_have_cases_too() {
        for (needle, text, expected) in [
            ("é", "É é e", vec!["É", "é"]),
            ("kelvin", "\u{212a}ELVIN", vec!["\u{212a}ELVIN"]),
            ("ö✓", "xÖ✓", vec!["Ö✓"]),
            ("a", "ä✓a", vec!["a"]),
        ] {
            assert_eq!(found(&Pattern::text(needle, false).expect("not empty"), text), expected);
        }
    }

    #[test]
    fn expressions_match_and_never_emptily() {
        let regex = |expression: &str| Pattern::regex(expression, false).expect("valid").expect("not empty");
        assert_eq!(found(&regex(r"status=(5\d\d)"), "Status=503 status=200 status=500"), ["Status=503", "status=500"]);
        assert_eq!(found(&regex("x*"), "axxbé"), ["xx"]);
        assert!(!regex("^$").is_match("é"));
        assert!(Pattern::regex("(", true).is_err_and(|error| !error.0.is_empty()));
        assert!(Pattern::regex("((a{100}){100}){100}", true).is_err(), "too large");
    }

    #[test]
    fn a_costly_expression_on_a_long_line_ends() {
        let regex = Pattern::regex("(a*)*(a*)*b", true).expect("valid").expect("not empty");
        assert!(!regex.is_match(&"a".repeat(1 << 20)));
        assert_eq!(within(&"é".repeat(SEARCHED)).len(), SEARCHED);
        assert_eq!(Pattern::text("a", true).expect("not empty").matches(&"a".repeat(10_000)).len(), MARKED);
    }
}
