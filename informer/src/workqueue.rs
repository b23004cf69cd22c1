//! client-go's work queue (`util/workqueue`).

mod default_rate_limiters;
mod delaying;
mod getter;
mod metrics;
mod queue;
mod rate_limiter;
mod state;

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

pub use self::default_rate_limiters::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter, MaxOfRateLimiter,
    WithMaxWaitRateLimiter, default_controller_rate_limiter,
};
use self::getter::Getter;
pub use self::metrics::{DurationMetric, WorkQueueMetrics};
pub use self::queue::{Fifo, Queue};
pub use self::rate_limiter::RateLimiter;
use self::state::State;
use crate::clock::Clock;

/// client-go's `RateLimitingInterface`: a queue of keys to process. A clone is another handle to the same queue.
///
/// - A key that is added while it waits is one key. A key that is added while it is being processed is delivered
///   again after [`WorkQueue::done`]. So two workers never process the same key at the same time, and no change is
///   missed.
/// - Keys are delivered in the order in which they were added, unless a [`Queue`] decides otherwise.
/// - A worker that takes a key calls [`WorkQueue::done`] when it has finished, whether it succeeded or failed.
/// - [`WorkQueue::add_after`] and [`WorkQueue::add_rate_limited`] add a key later. The key is added exactly when it
///   is due as far as a caller can observe; there is no task and, without a pending [`WorkQueue::get`], no timer.
/// - After [`WorkQueue::shut_down`] nothing can be added, and waiting keys are still delivered.
///
/// Every call takes amortised constant time, those that delay a key O(log n) in the number of delayed keys.
///
/// The loop of a client-go controller, where a failed key is retried four times, with growing delays:
///
/// ```
/// use std::cell::RefCell;
/// use std::rc::Rc;
/// use std::time::Duration;
///
/// use futures::{executor::LocalPool, task::LocalSpawnExt};
/// use informer::clock::virtual_time::VirtualClock;
/// use informer::workqueue::WorkQueue;
///
/// async fn process_next_work_item(queue: &WorkQueue<String>, sync: impl Fn(&str) -> Result<(), String>) -> bool {
///     let Some(key) = queue.get().await else { return false };
///     match sync(&key) {
///         Ok(()) => queue.forget(&key),
///         Err(_) if queue.num_requeues(&key) < 4 => queue.add_rate_limited(key.clone()),
///         Err(error) => {
///             eprintln!("giving up on {key}: {error}");
///             queue.forget(&key);
///         }
///     }
///     queue.done(&key);
///     true
/// }
///
/// let clock = VirtualClock::new();
/// let queue = WorkQueue::new(Rc::new(clock.clone()));
/// queue.add("shop/web".to_owned());
/// queue.add("shop/broken".to_owned());
/// queue.add("shop/web".to_owned());
///
/// let mut pool = LocalPool::new();
/// let (worker, synced) = (queue.clone(), Rc::new(RefCell::new(Vec::new())));
/// let log = Rc::clone(&synced);
/// pool.spawner().spawn_local(async move {
///     let sync = |key: &str| {
///         log.borrow_mut().push(key.to_owned());
///         if key == "shop/broken" { Err("no such image".to_owned()) } else { Ok(()) }
///     };
///     while process_next_work_item(&worker, sync).await {}
/// })?;
///
/// pool.run_until_stalled();
/// assert_eq!(*synced.borrow(), ["shop/web", "shop/broken"]);
/// clock.advance(Duration::from_millis(5));
/// pool.run_until_stalled();
/// assert_eq!(*synced.borrow(), ["shop/web", "shop/broken", "shop/broken"]);
///
/// queue.shut_down();
/// pool.run(); // The worker has ended.
/// # Ok::<(), futures::task::SpawnError>(())
/// ```
#[derive(Clone)]
pub struct WorkQueue<K> {
    shared: Rc<Shared<K>>,
}

/// State that the handles of one queue share.
struct Shared<K> {
    state: RefCell<State<K>>,
    clock: Rc<dyn Clock>,
    rate_limiter: Box<dyn RateLimiter<K>>,
}

impl<K: Clone + Eq + Hash + 'static> WorkQueue<K> {
    /// Creates an empty queue, first in, first out, with the [`default_controller_rate_limiter`].
    pub fn new(clock: Rc<dyn Clock>) -> Self {
        let rate_limiter = default_controller_rate_limiter(Rc::clone(&clock));
        Self::with_rate_limiter(clock, rate_limiter)
    }

    /// Creates an empty queue, first in, first out.
    pub fn with_rate_limiter(clock: Rc<dyn Clock>, rate_limiter: impl RateLimiter<K> + 'static) -> Self {
        Self::with_queue(clock, rate_limiter, Fifo::default())
    }

    /// Creates a queue with a custom order: `queue` must be empty, and decides which key is next.
    pub fn with_queue(
        clock: Rc<dyn Clock>,
        rate_limiter: impl RateLimiter<K> + 'static,
        queue: impl Queue<K> + 'static,
    ) -> Self {
        let state = RefCell::new(State::new(Box::new(queue)));
        Self { shared: Rc::new(Shared { state, clock, rate_limiter: Box::new(rate_limiter) }) }
    }

    /// Adds a key.
    pub fn add(&self, key: K) {
        self.shared.with(|state, now| state.add(key, now));
    }

    /// Adds a key after `delay`; zero is now. If the key is delayed already, the earlier time counts. It can be added
    /// directly meanwhile, without effect on the delay.
    pub fn add_after(&self, key: K, delay: Duration) {
        self.shared.with(|state, now| state.add_after(key, delay, now));
    }

    /// Adds a key that failed, after the delay of the rate limiter. Does not replace [`WorkQueue::done`].
    pub fn add_rate_limited(&self, key: K) {
        let delay = self.shared.rate_limiter.when(&key);
        self.add_after(key, delay);
    }

    /// Resets the failures of a key in the rate limiter, because it succeeded or was given up. A waiting key stays in
    /// the queue.
    pub fn forget(&self, key: &K) {
        self.shared.rate_limiter.forget(key);
    }

    /// Number of [`WorkQueue::add_rate_limited`] calls for the key since its last [`WorkQueue::forget`].
    pub fn num_requeues(&self, key: &K) -> u32 {
        self.shared.rate_limiter.num_requeues(key)
    }

    /// Waits for the next key and takes it. `None` means that the queue has been shut down and is empty: the worker
    /// should end.
    ///
    /// Dropping the future takes no key; another waiting worker gets it.
    pub async fn get(&self) -> Option<K> {
        let mut getter = Getter::new(&self.shared);
        poll_fn(|context| getter.poll(context)).await
    }

    /// Takes the next key if there is one.
    pub fn try_get(&self) -> Option<K> {
        self.shared.with(State::take)
    }

    /// Marks a key as processed. If it was added meanwhile, it waits again. No effect on a key that is not being
    /// processed.
    pub fn done(&self, key: &K) {
        self.shared.with(|state, now| state.done(key, now));
    }

    /// Number of waiting keys, without those that are delayed or being processed.
    pub fn len(&self) -> usize {
        self.shared.with(|state, _| state.len())
    }

    /// Whether no key is waiting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shuts down: further keys are ignored, delayed keys are dropped, waiting keys are still delivered, then workers
    /// end. A pending [`WorkQueue::shut_down_with_drain`] ends.
    pub fn shut_down(&self) {
        self.shared.with(|state, _| state.shut_down(None));
    }

    /// Shuts down at once, whether or not the future is polled. The future resolves when every waiting key has been
    /// taken and is done, including those that were added again while they were processed.
    ///
    /// Workers must continue until [`WorkQueue::get`] returns `None`, or it never resolves; [`WorkQueue::shut_down`]
    /// ends the wait. client-go's comment promises the same; its code returns as soon as nothing is being processed,
    /// even if keys are waiting.
    pub fn shut_down_with_drain(&self) -> impl Future<Output = ()> + use<K> {
        let (drain, drained) = futures::channel::oneshot::channel();
        self.shared.with(|state, _| state.shut_down(Some(drain)));
        async move {
            // Nothing is ever sent: dropping the other half is the message.
            let _ = drained.await;
        }
    }

    /// Whether the queue has been shut down, with or without draining.
    pub fn is_shutting_down(&self) -> bool {
        self.shared.with(|state, _| state.is_shutting_down())
    }

    /// Metrics of the queue.
    ///
    /// O(keys being processed).
    pub fn metrics(&self) -> WorkQueueMetrics {
        self.shared.with(|state, now| state.metrics(now))
    }
}

impl<K: Clone + Eq + Hash> Shared<K> {
    /// Changes the state after adding keys that came due. Affected getters are woken when nothing is borrowed any
    /// more: they may call the queue at once.
    fn with<R>(&self, act: impl FnOnce(&mut State<K>, Duration) -> R) -> R {
        let now = self.clock.now();
        let (result, wakes) = {
            let mut state = self.state.borrow_mut();
            state.add_due(now);
            let result = act(&mut state, now);
            (result, state.take_wake_ups())
        };
        wakes.wake();
        result
    }
}
