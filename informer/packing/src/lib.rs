//! Byte processing of the informer's hot path: JSON is read in place and stored compressed.
//!
//! A crate of its own because it is built for speed, while the rest of what a browser downloads is built for size, and cargo
//! chooses that by crate. It knows nothing of Kubernetes, does no I/O, and accepts any bytes without a panic.

mod block;
mod brackets;
mod collation;
mod cutter;
mod fold;
mod interner;
mod json;
pub mod lz4;
mod number;
mod outline;
mod press;
mod ranked;
mod record;
mod scan;
mod seal;
mod slots;
mod sorting;
mod training;
mod varint;
mod writer;
pub mod zero_value;

pub use collation::collate;
pub use cutter::{CutError, Cutter, Piece};
pub use fold::contains_ignore_ascii_case;
pub use interner::Interner;
pub use json::{Json, Key, Members};
pub use outline::{Invalid, Outline, Outlined, Outliner};
pub use press::{Press, Pressed};
pub use ranked::Ranked;
pub use record::{RecordKey, record_key, record_moment, record_of};
pub use seal::seal;
pub use slots::{Slots, hash};
pub use sorting::{Keys, bucket_sort, mark, sorted_by_number};
pub use varint::{RecordReader, push_number, push_text, push_varint};
pub use writer::{ArrayWriter, ObjectWriter, write_float, write_number, write_string};
