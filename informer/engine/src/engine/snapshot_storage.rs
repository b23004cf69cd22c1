//! Storage of snapshots: its place, and how often it was cleared.

use std::cell::Cell;
use std::rc::Rc;

use crate::storage::Storage;

/// Place of snapshots: none, a storage of the embedder, or the browser's.
#[derive(Clone)]
pub(super) enum Place {
    None,
    In(Rc<dyn Storage>),
    #[cfg(target_arch = "wasm32")]
    Browser,
}

/// Storage of snapshots, shared by all clusters of an engine.
#[derive(Clone)]
pub(super) struct SnapshotStorage {
    pub(super) place: Place,
    /// Number of clears. What began to write before the last one writes no more, also for an informer that is gone.
    pub(super) clears: Rc<Cell<u32>>,
}
