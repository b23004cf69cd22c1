//! Serves pages: messages in, messages out. The same code runs in a worker for all tabs and in a page for one.
//!
//! Arrows go one way: a session (one page) uses the engine (what all pages share), the engine its parts, and parts what is
//! known of an apiserver. What may have to be loaded first is named in `deferred`; `loading` brings it.

mod cluster;
mod deferred;
mod definitions;
mod grace;
mod health_probe;
mod heartbeat;
mod indexers;
mod inspection;
mod json_text;
mod kept;
mod key_queue;
mod loading;
mod missing_namespace;
mod numbered;
mod page_handler;
mod persistence;
mod read;
mod resources;
mod server;
mod session;
mod shared;
mod start;
mod subscriptions;

pub use grace::GRACE;
#[cfg(target_arch = "wasm32")]
pub(crate) use loading::LateSockets;
pub use session::Session;
pub use shared::{Connector, Engine};
