//! JavaScript interface: ports of the engine, through wasm-bindgen. Besides `transport/fetch.rs`, `transport/socket.rs`
//! and `clock/browser.rs`, the only module that calls JavaScript.

mod port;

pub use port::serve;
