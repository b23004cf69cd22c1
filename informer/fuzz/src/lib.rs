//! Fuzz targets as functions of their input. `informer/engine/tests/it/corpus.rs` runs them with the seeds, on stable
//! Rust.
//!
//! A run fails by a panic: of the informer, or of an assertion here.

pub mod decoder;
pub mod json_path;
pub mod list;
pub mod query;
pub mod selectors;
