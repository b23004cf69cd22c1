//! The engine through its public surface, on virtual time and scripted responses.

// The harness is not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod corpus;
mod engine;
#[expect(dead_code, reason = "the informer's own tests use all of it")]
#[path = "../../../tests/it/harness.rs"]
mod harness;
mod relations;
