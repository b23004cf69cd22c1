//! Work queue on virtual time: order and timing of keys.

mod delaying;
mod model;
mod rate_limiters;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::executor::LocalPool;
use futures::future::LocalBoxFuture;
use futures::task::LocalSpawnExt;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::workqueue::{Fifo, ItemExponentialFailureRateLimiter, Queue, WorkQueue};

type Key = &'static str;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

fn queue() -> (VirtualClock, WorkQueue<Key>) {
    let clock = VirtualClock::new();
    (clock.clone(), WorkQueue::new(Rc::new(clock)))
}

fn add_all(queue: &WorkQueue<Key>, keys: impl IntoIterator<Item = Key>) {
    for key in keys {
        queue.add(key);
    }
}

/// Takes all keys that are available; none of them is done.
fn take_all<K: Clone + Eq + std::hash::Hash + 'static>(queue: &WorkQueue<K>) -> Vec<K> {
    std::iter::from_fn(|| queue.try_get()).collect()
}

#[derive(Default)]
struct WakeFlag(AtomicBool);

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Getters that are polled only when they were woken, and may be dropped at any time.
struct Getters<K> {
    queue: WorkQueue<K>,
    waiting: Vec<(LocalBoxFuture<'static, Option<K>>, Arc<WakeFlag>)>,
}

impl<K: Clone + Eq + std::hash::Hash + 'static> Getters<K> {
    fn new(queue: &WorkQueue<K>, count: usize) -> Self {
        let mut getters = Self { queue: queue.clone(), waiting: Vec::new() };
        (0..count).for_each(|_| getters.start());
        assert!(getters.settle().is_empty());
        getters
    }

    fn start(&mut self) {
        let queue = self.queue.clone();
        let get = async move { queue.get().await }.boxed_local();
        self.waiting.push((get, Arc::new(WakeFlag(AtomicBool::new(true)))));
    }

    fn poll(&mut self, index: usize) -> Poll<Option<K>> {
        let (get, flag) = &mut self.waiting[index];
        let waker = Waker::from(Arc::clone(flag));
        let polled = get.poll_unpin(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            drop(self.waiting.remove(index));
        }
        polled
    }

    /// Polls the woken getters until none is woken. Returns their results.
    fn settle(&mut self) -> Vec<Option<K>> {
        let mut got = Vec::new();
        while let Some(woken) = self.waiting.iter().position(|(_, flag)| flag.0.swap(false, Ordering::Relaxed)) {
            if let Poll::Ready(key) = self.poll(woken) {
                got.push(key);
            }
        }
        got
    }
}

/// Fifty keys change fifty times each at random moments; ten workers, slow at random, see to it.
fn producers_and_consumers(drain: bool) {
    let clock = VirtualClock::new();
    let queue = WorkQueue::<usize>::new(Rc::new(clock.clone()));
    let mut pool = LocalPool::new();
    let random = Rc::new(RefCell::new(fastrand::Rng::with_seed(11)));
    let pause = {
        let (clock, random) = (clock.clone(), Rc::clone(&random));
        move || clock.sleep(ms(random.borrow_mut().u64(0..4)))
    };
    let (versions, seen) = (Rc::new(RefCell::new([0; 50])), Rc::new(RefCell::new([0; 50])));
    let busy = Rc::new(RefCell::new(BTreeSet::new()));
    let (most, workers) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(10)));
    for key in 0..50 {
        let (queue, pause, versions) = (queue.clone(), pause.clone(), Rc::clone(&versions));
        let produce = async move {
            for _ in 0..50 {
                pause().await;
                if !queue.is_shutting_down() {
                    versions.borrow_mut()[key] += 1;
                    queue.add(key);
                }
            }
        };
        pool.spawner().spawn_local(produce).expect("the pool lives");
    }
    for _ in 0..10 {
        let (queue, pause, most, workers) = (queue.clone(), pause.clone(), Rc::clone(&most), Rc::clone(&workers));
        let (versions, seen, busy) = (Rc::clone(&versions), Rc::clone(&seen), Rc::clone(&busy));
        let consume = async move {
            while let Some(key) = queue.get().await {
                assert!(busy.borrow_mut().insert(key), "{key} is processed twice at once");
                most.set(busy.borrow().len().max(most.get()));
                let version = versions.borrow()[key];
                pause().await;
                seen.borrow_mut()[key] = version;
                busy.borrow_mut().remove(&key);
                queue.done(&key);
            }
            workers.set(workers.get() - 1);
        };
        pool.spawner().spawn_local(consume).expect("the pool lives");
    }
    for _ in 0..60 {
        clock.advance(ms(1));
        pool.run_until_stalled();
    }
    assert!(!queue.is_empty() && !busy.borrow().is_empty(), "there is work left for the shutdown");
    let drained = Rc::new(Cell::new(false));
    if drain {
        let (drain, drained) = (queue.shut_down_with_drain(), Rc::clone(&drained));
        pool.spawner().spawn_local(drain.map(move |()| drained.set(true))).expect("the pool lives");
    } else {
        queue.shut_down();
    }
    queue.add(99);
    for _ in 0..1000 {
        clock.advance(ms(1));
        pool.run_until_stalled();
        let finished = queue.is_empty() && busy.borrow().is_empty();
        assert_eq!(drained.get(), drain && finished);
    }
    assert_eq!(*versions.borrow(), *seen.borrow(), "every last change was seen");
    assert_eq!((most.get(), workers.get()), (10, 0), "all worked and all ended");
}

#[test]
fn wq_01_many_producers_and_consumers() {
    producers_and_consumers(false);
    producers_and_consumers(true);
}

#[test]
fn wq_02_a_key_is_never_processed_twice_at_once() {
    let (_, queue) = queue();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    let mut others = Getters::new(&queue, 2);
    queue.add("foo");
    assert_eq!((others.settle(), queue.try_get()), (vec![], None));
    queue.done(&"foo");
    assert_eq!(others.settle(), [Some("foo")]);
    assert_eq!(others.waiting.len(), 1);
}

#[test]
fn wq_03_equal_keys_are_queued_once() {
    let (_, queue) = queue();
    add_all(&queue, ["foo", "bar", "foo"]);
    assert_eq!((queue.len(), take_all(&queue)), (2, vec!["foo", "bar"]));
}

#[test]
fn wq_04_key_added_while_processed_is_handed_out_exactly_twice() {
    let (_, queue) = queue();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    assert_eq!(queue.len(), 0);
    queue.done(&"foo");
    assert_eq!((queue.len(), queue.try_get()), (1, Some("foo")));
    queue.done(&"foo");
    queue.done(&"foo");
    assert_eq!((queue.len(), queue.try_get()), (0, None));
}

#[test]
fn done_without_get_has_no_effect() {
    let (_, queue) = queue();
    queue.add("foo");
    queue.done(&"foo");
    queue.done(&"bar");
    assert_eq!(take_all(&queue), ["foo"]);
}

/// Queue that is last in, first out, and records its calls.
#[derive(Default)]
struct Stack(Vec<Key>, Rc<RefCell<Vec<String>>>);

impl Queue<Key> for Stack {
    fn touch(&mut self, key: &Key) {
        self.1.borrow_mut().push(format!("touch {key}"));
    }
    fn push(&mut self, key: Key) {
        self.1.borrow_mut().push(format!("push {key}"));
        self.0.push(key);
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn pop(&mut self) -> Option<Key> {
        self.0.pop()
    }
}

fn stacked() -> (WorkQueue<Key>, Rc<RefCell<Vec<String>>>) {
    let (stack, clock) = (Stack::default(), Rc::new(VirtualClock::new()));
    let log = Rc::clone(&stack.1);
    (WorkQueue::with_queue(clock, ItemExponentialFailureRateLimiter::default(), stack), log)
}

#[test]
fn wq_05_a_key_added_while_it_waits_is_touched() {
    let (queue, log) = stacked();
    add_all(&queue, ["foo", "bar", "foo"]);
    assert_eq!(log.take(), ["push foo", "push bar", "touch foo"]);
    assert_eq!(take_all(&queue), ["bar", "foo"], "in the order of that queue, each once");
}

#[test]
fn wq_06_a_key_added_while_processed_is_not_touched() {
    let (queue, log) = stacked();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    queue.add("foo");
    queue.done(&"foo");
    assert_eq!(log.take(), ["push foo", "push foo"]);
    assert_eq!(take_all(&queue), ["foo"]);
}

#[test]
fn wq_07_drain_waits_for_all_keys_in_progress() {
    let (_, queue) = queue();
    add_all(&queue, ["foo", "bar"]);
    let taken = take_all(&queue);
    let mut drain = queue.shut_down_with_drain().boxed_local();
    assert!(queue.is_shutting_down());
    for key in taken {
        assert_eq!((&mut drain).now_or_never(), None);
        queue.done(&key);
    }
    assert_eq!(drain.now_or_never(), Some(()));
    assert_eq!(queue.shut_down_with_drain().now_or_never(), Some(()), "there is nothing to wait for");
}

#[test]
fn wq_07_drain_waits_for_queued_and_re_added_keys() {
    let (_, queue) = queue();
    add_all(&queue, ["foo", "bar"]);
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    let mut drain = queue.shut_down_with_drain().boxed_local();
    let mut idle = Getters::new(&queue, 0);
    for key in ["foo", "bar"] {
        queue.done(&key);
        assert_eq!((&mut drain).now_or_never(), None);
        idle.start();
        assert_eq!(idle.settle().len(), 1);
    }
    queue.done(&"foo");
    assert_eq!(drain.now_or_never(), Some(()));
}

#[test]
fn wq_08_a_plain_shutdown_waits_for_nothing() {
    let (_, queue) = queue();
    add_all(&queue, ["foo", "bar"]);
    assert_eq!(queue.try_get(), Some("foo"));
    queue.shut_down();
    queue.add("baz");
    queue.add_after("baz", ms(1));
    queue.add_rate_limited("baz");
    assert_eq!(queue.get().now_or_never(), Some(Some("bar")), "what waits is still handed out");
    assert_eq!(queue.get().now_or_never(), Some(None));
    queue.done(&"foo");
    queue.done(&"bar");
    assert_eq!(queue.get().now_or_never(), Some(None));
}

#[test]
fn wq_09_a_plain_shutdown_releases_a_drain() {
    let (_, queue) = queue();
    queue.add("foo");
    let _foo = queue.try_get();
    let mut drain = queue.shut_down_with_drain().boxed_local();
    assert_eq!((&mut drain).now_or_never(), None);
    queue.shut_down();
    assert_eq!(drain.now_or_never(), Some(()));
}

#[test]
fn shutdown_ends_every_worker_and_drops_delayed_keys() {
    let (clock, queue) = queue();
    queue.add_after("foo", ms(5));
    let mut getters = Getters::new(&queue, 3);
    queue.shut_down();
    clock.advance(ms(5));
    assert_eq!(getters.settle(), [None, None, None]);
}

#[test]
fn wq_11_no_reference_to_a_finished_key_is_kept() {
    let queue = WorkQueue::<Rc<str>>::new(Rc::new(VirtualClock::new()));
    let key: Rc<str> = "foo".into();
    queue.add(Rc::clone(&key));
    queue.add_after(Rc::clone(&key), ms(1));
    queue.add_after(Rc::clone(&key), Duration::ZERO);
    queue.add_rate_limited(Rc::clone(&key));
    let taken = queue.try_get().expect("waits");
    queue.add(Rc::clone(&key));
    queue.done(&taken);
    drop((taken, queue.try_get()));
    queue.done(&key);
    queue.forget(&key);
    queue.shut_down();
    assert_eq!(Rc::strong_count(&key), 1);
}

#[test]
fn wq_17_metrics() {
    let (clock, queue) = queue();
    queue.add("foo");
    assert_eq!((queue.metrics().depth, queue.metrics().adds), (1, 1));
    clock.advance(us(50));
    assert_eq!(queue.try_get(), Some("foo"));
    assert_eq!((queue.metrics().depth, queue.metrics().queue_latency.last), (0, us(50)));
    (0..5).for_each(|_| queue.add("foo"));
    assert_eq!((queue.metrics().depth, queue.metrics().adds), (1, 2), "an addition that changes nothing is none");
    clock.advance(us(25));
    assert_eq!((queue.metrics().unfinished_work, queue.metrics().longest_running_processor), (us(25), us(25)));
    queue.done(&"foo");
    let metrics = queue.metrics();
    assert_eq!((metrics.depth, metrics.work_duration.last, metrics.unfinished_work), (1, us(25), Duration::ZERO));
    assert_eq!(queue.try_get(), Some("foo"));
    let latency = queue.metrics().queue_latency;
    assert_eq!((latency.count, latency.last, latency.max, latency.total), (2, us(25), us(50), us(75)));
    queue.add("bar");
    assert_eq!(queue.try_get(), Some("bar"));
    clock.advance(us(10));
    queue.done(&"foo");
    clock.advance(us(1));
    queue.add_after("baz", us(4));
    queue.add_rate_limited("bar");
    clock.advance(us(9));
    // A delayed key has waited since it was due, however late it is taken.
    assert_eq!(queue.try_get(), Some("baz"));
    let metrics = queue.metrics();
    assert_eq!((metrics.queue_latency.last, metrics.retries, metrics.depth, metrics.adds), (us(5), 2, 0, 4));
    clock.advance(us(2));
    let metrics = queue.metrics();
    assert_eq!((metrics.unfinished_work, metrics.longest_running_processor), (us(24), us(22)));
    assert_eq!((metrics.work_duration.count, metrics.work_duration.total), (2, us(35)));
}

/// Queue that delivers keys that were never added, and added keys twice.
#[derive(Default)]
struct InconsistentQueue(Fifo<Key>);

impl Queue<Key> for InconsistentQueue {
    fn push(&mut self, key: Key) {
        for key in ["lie", key, key] {
            self.0.push(key);
        }
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn pop(&mut self) -> Option<Key> {
        self.0.pop()
    }
}

#[test]
fn inconsistent_queue_gives_no_key_to_two_workers() {
    let clock = Rc::new(VirtualClock::new());
    let queue =
        WorkQueue::with_queue(clock, ItemExponentialFailureRateLimiter::default(), InconsistentQueue::default());
    queue.add("foo");
    assert_eq!(take_all(&queue), ["foo"]);
}
