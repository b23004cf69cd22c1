//! Type-independent sorts: of bytes, and into buckets.

/// Byte strings, stored in chunks: a single buffer would need twice the memory when it grows.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    chunks: Vec<Vec<u8>>,
    /// End of each key in its chunk.
    ends: Vec<u32>,
}

/// Keys per chunk.
const CHUNK_KEYS: usize = 256;

impl Keys {
    /// Creates an empty list with room for this many keys.
    pub fn with_capacity(keys: usize) -> Self {
        Self { chunks: Vec::new(), ends: Vec::with_capacity(keys) }
    }

    /// Adds the key that `write` appends.
    pub fn push(&mut self, write: &mut dyn FnMut(&mut Vec<u8>)) {
        if self.ends.len().is_multiple_of(CHUNK_KEYS) {
            if let Some(full) = self.chunks.last_mut() {
                full.shrink_to_fit();
            }
            self.chunks.push(Vec::new());
        }
        let Some(chunk) = self.chunks.last_mut() else { return };
        write(chunk);
        self.ends.push(u32::try_from(chunk.len()).unwrap_or(u32::MAX));
    }

    /// Returns a key by its index.
    pub fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let before = if number.is_multiple_of(CHUNK_KEYS) { None } else { self.ends.get(number - 1) };
        let start = before.map_or(0, |end| *end as usize);
        let end = self.ends.get(number).map_or(start, |end| *end as usize);
        self.chunks.get(number / CHUNK_KEYS).and_then(|chunk| chunk.get(start..end)).unwrap_or_default()
    }

    /// Returns the indexes of all keys in order of their bytes; equal keys keep their order.
    ///
    /// Compares eight bytes at a time, as an integer stored beside the index. Only keys that are equal so far are read
    /// again, so long common prefixes of names are read once.
    pub fn sorted(&self) -> Vec<u32> {
        let mut entries: Vec<(u64, u32)> =
            (0..).take(self.ends.len()).map(|number| (self.eight_bytes(number, 0), number)).collect();
        let mut runs = vec![(0, entries.len(), 0)];
        while let Some((start, end, depth)) = runs.pop() {
            let run = &mut entries[start..end];
            run.sort_unstable();
            let mut first = 0;
            while first < run.len() {
                let chunk = run[first].0;
                let length = run[first..].iter().take_while(|entry| entry.0 == chunk).count();
                let equal = &mut run[first..first + length];
                if length > 1 {
                    if equal.iter().any(|entry| self.get(entry.1).len() > depth + 8) {
                        for entry in equal {
                            entry.0 = self.eight_bytes(entry.1, depth + 8);
                        }
                        runs.push((start + first, start + first + length, depth + 8));
                    } else {
                        // Padding zeros look like missing bytes, so lengths decide. The same sort is used, because
                        // another would add 14 KB of wasm: the index is the last part of the sort key, so equal keys
                        // keep their order.
                        for entry in &mut *equal {
                            entry.0 = self.get(entry.1).len() as u64;
                        }
                        equal.sort_unstable();
                    }
                }
                first += length;
            }
        }
        entries.into_iter().map(|(_, number)| number).collect()
    }

    /// Returns the indexes of the different keys in order; of equal keys, the first.
    pub fn distinct(&self) -> Vec<u32> {
        let mut numbers = self.sorted();
        numbers.dedup_by(|number, before| self.get(*number) == self.get(*before));
        numbers
    }

    /// Returns eight bytes of a key from `depth` on, as an integer.
    fn eight_bytes(&self, number: u32, depth: usize) -> u64 {
        let rest = self.get(number).get(depth..).unwrap_or_default();
        match rest.first_chunk::<8>() {
            Some(whole) => u64::from_be_bytes(*whole),
            None => rest.iter().enumerate().fold(0, |chunk, (at, byte)| chunk | u64::from(*byte) << (56 - 8 * at)),
        }
    }
}

/// Returns the indexes sorted by their keys; equal keys keep their order.
pub fn sorted_by_number(keys: &[u64]) -> Vec<u32> {
    let mut entries: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
    entries.sort_unstable();
    entries.into_iter().map(|(_, number)| number).collect()
}

/// Sorts rows by their ranks, `ranks[row]`, which are below `buckets`; equal ranks keep their order. O(rows + buckets).
pub fn bucket_sort(rows: &mut Vec<u32>, ranks: &[u32], buckets: usize) {
    let rank = |row: u32| ranks.get(row as usize).map_or(0, |rank| *rank as usize).min(buckets.saturating_sub(1));
    let mut next = vec![0u32; buckets.max(1) + 1];
    for &row in &*rows {
        next[rank(row) + 1] += 1;
    }
    for bucket in 1..next.len() {
        next[bucket] += next[bucket - 1];
    }
    let mut sorted = vec![0; rows.len()];
    for &row in &*rows {
        let place = &mut next[rank(row)];
        sorted[*place as usize] = row;
        *place += 1;
    }
    *rows = sorted;
}

/// Marks each row whose value is marked: `rows[row] |= values[ids[row]]`.
pub fn mark(rows: &mut [u8], ids: &[u32], values: &[u8]) {
    for (row, id) in rows.iter_mut().zip(ids) {
        *row |= values.get(*id as usize).copied().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_sort_as_bytes_do(keys in prop::collection::vec("[ab\u{0}]{0,20}", 0..600)) {
            let mut packed = Keys::default();
            for key in &keys {
                packed.push(&mut |into| into.extend_from_slice(key.as_bytes()));
            }
            let mut expected: Vec<u32> = (0..).take(keys.len()).collect();
            expected.sort_by_key(|number| keys[*number as usize].as_bytes());
            prop_assert_eq!(packed.sorted(), &*expected);
            expected.dedup_by_key(|number| keys[*number as usize].as_bytes());
            prop_assert_eq!(packed.distinct(), expected);
        }

        #[test]
        fn buckets_keep_the_order_of_equals(ranks in prop::collection::vec(0u32..5, 0..40), backwards in any::<bool>()) {
            let mut rows: Vec<u32> = (0..).take(ranks.len()).collect();
            if backwards {
                rows.reverse();
            }
            let mut expected = rows.clone();
            expected.sort_by_key(|row| ranks[*row as usize]);
            bucket_sort(&mut rows, &ranks, 5);
            prop_assert_eq!(rows, expected);
        }
    }
}
