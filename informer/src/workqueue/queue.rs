//! Order of waiting keys.

use std::collections::VecDeque;

/// The order in which waiting keys are handed out; client-go's `workqueue.Queue`. The work queue sees to it that no key
/// is in here twice. The methods must not call the work queue itself.
pub trait Queue<K> {
    /// A key that waits already was added again, which may be a reason to hand it out sooner. Not called for keys that
    /// are being processed.
    fn touch(&mut self, key: &K) {
        let _ = key;
    }

    /// Puts a key in.
    fn push(&mut self, key: K);

    /// How many keys are in here.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next key out; `None` only if there is none.
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
