//! Where snapshots are kept.

use std::rc::Rc;

use crate::storage::Storage;

/// Where snapshots are kept.
#[derive(Clone)]
pub(super) enum Kept {
    Nowhere,
    In(Rc<dyn Storage>),
    #[cfg(target_arch = "wasm32")]
    InBrowser,
}
