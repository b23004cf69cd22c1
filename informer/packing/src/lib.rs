//! What the informer's hot path does to bytes: JSON text is read in place, and kept small.
//!
//! A crate of its own because it is built for speed where the rest of what a browser downloads is built for size, and
//! cargo chooses that by crate. It knows nothing of Kubernetes, does no I/O, and takes any bytes without a panic.

mod cutter;
mod json;
mod outline;

pub use cutter::{CutError, Cutter, Piece};
pub use json::Json;
pub use outline::Outline;
