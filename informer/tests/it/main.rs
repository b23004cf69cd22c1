//! The informer through its public surface, on virtual time and scripted answers.

// The harness is not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod architecture;
mod backlog;
mod cache_model;
mod cache_sync;
mod controller;
mod delta_fifo;
mod engine;
mod factory;
mod faults;
mod filtering;
mod handlers;
mod harness;
mod indexer;
mod metrics;
mod real_fifo;
mod registrations;
mod replica;
mod resync;
mod shared_informer;
mod source;
mod store;
mod watching;
