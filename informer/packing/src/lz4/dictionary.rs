//! What texts are compressed against.

use std::fmt;

use super::{MAX_DISTANCE, MIN_MATCH, eight, hash};

/// Slots of the hash table: 2^15, for at most 2^16 places.
pub(super) const BITS: u32 = 15;

/// Bytes that texts are likely to hold, and a hash table of where they stand.
pub struct Dictionary {
    pub(super) bytes: Box<[u8]>,
    /// The last place of each hash, counted from 1; 0 is none.
    pub(super) places: Box<[u16]>,
}

impl Dictionary {
    /// The longest dictionary of which everything can be reached from somewhere.
    pub const MAX: usize = MAX_DISTANCE;

    /// A dictionary of these bytes; of more than [`Dictionary::MAX`], the last.
    ///
    /// A match reaches back [`Dictionary::MAX`] bytes. So what stands at the end can be used from all of a text, what
    /// stands at the beginning only from where a text begins, if the dictionary is long. O(bytes).
    pub fn new(bytes: &[u8]) -> Self {
        let bytes = bytes.get(bytes.len().saturating_sub(Self::MAX)..).unwrap_or_default();
        let mut places = vec![0_u16; if bytes.is_empty() { 0 } else { 1 << BITS }];
        for at in 0..(bytes.len() + 1).saturating_sub(MIN_MATCH) {
            if let (Some(slot), Ok(place)) = (places.get_mut(hash(eight(bytes, at), BITS)), u16::try_from(at + 1)) {
                *slot = place;
            }
        }
        Self { bytes: bytes.into(), places: places.into() }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of memory that it keeps.
    pub fn size(&self) -> usize {
        self.bytes.len() + 2 * self.places.len()
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({} bytes)", self.bytes.len())
    }
}
