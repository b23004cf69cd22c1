//! The wasm-bindgen surface: ports of the engine. The only place that speaks JavaScript, beside `transport/fetch.rs`
//! and `clock/browser.rs`.

mod port;

pub use port::serve;
