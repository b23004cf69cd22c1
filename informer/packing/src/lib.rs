//! Byte processing of the informer's hot path, by subject: JSON, records, compression, tables, text.
//!
//! A crate of its own because it is built for speed, while the rest of what a browser downloads is built for size, and cargo
//! chooses that by crate. It knows nothing of Kubernetes, does no I/O, and accepts any bytes without a panic.

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
