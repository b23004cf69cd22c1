//! Byte processing of the informer's hot path, by subject: JSON, records, compression, tables, text.
//!
//! A separate crate, because it is built for speed and all other code for size, and cargo sets the optimisation level per
//! crate. It contains nothing about Kubernetes, does no I/O, and accepts any bytes without a panic.

mod compression;
mod json;
mod record;
mod table;
mod text;

pub use compression::{Compressed, DictionaryCompressor, lz4};
pub use json::{
    ArrayWriter, CutError, Cutter, Invalid, Json, Key, Members, ObjectWriter, Outline, Outlined, Outliner, Piece,
    write_float, write_number, write_string, zero_value,
};
pub use record::{
    Interner, RecordKey, RecordReader, checksum, push_number, push_text, push_varint, record_key, record_moment,
    record_of,
};
pub use table::{Keys, Ranked, Slots, bucket_sort, hash, mark, sorted_by_number};
pub use text::{collate, contains_ignore_ascii_case};
