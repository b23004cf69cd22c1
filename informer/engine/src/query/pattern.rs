//! Regular expressions that compare by their text.

use regex_lite::{Regex, RegexBuilder};

/// Bytes of a pattern, at the most.
const MOST_BYTES: usize = 256;

/// Bytes that one may be compiled to. Matching takes time in proportion to this and to the text, whatever both are.
const MOST_COMPILED: usize = 64 << 10;

/// A regular expression that finds letters in any case.
///
/// `regex-lite` costs 6 KB of wasm after gzip. The whole `regex` would cost ten times as much, and one of our own half.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Pattern {
    /// Compiles a pattern; the error is for people.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!("a regular expression must not be longer than {MOST_BYTES} bytes"));
        }
        let text = without_escaped_slashes(text);
        let built = RegexBuilder::new(&text).case_insensitive(true).size_limit(MOST_COMPILED).nest_limit(20).build();
        match built {
            Ok(regex) => Ok(Self { text, regex }),
            Err(error) => Err(format!("invalid regular expression: {error}")),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn finds(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// `\/` is what a slash is between slashes; elsewhere it says the same as the slash.
fn without_escaped_slashes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('/') => plain.push('/'),
            escaped => plain.extend(std::iter::once('\\').chain(escaped)),
        }
    }
    plain
}
