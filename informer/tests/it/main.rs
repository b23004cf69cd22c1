//! The informer through its public surface, on virtual time and scripted answers.

// The harness is not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod architecture;
mod bursts;
mod delta_fifo;
mod engine;
mod errors;
mod factory;
mod faults;
mod handlers;
mod harness;
mod indexer;
mod key_value;
mod lists;
mod restarts;
mod silence;
mod streaming_lists;
mod subscribers;
mod watches;
