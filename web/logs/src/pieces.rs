//! Pieces of a line to show: runs of one style, cut where matches begin and end, with control characters as pictures.

use crate::ansi::{Style, each_run, plain};
use crate::pattern::Pattern;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// Style of the text.
    pub style: Style,
    /// Whether it is (part of) a match.
    pub is_match: bool,
}

/// The pieces of a line. Matches are those in the text without its colours.
pub fn pieces(text: &str, pattern: Option<&Pattern>) -> Vec<Piece> {
    let text = text.strip_suffix('\r').unwrap_or(text);
    let matches = pattern.map(|pattern| pattern.matches(&plain(text))).unwrap_or_default();
    let mut matches = matches.into_iter().peekable();
    let mut pieces = Vec::new();
    // Place in the text without colours.
    let mut at = 0;
    each_run(text, |run, style| {
        let mut rest = run;
        while !rest.is_empty() {
            while matches.next_if(|range| range.end <= at).is_some() {}
            let (length, is_match) = match matches.peek() {
                Some(range) if range.start <= at => (range.end - at, true),
                Some(range) => (range.start - at, false),
                None => (rest.len(), false),
            };
            let (piece, after) = rest.split_at(length.min(rest.len()));
            pieces.push(Piece { text: pictured(piece), style, is_match });
            at += piece.len();
            rest = after;
        }
    });
    pieces
}

/// Control characters of ASCII as their pictures (U+2400–U+2421); a tab stays.
fn pictured(text: &str) -> String {
    if !text.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return text.to_owned();
    }
    let picture = |c: char| match c {
        '\t' => c,
        '\u{7f}' => '\u{2421}',
        c if c.is_ascii_control() => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        c => c,
    };
    text.chars().map(picture).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, search: &str) -> Vec<(String, String, bool)> {
        let pattern = Pattern::text(search, false);
        pieces(text, pattern.as_ref())
            .into_iter()
            .map(|piece| (piece.text, piece.style.classes(), piece.is_match))
            .collect()
    }

    #[test]
    fn a_match_goes_over_colours() {
        let text = "a \u{1b}[31mer\u{1b}[1mror\u{1b}[0m b";
        let expected = [("a ", "", false), ("er", "c1", true), ("ror", "c1 bold", true), (" b", "", false)];
        assert_eq!(
            shown(text, "ERROR"),
            expected.map(|(text, classes, is_match)| (text.to_owned(), classes.to_owned(), is_match))
        );
    }

    #[test]
    fn neighbouring_matches_are_pieces_of_their_own() {
        let texts: Vec<_> = shown("éabab", "ab").into_iter().map(|(text, _, is_match)| (text, is_match)).collect();
        assert_eq!(texts, [("é".to_owned(), false), ("ab".to_owned(), true), ("ab".to_owned(), true)]);
        assert!(shown("", "a").is_empty());
    }

    #[test]
    fn control_characters_are_seen() {
        assert_eq!(shown("\0\u{1b}[2K\u{7f}\tx\r", ""), [("␀␛[2K␡\tx".to_owned(), String::new(), false)]);
    }
}
