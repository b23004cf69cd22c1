//! The wasm-bindgen surface: ports of the engine. The only place that speaks JavaScript, beside `transport/fetch.rs`,
//! `transport/socket.rs` and `clock/browser.rs`.

mod port;
mod wire;

pub use port::serve;
pub use wire::{from_js, to_js};
