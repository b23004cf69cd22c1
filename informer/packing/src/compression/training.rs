//! Dictionary training from sample texts.

use super::lz4::Dictionary;

/// Trains a dictionary: as many whole samples as fit, the last samples last. O(bytes).
///
/// Whole samples, because texts share their structure, which fragments lose. A dictionary of four whole pods and of the
/// fragments that more than one of 128 others contained made blocks 5 % longer than one of 15 whole pods.
pub(crate) fn train(samples: &[Vec<u8>]) -> Dictionary {
    let mut bytes = Vec::new();
    for sample in samples {
        if bytes.is_empty() || bytes.len() + sample.len() <= Dictionary::MAX {
            bytes.extend_from_slice(sample);
        }
    }
    Dictionary::new(&bytes)
}
