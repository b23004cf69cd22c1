//! JSON without a tree: a validating streaming parser that splits a list into items (`Cutter`) and indexes member
//! positions (`Outline`), zero-copy readers (`Json`), and writers.

mod block;
mod brackets;
mod cutter;
mod ends;
mod escapes;
mod invalid;
mod member;
mod number;
mod outline;
mod scan;
mod value;
mod writer;
pub mod zero_value;

pub use cutter::{CutError, Cutter, Piece};
pub use invalid::Invalid;
pub use outline::{Outline, Outlined, Outliner};
pub use value::{Json, Key, Members};
pub use writer::{ArrayWriter, ObjectWriter, write_float, write_number, write_string};
