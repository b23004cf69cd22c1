//! Compressor pool for texts of one kind; it builds their dictionary from the first ones.

use std::sync::Arc;

use super::lz4::{Compressor, Dictionary, PreparedDictionary};
use super::training::train;

/// Samples from which a dictionary is made, stage by stage: how many at the most, and one of how many texts. A first
/// dictionary is there from the second text on, a good one soon after, and one of texts from far apart in the end.
const STAGES: [(usize, usize); 4] = [(1, 1), (24, 1), (64, 4), (128, 16)];
/// Of a longer text only so much is a sample.
const LONGEST_SAMPLE: usize = 32 << 10;
/// Whether a dictionary still pays is looked at after so many texts.
const WINDOW: usize = 1024;
/// A dictionary is made anew when texts have grown by so many percent against its first window.
const WORSE: u64 = 125;
/// Memory for the work that is given back when a text needed more.
const SCRATCH: usize = 1 << 20;

/// Compresses the texts of one kind against a dictionary that is made of them.
///
/// The dictionary is made anew while few texts were seen, and later when texts have become others. Between two of those
/// the wait doubles, so of n texts there are O(log n) dictionaries; those that blocks were written with live as long as
/// they are held.
#[derive(Debug, Default)]
pub struct Press {
    compressor: Compressor,
    dictionary: PreparedDictionary,
    /// The place in [`STAGES`]; beyond them nothing is learned.
    stage: usize,
    samples: Vec<Vec<u8>>,
    /// Texts since the stage began, or in the window.
    texts: usize,
    plain: u64,
    packed: u64,
    /// What was left of a thousand bytes in the first window.
    good: Option<u64>,
    /// Windows until the dictionary may be made anew, and how many that were last time.
    patience: (u32, u32),
    dictionaries: usize,
}

/// A compressed text.
#[derive(Debug)]
pub struct Pressed<'p> {
    /// The block, for [`decompress`](crate::lz4::decompress).
    pub block: &'p [u8],
    /// What it was compressed against.
    pub dictionary: Arc<Dictionary>,
}

impl Press {
    /// Compresses what of `text` comes after its first `known` bytes, which the reader must know. O(text), but
    /// for the few times that a dictionary is made.
    pub fn pack(&mut self, text: &[u8], known: usize) -> Pressed<'_> {
        self.learn(text.get(known..).unwrap_or_default());
        if text.len() <= SCRATCH && self.compressor.capacity() > 2 * SCRATCH {
            self.compressor = Compressor::default();
        }
        let block = self.compressor.compress(&self.dictionary, text, known);
        self.plain += (text.len() - known.min(text.len())) as u64;
        self.packed += block.len() as u64;
        Pressed { block, dictionary: Arc::clone(self.dictionary.dictionary()) }
    }

    /// The dictionary of the text that was packed last.
    pub fn dictionary(&self) -> &Arc<Dictionary> {
        self.dictionary.dictionary()
    }

    /// How many dictionaries have been made.
    pub fn dictionaries(&self) -> usize {
        self.dictionaries
    }

    fn learn(&mut self, text: &[u8]) {
        self.texts += 1;
        let Some((wanted, one_of)) = STAGES.get(self.stage).copied() else { return self.look_back() };
        if self.texts.is_multiple_of(one_of) {
            self.samples.push(text.get(..LONGEST_SAMPLE).unwrap_or(text).to_vec());
        }
        let bytes: usize = self.samples.iter().map(Vec::len).sum();
        if self.samples.len() >= wanted || bytes >= Dictionary::MAX {
            let dictionary = train(&std::mem::take(&mut self.samples));
            self.dictionary = PreparedDictionary::new(Arc::new(dictionary));
            self.stage += 1;
            self.dictionaries += 1;
            (self.texts, self.plain, self.packed, self.good) = (0, 0, 0, None);
        }
    }

    /// Whether the dictionary still pays.
    fn look_back(&mut self) {
        if self.texts < WINDOW {
            return;
        }
        let left = self.packed * 1000 / self.plain.max(1);
        (self.texts, self.plain, self.packed) = (0, 0, 0);
        let good = *self.good.get_or_insert(left);
        let (wait, last) = &mut self.patience;
        if *wait > 0 {
            *wait -= 1;
        } else if left * 100 > good * WORSE {
            *last = (*last * 2).max(1);
            *wait = *last;
            self.stage = STAGES.len() - 1;
        }
    }
}
