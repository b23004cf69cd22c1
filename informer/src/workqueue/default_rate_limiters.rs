//! client-go's default rate limiters.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

use super::rate_limiter::RateLimiter;
use crate::clock::Clock;

/// Default rate limiter of controllers: each key waits 5 ms after its first failure and twice as long after each
/// further one, up to 1000 s, and all keys together are retried ten times a second after a burst of 100.
pub fn default_controller_rate_limiter<K: Clone + Eq + Hash + 'static>(clock: Rc<dyn Clock>) -> MaxOfRateLimiter<K> {
    MaxOfRateLimiter::new(vec![
        Box::new(ItemExponentialFailureRateLimiter::new(Duration::from_millis(5), MAX_DELAY)),
        Box::new(BucketRateLimiter::new(clock, 10.0, 100)),
    ])
}

/// Maximum delay of a key (client-go's default).
const MAX_DELAY: Duration = Duration::from_secs(1000);

/// Failures of each key since it was last forgotten. A key that is never forgotten stays in the map forever.
#[derive(Clone, Debug)]
struct Failures<K>(RefCell<HashMap<K, u32>>);

impl<K> Default for Failures<K> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Clone + Eq + Hash> Failures<K> {
    /// Counts a failure. Returns the number of earlier ones.
    fn add(&self, key: &K) -> u32 {
        let mut failures = self.0.borrow_mut();
        let count = failures.entry(key.clone()).or_default();
        let before = *count;
        *count = before.saturating_add(1);
        before
    }

    fn forget(&self, key: &K) {
        self.0.borrow_mut().remove(key);
    }

    fn count(&self, key: &K) -> u32 {
        self.0.borrow().get(key).copied().unwrap_or_default()
    }
}

/// Each key waits `base`, and after every failure twice as long as before.
#[derive(Clone, Debug)]
pub struct ItemExponentialFailureRateLimiter<K> {
    failures: Failures<K>,
    base: Duration,
    max: Duration,
}

impl<K> ItemExponentialFailureRateLimiter<K> {
    /// Creates a limiter with delays of `base * 2^failures`, at most `max`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self { failures: Failures::default(), base, max }
    }
}

/// client-go's `DefaultItemBasedRateLimiter`: from 1 ms up to 1000 s.
impl<K> Default for ItemExponentialFailureRateLimiter<K> {
    fn default() -> Self {
        Self::new(Duration::from_millis(1), MAX_DELAY)
    }
}

impl<K: Clone + Eq + Hash> RateLimiter<K> for ItemExponentialFailureRateLimiter<K> {
    fn when(&self, key: &K) -> Duration {
        // A nanosecond doubled 94 times exceeds a Duration.
        let doublings = self.failures.add(key).min(94);
        (0..doublings).fold(self.base, |wait, _| wait.saturating_mul(2)).min(self.max)
    }

    fn forget(&self, key: &K) {
        self.failures.forget(key);
    }

    fn num_requeues(&self, key: &K) -> u32 {
        self.failures.count(key)
    }
}

/// Token bucket for all keys together: it ignores the key, and stores none.
#[derive(Clone)]
pub struct BucketRateLimiter {
    clock: Rc<dyn Clock>,
    qps: f64,
    burst: f64,
    /// Number of tokens, and its time. A negative number is reserved future tokens.
    tokens: Cell<(f64, Duration)>,
}

impl BucketRateLimiter {
    /// Creates a bucket: `burst` attempts without a delay, and `qps` more every second. If `qps` is not above zero,
    /// there are no further tokens.
    pub fn new(clock: Rc<dyn Clock>, qps: f64, burst: u32) -> Self {
        let (burst, now) = (f64::from(burst), clock.now());
        Self { clock, qps: qps.max(0.0), burst, tokens: Cell::new((burst, now)) }
    }
}

impl<K> RateLimiter<K> for BucketRateLimiter {
    fn when(&self, _: &K) -> Duration {
        let (tokens, since) = self.tokens.get();
        let now = self.clock.now();
        let refilled = now.saturating_sub(since).as_secs_f64() * self.qps;
        let left = (tokens + refilled).min(self.burst) - 1.0;
        self.tokens.set((left, now));
        if left >= 0.0 {
            return Duration::ZERO;
        }
        // Without further tokens this divides by zero: longer than any Duration.
        Duration::try_from_secs_f64(-left / self.qps).unwrap_or(Duration::MAX)
    }

    fn forget(&self, _: &K) {}

    fn num_requeues(&self, _: &K) -> u32 {
        0
    }
}

/// Rate limiter with a few fast retries per key, then slow ones.
#[derive(Clone, Debug)]
pub struct ItemFastSlowRateLimiter<K> {
    failures: Failures<K>,
    fast: Duration,
    slow: Duration,
    max_fast_attempts: u32,
}

impl<K> ItemFastSlowRateLimiter<K> {
    /// Creates a limiter with `max_fast_attempts` delays of `fast`, then delays of `slow`.
    pub fn new(fast: Duration, slow: Duration, max_fast_attempts: u32) -> Self {
        Self { failures: Failures::default(), fast, slow, max_fast_attempts }
    }
}

impl<K: Clone + Eq + Hash> RateLimiter<K> for ItemFastSlowRateLimiter<K> {
    fn when(&self, key: &K) -> Duration {
        if self.failures.add(key) < self.max_fast_attempts { self.fast } else { self.slow }
    }

    fn forget(&self, key: &K) {
        self.failures.forget(key);
    }

    fn num_requeues(&self, key: &K) -> u32 {
        self.failures.count(key)
    }
}

/// Combination of rate limiters: the longest delay counts.
pub struct MaxOfRateLimiter<K> {
    limiters: Vec<Box<dyn RateLimiter<K>>>,
}

impl<K> MaxOfRateLimiter<K> {
    /// Creates a combination. Without limiters there is no delay.
    pub fn new(limiters: Vec<Box<dyn RateLimiter<K>>>) -> Self {
        Self { limiters }
    }
}

impl<K> RateLimiter<K> for MaxOfRateLimiter<K> {
    fn when(&self, key: &K) -> Duration {
        self.limiters.iter().map(|limiter| limiter.when(key)).max().unwrap_or_default()
    }

    fn forget(&self, key: &K) {
        self.limiters.iter().for_each(|limiter| limiter.forget(key));
    }

    fn num_requeues(&self, key: &K) -> u32 {
        self.limiters.iter().map(|limiter| limiter.num_requeues(key)).max().unwrap_or_default()
    }
}

/// Rate limiter with a maximum delay.
#[derive(Clone, Debug)]
pub struct WithMaxWaitRateLimiter<L> {
    limiter: L,
    max_delay: Duration,
}

impl<L> WithMaxWaitRateLimiter<L> {
    /// Creates a limiter with the delays of `limiter`, at most `max_delay`.
    pub fn new(limiter: L, max_delay: Duration) -> Self {
        Self { limiter, max_delay }
    }
}

impl<K, L: RateLimiter<K>> RateLimiter<K> for WithMaxWaitRateLimiter<L> {
    fn when(&self, key: &K) -> Duration {
        self.limiter.when(key).min(self.max_delay)
    }

    fn forget(&self, key: &K) {
        self.limiter.forget(key);
    }

    fn num_requeues(&self, key: &K) -> u32 {
        self.limiter.num_requeues(key)
    }
}
