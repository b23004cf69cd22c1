//! State of a work queue: waiting and processing keys. The core of client-go's `workqueue.Typed`, with the time as an
//! argument and without waiting.

use std::collections::HashMap;
use std::hash::Hash;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::channel::oneshot;

use super::delaying::Delayed;
use super::getter::Waiters;
use super::metrics::WorkQueueMetrics;
use super::queue::Queue;

/// Told when everything is done, by being dropped.
pub(super) type Drain = oneshot::Sender<()>;

pub(super) struct State<K> {
    /// The keys that are dirty and not being processed.
    queue: Box<dyn Queue<K>>,
    /// Keys for which there is work, and since when.
    dirty: HashMap<K, Duration>,
    /// Keys that a worker has, and since when. A key that is dirty too goes back into the queue when it is done.
    processing: HashMap<K, Duration>,
    delayed: Delayed<K>,
    waiters: Waiters,
    drains: Vec<Drain>,
    shutting_down: bool,
    counters: WorkQueueMetrics,
}

/// Waiters to wake after a change of the state.
pub(super) struct Wakes(Vec<Waker>, Vec<Drain>);

impl Wakes {
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
            self.waiters.wake_timekeeper();
        }
    }

    /// Adds due keys as of their due time: the delay is not observable.
    pub(super) fn add_due(&mut self, now: Duration) {
        while let Some((key, due)) = self.delayed.pop_due(now) {
            self.add(key, due);
        }
    }

    fn push(&mut self, key: K) {
        self.queue.push(key);
        self.waiters.wake_one();
    }

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

    pub(super) fn poll_take(&mut self, now: Duration) -> Poll<Option<K>> {
        match self.take(now) {
            None if !self.shutting_down => Poll::Pending,
            key => Poll::Ready(key),
        }
    }

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

    /// Makes a getter wait. Returns its previous waker, to be dropped where nothing is borrowed, and if it is the one
    /// that keeps the time, when the next key is due.
    pub(super) fn wait(&mut self, ticket: u64, waker: Waker) -> (Option<Waker>, Option<Duration>) {
        let next = self.delayed.next_due();
        (self.waiters.wait(ticket, waker), next.filter(|_| self.waiters.keep_time(ticket)))
    }

    pub(super) fn ticket(&mut self) -> u64 {
        self.waiters.ticket()
    }

    /// A getter ends, with a key or without. If it was woken for something that is still there, or kept the time, the
    /// next one takes over.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        let waker = self.waiters.leave(ticket);
        let unwatched = self.delayed.next_due().is_some() && !self.waiters.has_timekeeper();
        if unwatched || !self.queue.is_empty() {
            self.waiters.wake_one();
        }
        waker
    }

    pub(super) fn metrics(&self, now: Duration) -> WorkQueueMetrics {
        self.counters.with_gauges(self.dirty.len(), self.processing.values().map(|since| now.saturating_sub(*since)))
    }

    pub(super) fn take_wakes(&mut self) -> Wakes {
        let drained = self.processing.is_empty() && self.queue.is_empty();
        let drains = if drained { std::mem::take(&mut self.drains) } else { Vec::new() };
        Wakes(self.waiters.take_woken(), drains)
    }
}
