//! Storage of snapshots: none, one given by the embedder, or the browser's.

use std::rc::Rc;

use crate::storage::Storage;

/// Storage of snapshots: none, one given by the embedder, or the browser's.
#[derive(Clone)]
pub(super) enum SnapshotStorage {
    None,
    In(Rc<dyn Storage>),
    #[cfg(target_arch = "wasm32")]
    Browser,
}
