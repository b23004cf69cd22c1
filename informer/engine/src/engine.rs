//! Engine: serves pages by messages. The same code runs in a worker for all tabs, or in a page for itself.
//!
//! Dependencies go one way: a session (one page) uses the engine (state that all pages share), the engine uses its
//! parts, and parts use the state of an apiserver. `deferred` lists the code that is loaded on demand; `loading` loads
//! it.

mod cluster;
mod deferred;
mod definitions;
mod health_probe;
mod heartbeat;
mod indexers;
mod inspection;
mod json_text;
mod key_queue;
mod leases;
mod linger;
mod loading;
mod missing_namespace;
mod page_handler;
mod persistence;
mod read;
mod resources;
mod server;
mod session;
mod shared;
mod slab;
mod snapshot_storage;
mod start;
mod subscriptions;

pub use linger::LINGER;
#[cfg(target_arch = "wasm32")]
pub(crate) use loading::LazySocketTransport;
pub use session::Session;
pub use shared::{Connector, Engine};
