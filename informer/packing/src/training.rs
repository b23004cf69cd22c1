//! What many texts have in common.

use crate::lz4::{Compressor, Dictionary};

/// A dictionary made of samples.
pub(crate) fn train(samples: &[Vec<u8>], _compressor: &mut Compressor) -> Dictionary {
    let mut bytes = Vec::new();
    for sample in samples {
        if bytes.len() + sample.len() > Dictionary::MAX {
            break;
        }
        bytes.extend_from_slice(sample);
    }
    Dictionary::new(&bytes)
}
