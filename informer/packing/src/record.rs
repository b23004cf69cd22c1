//! Records: the stored parts of one object in one piece of memory, read in place.

mod checksum;
mod interner;
mod record_of;
mod varint;

pub use checksum::checksum;
pub use interner::Interner;
pub use record_of::{RecordKey, record_key, record_moment, record_of};
pub use varint::{RecordReader, push_number, push_text, push_varint};
