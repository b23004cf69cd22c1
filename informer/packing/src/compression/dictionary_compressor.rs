//! Compressor for texts of one kind, which trains its dictionary on the first ones and again when they change.

use std::sync::Arc;

use super::lz4::{Compressor, Dictionary, PreparedDictionary};
use super::training::train;

/// Training stages: maximum number of samples, and the sampling interval in texts. The first dictionary is trained on
/// one text, the last one on texts far apart.
const STAGES: [(usize, usize); 4] = [(1, 1), (24, 1), (64, 4), (128, 16)];
/// Maximum length of a sample. A longer text is cut to this.
const MAX_SAMPLE_BYTES: usize = 32 << 10;
/// Number of texts after which the compression ratio is checked.
const WINDOW_TEXTS: usize = 1024;
/// Compressed size above which the dictionary is trained again, as a percentage of that of the first window.
const RETRAIN_PERCENT: u64 = 125;
/// Maximum working memory that is kept between texts.
const MAX_SCRATCH_BYTES: usize = 1 << 20;

/// Compressor of texts of one kind, with a dictionary trained on them.
///
/// The dictionary is trained in stages, and again when the ratio gets worse. The pause between two trainings doubles,
/// so n texts have O(log n) dictionaries. A dictionary lives as long as a block that was compressed with it.
#[derive(Debug, Default)]
pub struct DictionaryCompressor {
    compressor: Compressor,
    dictionary: PreparedDictionary,
    /// Index into [`STAGES`]; beyond them training ends.
    stage: usize,
    samples: Vec<Vec<u8>>,
    /// Texts since the stage began, or in the window.
    texts: usize,
    plain: u64,
    packed: u64,
    /// Compressed size per thousand bytes in the first window.
    reference_ratio: Option<u64>,
    /// Windows until the dictionary may be trained anew, and the previous pause.
    pause: (u32, u32),
    dictionaries: usize,
}

/// A compressed text.
#[derive(Debug)]
pub struct Compressed<'p> {
    /// The block, for [`decompress`](crate::lz4::decompress).
    pub block: &'p [u8],
    /// Its dictionary.
    pub dictionary: Arc<Dictionary>,
}

impl DictionaryCompressor {
    /// Compresses `text` after its first `known` bytes, which the reader must have. O(text), except when a dictionary
    /// is trained.
    pub fn pack(&mut self, text: &[u8], known: usize) -> Compressed<'_> {
        self.learn(text.get(known..).unwrap_or_default());
        if text.len() <= MAX_SCRATCH_BYTES && self.compressor.capacity() > 2 * MAX_SCRATCH_BYTES {
            self.compressor = Compressor::default();
        }
        let block = self.compressor.compress(&self.dictionary, text, known);
        self.plain += (text.len() - known.min(text.len())) as u64;
        self.packed += block.len() as u64;
        Compressed { block, dictionary: Arc::clone(self.dictionary.dictionary()) }
    }

    /// The dictionary of the last text.
    pub fn dictionary(&self) -> &Arc<Dictionary> {
        self.dictionary.dictionary()
    }

    /// Number of dictionaries that were trained.
    pub fn dictionaries(&self) -> usize {
        self.dictionaries
    }

    fn learn(&mut self, text: &[u8]) {
        self.texts += 1;
        let Some((wanted, one_of)) = STAGES.get(self.stage).copied() else { return self.check_ratio() };
        if self.texts.is_multiple_of(one_of) {
            self.samples.push(text.get(..MAX_SAMPLE_BYTES).unwrap_or(text).to_vec());
        }
        let bytes: usize = self.samples.iter().map(Vec::len).sum();
        if self.samples.len() >= wanted || bytes >= Dictionary::MAX {
            let dictionary = train(&std::mem::take(&mut self.samples));
            self.dictionary = PreparedDictionary::new(Arc::new(dictionary));
            self.stage += 1;
            self.dictionaries += 1;
            (self.texts, self.plain, self.packed, self.reference_ratio) = (0, 0, 0, None);
        }
    }

    /// Checks the compression ratio of the last window.
    fn check_ratio(&mut self) {
        if self.texts < WINDOW_TEXTS {
            return;
        }
        let ratio = self.packed * 1000 / self.plain.max(1);
        (self.texts, self.plain, self.packed) = (0, 0, 0);
        let reference_ratio = *self.reference_ratio.get_or_insert(ratio);
        let (pause, last) = &mut self.pause;
        if *pause > 0 {
            *pause -= 1;
        } else if ratio * 100 > reference_ratio * RETRAIN_PERCENT {
            *last = (*last * 2).max(1);
            *pause = *last;
            self.stage = STAGES.len() - 1;
        }
    }
}
