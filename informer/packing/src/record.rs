//! Records: what is kept of one thing, in one piece of memory that is read where it lies.

mod interner;
mod record_of;
mod seal;
mod varint;

pub use interner::Interner;
pub use record_of::{RecordKey, record_key, record_moment, record_of};
pub use seal::seal;
pub use varint::{RecordReader, push_number, push_text, push_varint};
