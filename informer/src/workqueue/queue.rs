//! Order of waiting keys.

use std::collections::VecDeque;

/// Order in which waiting keys are delivered; client-go's `workqueue.Queue`. The work queue ensures that no key is in it
/// twice. The methods must not call the work queue itself.
pub trait Queue<K> {
    /// A waiting key was added again, which may be a reason to deliver it sooner. Not called for keys that are being
    /// processed.
    fn touch(&mut self, key: &K) {
        let _ = key;
    }

    /// Adds a key.
    fn push(&mut self, key: K);

    /// Number of keys.
    fn len(&self) -> usize;

    /// Whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes and returns the next key; `None` only if there is none.
    fn pop(&mut self) -> Option<K>;
}

/// First in, first out.
#[derive(Clone, Debug)]
pub struct Fifo<K>(VecDeque<K>);

impl<K> Default for Fifo<K> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<K> Queue<K> for Fifo<K> {
    fn push(&mut self, key: K) {
        self.0.push_back(key);
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn pop(&mut self) -> Option<K> {
        self.0.pop_front()
    }
}
