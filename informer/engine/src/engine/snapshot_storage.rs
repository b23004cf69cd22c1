//! Snapshot storage: where snapshots are persisted, and the number of times that they were cleared.

use std::cell::Cell;
use std::rc::Rc;

use crate::storage::Storage;

/// Where snapshots are stored: nowhere, in the embedder's storage, or in the browser's.
#[derive(Clone)]
pub(super) enum SnapshotBackend {
    None,
    Custom(Rc<dyn Storage>),
    #[cfg(target_arch = "wasm32")]
    Browser,
}

/// Storage of snapshots, shared by all clusters of an engine.
#[derive(Clone)]
pub(super) struct SnapshotStorage {
    pub(super) backend: SnapshotBackend,
    /// Number of clears. A writer that began before the last one stops, even if its informer has been released.
    pub(super) clears: Rc<Cell<u32>>,
}
