//! LZ4 dictionary: the common text that blocks refer to.

use std::fmt;
use std::sync::Arc;

use super::{MAX_DISTANCE, MIN_MATCH, eight, hash};

/// Bytes that texts are likely to hold. All that it takes to read a block.
#[derive(Clone, PartialEq, Eq)]
pub struct Dictionary(Box<[u8]>);

impl Dictionary {
    /// The longest dictionary of which everything can be reached from somewhere.
    pub const MAX: usize = MAX_DISTANCE;

    /// A dictionary of these bytes; of more than [`Dictionary::MAX`], the last.
    ///
    /// A match reaches back [`Dictionary::MAX`] bytes. So what stands at the end can be used from all of a text, what
    /// stands at the beginning only from where a text begins, if the dictionary is long.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.get(bytes.len().saturating_sub(Self::MAX)..).unwrap_or_default().into())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} bytes)", self.0.len())
    }
}

/// A dictionary, and a hash table of where its bytes stand, to write blocks with.
#[derive(Clone)]
pub struct PreparedDictionary {
    dictionary: Arc<Dictionary>,
    pub(super) bits: u32,
    /// The last place of each hash, counted from 1; 0 is none.
    pub(super) places: Box<[u16]>,
}

impl PreparedDictionary {
    /// Prepares a dictionary. O(bytes).
    pub fn new(dictionary: Arc<Dictionary>) -> Self {
        let bytes = dictionary.bytes();
        // As many slots as bytes, but half as many for the longest: half of what is in them is never met.
        let bits = (usize::BITS - bytes.len().leading_zeros()).clamp(8, 15);
        let mut places = vec![0_u16; 1 << bits];
        for at in 0..(bytes.len() + 1).saturating_sub(MIN_MATCH) {
            if let (Some(slot), Ok(place)) = (places.get_mut(hash(eight(bytes, at), bits)), u16::try_from(at + 1)) {
                *slot = place;
            }
        }
        Self { dictionary, bits, places: places.into() }
    }

    /// The dictionary.
    pub fn dictionary(&self) -> &Arc<Dictionary> {
        &self.dictionary
    }
}

impl Default for PreparedDictionary {
    /// An empty one.
    fn default() -> Self {
        Self::new(Arc::new(Dictionary::new(&[])))
    }
}

impl fmt::Debug for PreparedDictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared{:?}", self.dictionary)
    }
}
