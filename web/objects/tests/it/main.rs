//! Tests of summaries, relations and diagnosis, on objects as servers write them.

// The fixtures are not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic)]

mod edges;
mod fixtures;
mod maps;
mod needs;
mod odd_input;
mod pictures;
mod problems;
mod rules;
mod summaries;
