//! The informer through its public surface, on virtual time and scripted answers.

// The harness is not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod architecture;
mod corpus;
mod engine;
mod factory;
mod faults;
mod handlers;
mod harness;
mod json_path;
mod selectors;
mod watching;
