//! Packing: texts of older blocks compressed by LZ4, and the last ones that were unpacked.

use std::cell::RefCell;
use std::rc::Rc;

use informer_packing::lz4::{Compressor, PreparedDictionary, decompress};

/// Unpacked texts that are kept: a search that stops in the middle of a block, and lines on both sides of an edge, unpack it once.
const RECENT: usize = 4;

/// A compressed text.
#[derive(Debug)]
pub(crate) struct Packed {
    bytes: Box<[u8]>,
    /// Of the text, in bytes.
    length: usize,
}

impl Packed {
    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// The compressor with its working memory, and the texts that were unpacked last, by the number of their first line.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    compressor: Compressor,
    dictionary: PreparedDictionary,
    recent: RefCell<Vec<(u64, Rc<str>)>>,
}

impl Packing {
    /// Compresses a text; nothing if that saves less than an eighth.
    pub(crate) fn pack(&mut self, text: &str) -> Option<Packed> {
        let bytes = self.compressor.compress(&self.dictionary, text.as_bytes(), 0);
        (bytes.len() < text.len() - text.len() / 8).then(|| Packed { bytes: bytes.into(), length: text.len() })
    }

    /// The text of a block.
    pub(crate) fn unpack(&self, first: u64, packed: &Packed) -> Rc<str> {
        let mut recent = self.recent.borrow_mut();
        if let Some(at) = recent.iter().position(|(known, _)| *known == first) {
            let known = recent.remove(at);
            let text = Rc::clone(&known.1);
            recent.push(known);
            return text;
        }
        let mut bytes = Vec::new();
        // Cannot fail: this code packed the bytes.
        let is_whole = decompress(&packed.bytes, &[], &[], packed.length, &mut bytes).is_ok();
        let text: Rc<str> = String::from_utf8(bytes).ok().filter(|_| is_whole).unwrap_or_default().into();
        if recent.len() == RECENT {
            recent.remove(0);
        }
        recent.push((first, Rc::clone(&text)));
        text
    }

    /// Drops the unpacked texts.
    pub(crate) fn clear(&mut self) {
        self.recent.get_mut().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_unpacked_to_what_it_was() {
        let mut packing = Packing::default();
        let text = (0..2000).map(|at| format!("line {at} é✓")).collect::<Vec<_>>().join("\n");
        let packed = packing.pack(&text).expect("it repeats itself");
        assert!(packed.bytes() < text.len() / 2, "{} of {}", packed.bytes(), text.len());
        for _ in 0..2 {
            assert_eq!(&*packing.unpack(7, &packed), text);
        }
    }

    #[test]
    fn a_text_without_repeats_stays_as_it_is() {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(33 + (seed >> 58).to_le_bytes()[0])
        };
        let text: String = (0..5000).map(|_| next()).collect();
        assert!(Packing::default().pack(&text).is_none());
        assert!(Packing::default().pack("").is_none());
    }

    #[test]
    fn few_unpacked_texts_are_kept() {
        let mut packing = Packing::default();
        let texts: Vec<_> = (0..10_u64).map(|at| format!("{at} ").repeat(500)).collect();
        let packed: Vec<_> = texts.iter().map(|text| packing.pack(text).expect("it repeats itself")).collect();
        for (first, (text, packed)) in (0..).zip(texts.iter().zip(&packed)) {
            assert_eq!(&*packing.unpack(first, packed), text);
        }
        assert_eq!(packing.recent.borrow().iter().map(|(first, _)| *first).collect::<Vec<_>>(), [6, 7, 8, 9]);
        packing.clear();
        assert!(packing.recent.borrow().is_empty());
    }
}
