//! Informers on a real network and a real clock: natively and in the browser, against the embedded apiserver and a real one.
//!
//! One source for all targets: what differs between them is in `native.rs` and `browser.rs`, and `#[live_test]` is the
//! target's own attribute for a test. Each test has a namespace of its own, so that it runs beside the others; what only
//! the embedded apiserver can do is in `embedded.rs`.

mod api;
mod cache;
mod custom_resource;
mod discovery;
mod embedded;
mod engine;
mod factory;
mod handlers;
mod line;
mod lists;
mod metadata;
#[cfg(target_arch = "wasm32")]
mod port;
mod refusals;
mod sample_controller;
mod scene;
mod selectors;
#[cfg_attr(target_arch = "wasm32", path = "browser.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "native.rs")]
mod target;
mod told;
mod watches;
