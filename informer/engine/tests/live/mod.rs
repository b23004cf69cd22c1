//! Informers on a real network and a real clock: natively and in the browser, against the embedded apiserver and a real
//! one.
//!
//! One source for all targets: `native.rs` and `browser.rs` contain the differences, and `#[live_test]` is the target's
//! attribute for a test. Each test has its own namespace, so that tests run in parallel; `embedded.rs` contains the
//! tests that only the embedded apiserver supports.

mod api;
mod cache;
mod custom_resource;
mod delivered;
mod discovery;
mod embedded;
mod engine;
mod factory;
mod handlers;
mod lists;
mod metadata;
#[cfg(target_arch = "wasm32")]
mod port;
mod recording_transport;
mod rejections;
mod sample_controller;
mod scene;
mod selectors;
#[cfg_attr(target_arch = "wasm32", path = "browser.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "native.rs")]
mod target;
mod watches;
