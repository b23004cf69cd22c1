//! Pattern: a regular expression that is compared by its source text.

use regex_lite::{Regex, RegexBuilder};

/// Maximum length of a pattern, in bytes, without escapes of slashes.
const MAX_BYTES: usize = 256;

/// Maximum size of a compiled pattern, in bytes. Matching time is proportional to this and to the length of the text.
const MAX_COMPILED_BYTES: usize = 64 << 10;

/// Case-insensitive regular expression.
///
/// `regex-lite` adds 6 KB of gzipped wasm. The full `regex` crate would add ten times as much, an own implementation
/// half as much.
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
    /// Compiles a pattern. The error is shown to users.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        // Escapes of slashes do not count, because the printer adds them.
        let text = without_escaped_slashes(text);
        if text.len() > MAX_BYTES {
            return Err(format!("a regular expression must not be longer than {MAX_BYTES} bytes"));
        }
        let built =
            RegexBuilder::new(&text).case_insensitive(true).size_limit(MAX_COMPILED_BYTES).nest_limit(20).build();
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

/// Replaces `\/` by `/`. Between slashes the escape is required; elsewhere both mean the same.
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
