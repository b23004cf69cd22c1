//! JavaScript interface: ports of the engine, through wasm-bindgen. Besides `transport/fetch.rs`,
//! `transport/socket.rs`, `clock/browser.rs` and `storage/indexed_db.rs`, the only module that calls JavaScript.

mod port;

pub use port::serve;
