//! Compression: LZ4 with dictionaries that are trained on the data.

mod dictionary_compressor;
pub mod lz4;
mod training;

pub use dictionary_compressor::{Compressed, DictionaryCompressor};
