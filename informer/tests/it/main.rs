//! The informer through its public surface, on virtual time and scripted answers.

// The harness is not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod architecture;
mod backlog;
mod cache_model;
mod cache_sync;
mod delta_fifo;
mod engine;
mod factory;
mod faults;
mod filtering;
mod handlers;
mod harness;
mod indexer;
mod json_path;
mod lister;
mod replica;
mod selectors;
mod shared_informer;
mod source;
mod watching;
mod workqueue;
