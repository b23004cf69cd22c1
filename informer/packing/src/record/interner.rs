//! Interner: one shared copy of equal byte strings.

use std::collections::HashSet;
use std::sync::Arc;

/// Maximum length of a shared string: two objects rarely have a longer one in common.
const MAX_BYTES: usize = 4096;
/// Minimum number of strings before unused ones are dropped.
const MIN_SWEEP: usize = 256;

/// Shares equal byte strings. Strings that are no longer used are dropped when the number of strings has doubled since
/// the last time. They take at most twice the memory of the used ones, and amortized O(1) each.
#[derive(Debug, Default)]
pub struct Interner {
    known: HashSet<Arc<[u8]>>,
    sweep_at: usize,
}

impl Interner {
    /// Returns the shared copy of these bytes. Long strings are copied each time.
    pub fn intern(&mut self, bytes: &[u8]) -> Arc<[u8]> {
        if bytes.len() > MAX_BYTES {
            return bytes.into();
        }
        if let Some(known) = self.known.get(bytes) {
            return Arc::clone(known);
        }
        if self.known.len() >= self.sweep_at.max(MIN_SWEEP) {
            self.known.retain(|known| Arc::strong_count(known) > 1);
            self.sweep_at = 2 * self.known.len();
        }
        let shared: Arc<[u8]> = bytes.into();
        self.known.insert(Arc::clone(&shared));
        shared
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_shared_and_unused_ones_dropped() {
        let mut interner = Interner::default();
        let kept = interner.intern(b"kept");
        assert!(Arc::ptr_eq(&kept, &interner.intern(b"kept")));
        for n in 0..100_000_u32 {
            interner.intern(&n.to_le_bytes());
            assert!(interner.len() <= MIN_SWEEP);
        }
        assert!(Arc::ptr_eq(&kept, &interner.intern(b"kept")), "what is used stays");
        let used: Vec<_> = (0..10_000_u32).map(|n| interner.intern(&n.to_le_bytes())).collect();
        assert!(interner.len() >= used.len());
    }

    #[test]
    fn long_texts_are_not_interned() {
        let mut interner = Interner::default();
        let long = vec![0; MAX_BYTES + 1];
        assert!(!Arc::ptr_eq(&interner.intern(&long), &interner.intern(&long)));
        assert!(interner.is_empty());
    }
}
