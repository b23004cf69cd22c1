//! Character prefilter: a bitmap that excludes rows before matching.

use crate::query::contains_folded;

/// The characters of a text, case ignored, one bit each. The characters of names have a bit of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CharacterSet(u64);

/// Bits from here on are shared.
const SHARED: u32 = 40;

impl CharacterSet {
    pub(super) fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |characters, byte| characters | 1 << bit(byte)))
    }

    fn has_all(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

fn bit(byte: u8) -> u32 {
    let from = |first: u8| u32::from(byte.to_ascii_lowercase() - first);
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => from(b'a'),
        b'0'..=b'9' => 26 + from(b'0'),
        b'-' => 36,
        b'.' => 37,
        b'/' => 38,
        b':' => 39,
        other => SHARED + u32::from(other) % (u64::BITS - SHARED),
    }
}

/// A text to search for, in lower case.
pub(crate) struct Needle {
    pub(super) text: String,
    characters: CharacterSet,
    /// It is one character whose bit no other character has.
    is_one_character: bool,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        // A character outside ASCII may be the lower case of an ASCII one, and vice versa: it excludes nothing.
        let characters = if text.is_ascii() { CharacterSet::of(text) } else { CharacterSet::default() };
        let is_one_character = text.len() == 1 && characters.0 != 0 && characters.0 < 1 << SHARED;
        Self { text: text.to_owned(), characters, is_one_character }
    }

    /// Whether a text contains it. The text is read only if its character set does not decide: a hundred thousand
    /// names are scattered in memory, their character sets are in one array.
    pub(super) fn is_in<'t>(&self, characters: CharacterSet, text: impl FnOnce() -> &'t str) -> bool {
        characters.has_all(self.characters) && (self.is_one_character || contains_folded(text(), &self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_prefilter_excludes_only_texts_without_the_needle(text in "[a-zA-Z0-9./:@ék\u{212A}-]{0,12}", needle in "[a-z0-9./:@é-]{0,2}") {
            let expected = contains_folded(&text, &needle);
            prop_assert_eq!(Needle::new(&needle).is_in(CharacterSet::of(&text), || &text), expected);
        }
    }

    #[test]
    fn a_shared_bit_or_another_lower_case_reads_the_text() {
        assert!(!Needle::new("@").is_in(CharacterSet::of("("), || "("), "both have the same bit");
        assert!(
            Needle::new("ék").is_in(CharacterSet::of("É\u{212A}"), || "É\u{212A}"),
            "the sign is a k in lower case"
        );
    }

    #[test]
    fn one_character_reads_no_text() {
        for needle in ["w", "7", "-", "/"] {
            assert!(Needle::new(needle).is_in(CharacterSet::of("ns/W-7"), || unreachable!("its characters are known")));
        }
        assert!(!Needle::new("@").is_in(CharacterSet::of("n/w"), || unreachable!()));
    }
}
