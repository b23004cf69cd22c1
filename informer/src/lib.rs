//! client-go's informer machinery in Rust: natively, and compiled to WebAssembly in the browser.

pub mod columns;
mod error;
pub mod message;
mod resource;
mod status;
mod time;

pub use error::{ErrorCode, InformerError, Result};
pub use resource::{GroupVersionResource, ResourceInfo};
pub use status::{ErrorReport, Freshness, InformerStatus, Phase};
pub use time::parse_rfc3339;
