//! Rate limiter: the delay of a key before its next attempt.

use std::rc::Rc;
use std::time::Duration;

/// Says when a key may be tried again; client-go's `workqueue.RateLimiter`. Behind an [`Rc`] several queues can share
/// one.
pub trait RateLimiter<K> {
    /// How long this key waits now. Each call counts as a failure of the key.
    fn when(&self, key: &K) -> Duration;

    /// The key succeeded, or was given up: its failures are forgotten.
    fn forget(&self, key: &K);

    /// How many failures of the key are remembered.
    fn num_requeues(&self, key: &K) -> u32;
}

impl<K, L: RateLimiter<K> + ?Sized> RateLimiter<K> for Rc<L> {
    fn when(&self, key: &K) -> Duration {
        self.as_ref().when(key)
    }

    fn forget(&self, key: &K) {
        self.as_ref().forget(key);
    }

    fn num_requeues(&self, key: &K) -> u32 {
        self.as_ref().num_requeues(key)
    }
}
