//! In-memory storage that fails on command, for tests.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;

use super::{Storage, StorageError, Stored};
use informer::clock::Clock;

/// In-memory storage. Clones share their content.
#[derive(Clone)]
pub struct MemoryStorage(Rc<Inner>);

struct Inner {
    clock: Rc<dyn Clock>,
    entries: RefCell<BTreeMap<String, Vec<u8>>>,
    delay: Cell<Duration>,
    quota: Cell<usize>,
    /// Number of writes that still succeed.
    writes_left: Cell<usize>,
    puts: Cell<usize>,
}

impl MemoryStorage {
    /// Creates an empty storage without a limit.
    pub fn new(clock: Rc<dyn Clock>) -> Self {
        Self(Rc::new(Inner {
            clock,
            entries: RefCell::default(),
            delay: Cell::default(),
            quota: Cell::new(usize::MAX),
            writes_left: Cell::new(usize::MAX),
            puts: Cell::default(),
        }))
    }

    /// Delays each later call by this time.
    pub fn slow_down(&self, delay: Duration) {
        self.0.delay.set(delay);
    }

    /// Limits the stored bytes.
    pub fn limit(&self, bytes: usize) {
        self.0.quota.set(bytes);
    }

    /// Simulates a worker that ends after this many further puts: no later put or deletion takes effect or resolves.
    pub fn tear_after(&self, puts: usize) {
        self.0.writes_left.set(puts);
    }

    /// Changes the stored bytes directly, for tests.
    pub fn tamper(&self, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) {
        change(&mut self.0.entries.borrow_mut());
    }

    /// Number of puts.
    pub fn puts(&self) -> usize {
        self.0.puts.get()
    }

    /// Performs a call: it takes effect at once, in the order of calls like a transaction, and resolves later.
    fn perform<T: 'static>(&self, act: impl FnOnce(&Inner) -> Result<T, StorageError>) -> Stored<T> {
        let (done, pause) = (act(&self.0), self.0.delay.get());
        let sleep = (!pause.is_zero()).then(|| self.0.clock.sleep(pause));
        async move {
            if let Some(sleep) = sleep {
                sleep.await;
            }
            done
        }
        .boxed_local()
    }

    fn is_torn(&self) -> bool {
        self.0.writes_left.get() == 0
    }
}

impl Storage for MemoryStorage {
    fn get(&self, key: &str) -> Stored<Option<Vec<u8>>> {
        self.perform(|inner| Ok(inner.entries.borrow().get(key).cloned()))
    }

    fn put(&self, key: &str, bytes: Vec<u8>) -> Stored<()> {
        if self.is_torn() {
            return futures::future::pending().boxed_local();
        }
        self.perform(|inner| {
            inner.writes_left.set(inner.writes_left.get() - 1);
            inner.puts.set(inner.puts.get() + 1);
            let mut entries = inner.entries.borrow_mut();
            let others = entries.iter().filter(|(other, _)| *other != key).map(|(_, bytes)| bytes.len());
            if others.sum::<usize>() + bytes.len() > inner.quota.get() {
                return Err(StorageError::Quota);
            }
            entries.insert(key.to_owned(), bytes);
            Ok(())
        })
    }

    fn delete(&self, key: &str) -> Stored<()> {
        if self.is_torn() {
            return futures::future::pending().boxed_local();
        }
        self.perform(|inner| {
            inner.entries.borrow_mut().remove(key);
            Ok(())
        })
    }

    fn keys(&self) -> Stored<Vec<String>> {
        self.perform(|inner| Ok(inner.entries.borrow().keys().cloned().collect()))
    }

    fn clear(&self) -> Stored<()> {
        self.perform(|inner| {
            inner.entries.borrow_mut().clear();
            Ok(())
        })
    }
}
