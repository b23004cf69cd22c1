//! Compression: LZ4 against dictionaries that are made of what comes.

pub mod lz4;
mod press;
mod training;

pub use press::{Press, Pressed};
