//! LZ4 dictionary: the common text that blocks refer to.

use std::fmt;
use std::sync::Arc;

use super::{MAX_DISTANCE, MIN_MATCH, eight, hash};

/// Dictionary: bytes that texts are likely to contain. Sufficient to read a block.
#[derive(Clone, PartialEq, Eq)]
pub struct Dictionary(Box<[u8]>);

impl Dictionary {
    /// Maximum length at which a match can reach every byte.
    pub const MAX: usize = MAX_DISTANCE;

    /// Creates a dictionary of these bytes; of more than [`Dictionary::MAX`], the last ones.
    ///
    /// A match reaches back [`Dictionary::MAX`] bytes. Bytes at the end of a long dictionary can therefore be used from
    /// the whole text, bytes at its beginning only from the beginning of a text.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.get(bytes.len().saturating_sub(Self::MAX)..).unwrap_or_default().into())
    }

    /// Returns its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} bytes)", self.0.len())
    }
}

/// Dictionary with a hash table of its positions, for writing blocks.
#[derive(Clone)]
pub struct PreparedDictionary {
    dictionary: Arc<Dictionary>,
    pub(super) bits: u32,
    /// Last position of each hash, counted from 1; 0 is none.
    pub(super) positions: Box<[u16]>,
}

impl PreparedDictionary {
    /// Prepares a dictionary. O(bytes).
    pub fn new(dictionary: Arc<Dictionary>) -> Self {
        let bytes = dictionary.bytes();
        // One slot per byte; half as many for the longest dictionaries, because half of their slots are never hit.
        let bits = (usize::BITS - bytes.len().leading_zeros()).clamp(8, 15);
        let mut positions = vec![0_u16; 1 << bits];
        for at in 0..(bytes.len() + 1).saturating_sub(MIN_MATCH) {
            if let (Some(slot), Ok(position)) = (positions.get_mut(hash(eight(bytes, at), bits)), u16::try_from(at + 1))
            {
                *slot = position;
            }
        }
        Self { dictionary, bits, positions: positions.into() }
    }

    /// The dictionary.
    pub fn dictionary(&self) -> &Arc<Dictionary> {
        &self.dictionary
    }
}

impl Default for PreparedDictionary {
    /// An empty dictionary.
    fn default() -> Self {
        Self::new(Arc::new(Dictionary::new(&[])))
    }
}

impl fmt::Debug for PreparedDictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared{:?}", self.dictionary)
    }
}
