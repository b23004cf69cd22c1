//! State machine of a work queue, the core of client-go's `workqueue.Typed`: without clock and timers, the caller
//! passes the time.

use std::collections::HashMap;
use std::hash::Hash;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::channel::oneshot;

use super::delaying::Delayed;
use super::getter::Waiters;
use super::metrics::WorkQueueMetrics;
use super::queue::Queue;

/// Sender whose drop ends a pending [`shut_down_with_drain`](super::WorkQueue::shut_down_with_drain).
pub(super) type Drain = oneshot::Sender<()>;

/// State of a work queue.
pub(super) struct State<K> {
    /// Dirty keys in the order of delivery, without those that are being processed.
    queue: Box<dyn Queue<K>>,
    /// Keys to process, with the time of their addition.
    dirty: HashMap<K, Duration>,
    /// Keys that workers hold, with the time they were taken. A key that is dirty, too, returns to the queue when it is
    /// done.
    processing: HashMap<K, Duration>,
    delayed: Delayed<K>,
    waiters: Waiters,
    drains: Vec<Drain>,
    shutting_down: bool,
    counters: WorkQueueMetrics,
}

/// Wake-ups to carry out while nothing is borrowed: getters, and finished drains.
pub(super) struct WakeUps(Vec<Waker>, Vec<Drain>);

impl WakeUps {
    pub(super) fn wake(self) {
        let Self(wakers, drains) = self;
        wakers.into_iter().for_each(Waker::wake);
        drop(drains);
    }
}

impl<K: Clone + Eq + Hash> State<K> {
    pub(super) fn new(queue: Box<dyn Queue<K>>) -> Self {
        Self {
            queue,
            dirty: HashMap::new(),
            processing: HashMap::new(),
            delayed: Delayed::default(),
            waiters: Waiters::default(),
            drains: Vec::new(),
            shutting_down: false,
            counters: WorkQueueMetrics::default(),
        }
    }

    /// Adds a key. A key that is being processed stays out of the queue until it is done.
    pub(super) fn add(&mut self, key: K, now: Duration) {
        if self.shutting_down {
            return;
        }
        let processing = self.processing.contains_key(&key);
        if self.dirty.contains_key(&key) {
            if !processing {
                self.queue.touch(&key);
            }
            return;
        }
        self.counters.adds += 1;
        self.dirty.insert(key.clone(), now);
        if !processing {
            self.push(key);
        }
    }

    pub(super) fn add_after(&mut self, key: K, delay: Duration, now: Duration) {
        if self.shutting_down {
            return;
        }
        self.counters.retries += 1;
        if delay.is_zero() {
            self.add(key, now);
        } else if self.delayed.insert(key, now.saturating_add(delay)) {
            self.waiters.wake_timer_owner();
        }
    }

    /// Adds keys that are due, with their due time as the time of addition: a late call does not distort the metrics.
    pub(super) fn add_due(&mut self, now: Duration) {
        while let Some((key, due)) = self.delayed.pop_due(now) {
            self.add(key, due);
        }
    }

    fn push(&mut self, key: K) {
        self.queue.push(key);
        self.waiters.wake_one();
    }

    /// Takes the next key, for processing.
    pub(super) fn take(&mut self, now: Duration) -> Option<K> {
        // A custom queue may return a key that was never added; no getter receives such a key.
        while let Some(key) = self.queue.pop() {
            let Some(since) = self.dirty.remove(&key) else { continue };
            self.counters.queue_latency.observe(now.saturating_sub(since));
            self.processing.insert(key.clone(), now);
            return Some(key);
        }
        None
    }

    /// Takes the next key; `None` if the queue has been shut down and is empty.
    pub(super) fn poll_take(&mut self, now: Duration) -> Poll<Option<K>> {
        match self.take(now) {
            None if !self.shutting_down => Poll::Pending,
            key => Poll::Ready(key),
        }
    }

    /// Ends the processing of a key. If it was added meanwhile, it is queued again.
    pub(super) fn done(&mut self, key: &K, now: Duration) {
        let Some((key, since)) = self.processing.remove_entry(key) else { return };
        self.counters.work_duration.observe(now.saturating_sub(since));
        if self.dirty.contains_key(&key) {
            self.push(key);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Accepts no more keys. Returns the drains that this ends, to be dropped while nothing is borrowed.
    pub(super) fn shut_down(&mut self, drain: Option<Drain>) -> Vec<Drain> {
        self.shutting_down = true;
        self.delayed = Delayed::default();
        self.waiters.wake_all();
        match drain {
            Some(drain) => {
                self.drains.push(drain);
                Vec::new()
            }
            None => std::mem::take(&mut self.drains),
        }
    }

    pub(super) fn is_shutting_down(&self) -> bool {
        self.shutting_down
    }

    /// Registers a getter's waker. Returns the replaced waker, to be dropped while nothing is borrowed, and the next
    /// due time if this getter is the one with a timer.
    pub(super) fn wait(&mut self, id: u64, waker: Waker) -> (Option<Waker>, Option<Duration>) {
        let next = self.delayed.next_due();
        (self.waiters.wait(id, waker), next.filter(|_| self.waiters.take_timer(id)))
    }

    pub(super) fn new_waiter(&mut self) -> u64 {
        self.waiters.new_waiter()
    }

    /// Unregisters a getter. If keys are queued, or delayed and no getter has a timer, wakes the next getter.
    pub(super) fn leave(&mut self, id: u64) -> Option<Waker> {
        let waker = self.waiters.leave(id);
        let unwatched = self.delayed.next_due().is_some() && !self.waiters.has_timer_owner();
        if unwatched || !self.queue.is_empty() {
            self.waiters.wake_one();
        }
        waker
    }

    pub(super) fn metrics(&self, now: Duration) -> WorkQueueMetrics {
        self.counters.with_gauges(self.dirty.len(), self.processing.values().map(|since| now.saturating_sub(*since)))
    }

    pub(super) fn take_wake_ups(&mut self) -> WakeUps {
        let drained = self.processing.is_empty() && self.queue.is_empty();
        let drains = if drained { std::mem::take(&mut self.drains) } else { Vec::new() };
        WakeUps(self.waiters.take_woken(), drains)
    }
}
