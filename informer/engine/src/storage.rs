//! Where bytes are kept beyond the life of a worker: in the browser IndexedDB, in tests memory.

#[cfg(target_arch = "wasm32")]
pub mod indexed_db;
#[cfg(any(test, feature = "testing"))]
pub mod memory;

use std::fmt;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};

/// Keeps bytes by name. Not `Send`, on purpose, as [`informer::transport::Transport`].
///
/// Each call is one transaction, and calls take effect in the order in which they are made. To drop a future is to lose
/// interest in how it ends: what it began may happen or not.
pub trait Storage {
    /// What was put under a key; `None` where nothing is.
    fn get(&self, key: &str) -> Stored<Option<Vec<u8>>>;

    /// Puts bytes under a key, in place of what was there. Once it resolves they are there after a reload.
    fn put(&self, key: &str, bytes: Vec<u8>) -> Stored<()>;

    /// Removes what is under a key, if anything is.
    fn delete(&self, key: &str) -> Stored<()>;

    /// All keys, in no order.
    fn keys(&self) -> Stored<Vec<String>>;

    /// Removes everything.
    fn clear(&self) -> Stored<()>;
}

/// What comes of a call to a [`Storage`].
pub type Stored<T> = LocalBoxFuture<'static, Result<T, StorageError>>;

/// Why nothing was kept or found. Nobody depends on a storage, so none of these may hurt more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// There is no room: the origin's quota, or the disk.
    Quota,
    /// There is no storage, or it may not be used: some private windows, some settings.
    Unavailable,
    /// It was tried and did not succeed.
    Failed,
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quota => "there is no room left in the browser's storage",
            Self::Unavailable => "the browser's storage may not be used here",
            Self::Failed => "the browser's storage failed",
        })
    }
}

impl std::error::Error for StorageError {}

/// No storage at all.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;

impl Storage for Nowhere {
    fn get(&self, _key: &str) -> Stored<Option<Vec<u8>>> {
        unavailable()
    }

    fn put(&self, _key: &str, _bytes: Vec<u8>) -> Stored<()> {
        unavailable()
    }

    fn delete(&self, _key: &str) -> Stored<()> {
        unavailable()
    }

    fn keys(&self) -> Stored<Vec<String>> {
        unavailable()
    }

    fn clear(&self) -> Stored<()> {
        unavailable()
    }
}

fn unavailable<T: 'static>() -> Stored<T> {
    ready(Err(StorageError::Unavailable)).boxed_local()
}
