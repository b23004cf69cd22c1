//! Rate limiter: the delay of a key before its next attempt.

use std::rc::Rc;
use std::time::Duration;

/// Delay before a key is retried; client-go's `workqueue.RateLimiter`. Several queues can share one in an [`Rc`].
pub trait RateLimiter<K> {
    /// Counts a failure of the key, and returns its delay.
    fn when(&self, key: &K) -> Duration;

    /// Clears the failures of a key, because it succeeded or was given up.
    fn forget(&self, key: &K);

    /// Number of counted failures of the key.
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
