//! Short string, stored inline.

use std::fmt;
use std::ops::Deref;

/// Maximum length of inline text in bytes: enough for addresses, counts, states.
const INLINE_BYTES: usize = 14;

/// String that is stored inline if it is short, so that a scan of a hundred thousand values follows no pointers.
#[derive(Clone)]
pub(crate) struct ShortText(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [u8; INLINE_BYTES]),
    Heap(Box<str>),
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            // The bytes were copied from a `str`.
            Repr::Inline(length, bytes) => {
                bytes.get(..usize::from(*length)).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
            }
            Repr::Heap(text) => text,
        }
    }
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; INLINE_BYTES];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(here), Ok(length)) => {
                here.copy_from_slice(text.as_bytes());
                Self(Repr::Inline(length, bytes))
            }
            _ => Self(Repr::Heap(text.into())),
        }
    }
}

impl Default for ShortText {
    fn default() -> Self {
        Self::from("")
    }
}

impl PartialEq for ShortText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in ["", "a", "255.255.255.25", "255.255.255.255", "ééééééé", "éééééééé"] {
            assert_eq!(&*ShortText::from(text), text);
        }
        assert!(size_of::<ShortText>() <= 16 + size_of::<usize>());
    }
}
