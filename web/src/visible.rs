//! Escapes for invisible characters: text from a cluster must not reorder, hide or forge content of the page.
//!
//! Bidirectional controls (U+202A–U+202E, U+2066–U+2069) turn `txt.exe` into `exe.txt` ("Trojan Source",
//! CVE-2021-42574); zero-width characters make two names look the same. Both are shown as the escapes that YAML has for
//! them: `\u202e`.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is invisible, or changes the order of others. Tabs and line feeds are white space.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Unicode's Default_Ignorable_Code_Point, separators of lines and interlinear marks; the variation selectors of
        // emoji (U+FE00–U+FE0F) stay.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

/// Appends the escape of a character, as in double-quoted YAML.
pub(crate) fn push_escape(into: &mut String, c: char) {
    let code = u32::from(c);
    // Writing to a String cannot fail.
    let _ = if code > 0xffff { write!(into, "\\U{code:08x}") } else { write!(into, "\\u{code:04x}") };
}

/// The text with an escape in place of each hidden character.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !may_hide(text) || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_hidden(c) { push_escape(&mut shown, c) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Shown unchanged.
    Plain(&'a str),
    /// The escape of one hidden character.
    Escape(String),
}

/// Splits the text at its hidden characters, so that their escapes are distinguishable from the same letters in the
/// text.
pub(crate) fn parts(text: &str) -> Vec<Part<'_>> {
    if text.is_empty() {
        return Vec::new();
    }
    if !may_hide(text) {
        return vec![Part::Plain(text)];
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
        if at > 0 {
            parts.push(Part::Plain(&rest[..at]));
        }
        let mut escape = String::new();
        push_escape(&mut escape, c);
        parts.push(Part::Escape(escape));
        rest = &rest[at + c.len_utf8()..];
    }
    if !rest.is_empty() {
        parts.push(Part::Plain(rest));
    }
    parts
}

/// Whether a text may have hidden characters: printable ASCII, which is nearly all text of a cluster, has none.
fn may_hide(text: &str) -> bool {
    !text.bytes().all(|b| matches!(b, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_become_escapes() {
        let cases = [
            ("nginx", "nginx"),
            ("größer 中文 שלום 👩\u{fe0f}", "größer 中文 שלום 👩\u{fe0f}"),
            ("a\u{202e}b", "a\\u202eb"),
            ("a\u{2066}b\u{2069}", "a\\u2066b\\u2069"),
            ("web\u{200b}", "web\\u200b"),
            ("\u{feff}x\u{7f}\u{0}", "\\ufeffx\\u007f\\u0000"),
            ("\u{e0041}", "\\U000e0041"),
            ("two\nlines\tof it", "two\nlines\tof it"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn each_bidirectional_control_is_hidden() {
        assert!(('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').all(is_hidden));
    }

    #[test]
    fn a_text_is_split_at_hidden_characters() {
        assert_eq!(parts(""), []);
        assert_eq!(parts("x"), [Part::Plain("x")]);
        let escape = |text: &str| Part::Escape(text.to_owned());
        assert_eq!(
            parts("é\u{200b}\u{202e}x"),
            [Part::Plain("é"), escape("\\u200b"), escape("\\u202e"), Part::Plain("x")]
        );
        assert_eq!(parts("é"), [Part::Plain("é")]);
    }
}
