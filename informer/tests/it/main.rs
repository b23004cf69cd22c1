//! Tests of the informer through its public interface, on virtual time and scripted responses.

// The harness is not inside a #[test], where clippy.toml allows these.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod apiserver_restart;
mod architecture;
mod backlog;
mod budget;
mod bursts;
mod cache_model;
mod cache_sync;
mod cluster;
mod connection_slots;
mod connections;
mod contact;
mod controller;
mod delta_fifo;
mod errors;
mod factory;
mod failing_watches;
mod faults;
mod filtering;
mod handlers;
mod harness;
mod indexer;
mod intake;
mod json_path;
mod key_value;
mod lister;
mod lists;
mod metrics;
mod polling;
mod real_fifo;
mod registrations;
mod replica;
mod restarts;
mod resync;
mod selectors;
mod shared_informer;
mod silence;
mod source;
mod spans;
mod spec;
mod store;
mod streaming_lists;
mod subscribers;
mod transform;
mod unversioned;
mod verification;
mod watches;
mod workqueue;
