//! Scalars of YAML: when a string is plain, when it is quoted, and when it is a block.

use std::borrow::Cow;

use crate::visible::{is_hidden, push_escape};

/// Whether a text reads best as a block scalar: several lines that need no escapes.
///
/// Hidden characters that YAML allows stay in the block, where the page shows them as escapes. Quoting would turn a
/// long file into one line because of one zero-width space.
pub(super) fn is_block(text: &str) -> bool {
    text.trim_end_matches('\n').contains('\n') && !text.contains(breaks_block) && !text.contains(" \n")
}

/// Control characters, and characters that YAML reads as a line break or byte order mark.
fn breaks_block(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => true,
        c => c.is_control(),
    }
}

/// Whether a printed value is a number, a boolean or null. Strings that look like one are quoted.
pub(super) fn is_literal(printed: &str) -> bool {
    let is_number = printed.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && printed.chars().all(|c| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
        && printed.parse::<f64>().is_ok();
    is_number || matches!(printed, "true" | "false" | "null")
}

/// Formats a string for YAML: plain if it is unambiguous, otherwise quoted.
pub(super) fn scalar(text: &str) -> Cow<'_, str> {
    if text.contains(|c: char| c.is_control() || is_hidden(c)) {
        return Cow::Owned(double_quoted(text));
    }
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    if text.contains('\'') { Cow::Owned(double_quoted(text)) } else { Cow::Owned(format!("'{text}'")) }
}

/// Formats a double-quoted scalar: JSON's escapes are YAML's; invisible characters are escaped as well.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if is_hidden(c) => push_escape(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let indicator = "-?:,[]{}#&*!|>'\"%@`=~<";
    let starts_well = !indicator.contains(first) || (first == '-' && text[1..].starts_with(|c: char| c != ' '));
    starts_well
        && !text.starts_with(' ')
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !reads_as_another_type(text)
        && text != "---"
        && text != "..."
}

/// Whether YAML 1.1 or 1.2 would read the text as a boolean, null, number or time.
fn reads_as_another_type(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    if WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return true;
    }
    let bytes = text.trim_start_matches(['+', '-']).as_bytes();
    match bytes {
        [b'0', b'x' | b'o' | b'b', digits @ ..] => digits.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_'),
        [b'0'..=b'9', ..] => is_number(bytes) || is_timestamp(bytes),
        [b'.', rest @ ..] => {
            rest.first().is_some_and(u8::is_ascii_digit)
                || ["inf", "nan"].iter().any(|word| rest.eq_ignore_ascii_case(word.as_bytes()))
        }
        _ => false,
    }
}

/// Decimals, floats, and YAML 1.1's base-60 numbers (`1:30`).
fn is_number(bytes: &[u8]) -> bool {
    let mut previous = 0;
    let sign_after_exponent = |b: &u8| {
        let fits = b.is_ascii_digit()
            || matches!(b, b'_' | b'.' | b':' | b'e' | b'E')
            || (matches!(b, b'+' | b'-') && matches!(previous, b'e' | b'E'));
        previous = *b;
        fits
    };
    let dots = bytes.split(|b| *b == b'.').count() - 1;
    bytes.iter().all(sign_after_exponent) && dots < 2
}

fn is_timestamp(bytes: &[u8]) -> bool {
    bytes.len() >= 10
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && bytes
            .iter()
            .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b':' | b'T' | b't' | b'Z' | b'z' | b'.' | b'+' | b' '))
}
