//! Character prefilter: a bitmap that rules rows out before matching.

use crate::query::contains_folded;

/// The letters of a text, small and large ones alike, in a bit each. Those that names are made of have one of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters(u64);

/// Bits from here on are shared.
const SHARED: u32 = 40;

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |letters, byte| letters | 1 << bit(byte)))
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

/// A text that is looked for, in small letters.
pub(super) struct Needle {
    pub(super) text: String,
    letters: Letters,
    /// It is one letter, which no other shares a bit with.
    is_letter: bool,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        // What is no ASCII may be the small letter of what is, and the other way round: nothing is ruled out by it.
        let letters = if text.is_ascii() { Letters::of(text) } else { Letters::default() };
        let is_letter = text.len() == 1 && letters.0 != 0 && letters.0 < 1 << SHARED;
        Self { text: text.to_owned(), letters, is_letter }
    }

    /// Whether a text contains it. The text is read only where its letters do not say so themselves: a hundred thousand
    /// names are in as many places of memory, their letters in one.
    pub(super) fn is_in<'t>(&self, letters: Letters, text: impl FnOnce() -> &'t str) -> bool {
        letters.has_all(self.letters) && (self.is_letter || contains_folded(text(), &self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn letters_rule_out_what_is_not_there(text in "[a-zA-Z0-9./:@ék\u{212A}-]{0,12}", needle in "[a-z0-9./:@é-]{0,2}") {
            let expected = contains_folded(&text, &needle);
            prop_assert_eq!(Needle::new(&needle).is_in(Letters::of(&text), || &text), expected);
        }
    }

    #[test]
    fn what_shares_a_bit_or_has_another_small_letter_is_read() {
        assert!(!Needle::new("@").is_in(Letters::of("("), || "("), "both have the same bit");
        assert!(Needle::new("ék").is_in(Letters::of("É\u{212A}"), || "É\u{212A}"), "the sign is a k in small letters");
    }

    #[test]
    fn one_letter_reads_nothing() {
        for needle in ["w", "7", "-", "/"] {
            assert!(Needle::new(needle).is_in(Letters::of("ns/W-7"), || unreachable!("its letters are known")));
        }
        assert!(!Needle::new("@").is_in(Letters::of("n/w"), || unreachable!()));
    }
}
