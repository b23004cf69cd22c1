//! `Storage`: bytes by name, persisted; IndexedDB in the browser, memory in tests.

#[cfg(target_arch = "wasm32")]
pub mod indexed_db;
#[cfg(any(test, feature = "testing"))]
pub mod memory;

use std::fmt;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};

/// Keeps bytes by name. Not `Send`, on purpose, as [`crate::transport::Transport`].
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

/// Why nothing was stored or found. Storage is optional, so these errors have no other effect.
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
            Self::Quota => "the browser's storage is full",
            Self::Unavailable => "the browser does not allow storage here",
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
