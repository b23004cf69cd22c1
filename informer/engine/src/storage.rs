//! `Storage`: bytes by name, persisted; IndexedDB in the browser, memory in tests.

#[cfg(target_arch = "wasm32")]
pub mod indexed_db;
#[cfg(any(test, feature = "testing"))]
pub mod memory;

use std::fmt;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};

/// Storage of bytes by name. Not `Send`, on purpose, as [`informer::transport::Transport`].
///
/// Each call is one transaction, and calls take effect in the order in which they are made. Dropping a future drops
/// its result only: its call may take effect or not.
pub trait Storage {
    /// Returns the bytes under a key, or `None`.
    fn get(&self, key: &str) -> Stored<Option<Vec<u8>>>;

    /// Stores bytes under a key, replacing earlier ones. Once it resolves they survive a reload.
    fn put(&self, key: &str, bytes: Vec<u8>) -> Stored<()>;

    /// Removes the bytes under a key, if any.
    fn delete(&self, key: &str) -> Stored<()>;

    /// Returns all keys, in no order.
    fn keys(&self) -> Stored<Vec<String>>;

    /// Removes everything.
    fn clear(&self) -> Stored<()>;
}

/// Result of a call to a [`Storage`].
pub type Stored<T> = LocalBoxFuture<'static, Result<T, StorageError>>;

/// Error of a storage. Storage is optional, so these errors have no other effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// No space: the origin's quota, or the disk.
    Quota,
    /// No storage, or the browser does not allow it: some private windows, some settings.
    Unavailable,
    /// The storage failed.
    Failed,
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quota => "the browser's storage is full",
            Self::Unavailable => "the browser does not allow storage here",
            Self::Failed => "the browser's storage failed",
        })
    }
}

impl std::error::Error for StorageError {}

/// Absent storage: all calls fail.
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
