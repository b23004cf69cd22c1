//! What the fuzzers do with their input. `informer/engine/tests/it/corpus.rs` does the same with the seeds, on stable.
//!
//! A run fails by panicking: because the informer did, or because an assertion here does not hold.

pub mod decoder;
pub mod json_path;
pub mod list;
pub mod query;
pub mod selectors;
