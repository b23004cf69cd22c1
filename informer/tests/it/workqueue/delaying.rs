//! Delayed keys of a work queue.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::workqueue::{ItemExponentialFailureRateLimiter, WorkQueue};

use super::{Getters, Key, ms, queue, take_all};

#[test]
fn wq_12_a_delayed_key_comes_when_it_is_due_and_once() {
    let (clock, queue) = queue();
    queue.add_after("foo", ms(50));
    let mut getters = Getters::new(&queue, 2);
    clock.advance(ms(49));
    assert_eq!((getters.settle(), queue.len()), (vec![], 0));
    clock.advance(ms(1));
    assert_eq!(getters.settle(), [Some("foo")]);
    queue.done(&"foo");
    // Beyond one heartbeat, and beyond several.
    queue.add_after("bar", ms(25_000));
    for _ in 0..249 {
        clock.advance(ms(100));
        assert_eq!(getters.settle(), []);
    }
    clock.advance(ms(100));
    assert_eq!(getters.settle(), [Some("bar")]);
    clock.advance(ms(60_000));
    getters.start();
    assert_eq!(getters.settle(), []);
}

#[test]
fn wq_14_the_earlier_one_comes_first_whenever_it_was_added() {
    let (clock, queue) = queue();
    let mut getters = Getters::new(&queue, 3);
    queue.add_after("foo", ms(1000));
    assert_eq!(getters.settle(), []);
    queue.add_after("bar", ms(50));
    assert_eq!(getters.settle(), []);
    clock.advance(ms(60));
    assert_eq!(getters.settle(), [Some("bar")]);
    queue.add_after("baz", ms(2000));
    clock.advance(ms(1000));
    assert_eq!(getters.settle(), [Some("foo")]);
    clock.advance(ms(2000));
    assert_eq!(getters.settle(), [Some("baz")]);
}

#[test]
fn wq_15_delays_are_kept_in_order_of_time() {
    let (clock, queue) = queue();
    for (key, delay) in [("1000", 1000), ("500", 500), ("250", 250), ("250 too", 250)] {
        queue.add_after(key, ms(delay));
    }
    let mut getters = Getters::new(&queue, 4);
    let mut came = Vec::new();
    for _ in 0..20 {
        clock.advance(ms(50));
        came.extend(getters.settle().into_iter().flatten().map(|key| (clock.now(), key)));
    }
    assert_eq!(came, [(ms(250), "250"), (ms(250), "250 too"), (ms(500), "500"), (ms(1000), "1000")]);
    // A timer that fires long after all due times yields the same order.
    for (key, delay) in [("c", 3), ("a", 1), ("b", 2)] {
        queue.add_after(key, ms(delay));
    }
    (0..3).for_each(|_| getters.start());
    getters.settle();
    clock.advance(ms(3_600_000));
    assert_eq!(getters.settle(), [Some("a"), Some("b"), Some("c")]);
}

#[test]
fn wq_16_no_delay_is_no_delay() {
    let (_, queue) = queue();
    queue.add_after("foo", Duration::ZERO);
    assert_eq!(take_all(&queue), ["foo"]);
}

#[test]
fn a_key_delayed_twice_keeps_the_earlier_time() {
    let (clock, queue) = queue();
    queue.add_after("foo", ms(100));
    queue.add_after("foo", ms(50));
    queue.add_after("foo", ms(200));
    clock.advance(ms(50));
    assert_eq!(queue.len(), 1);
    assert_eq!(take_all(&queue), ["foo"]);
    queue.done(&"foo");
    clock.advance(ms(500));
    assert_eq!(take_all(&queue), [] as [Key; 0]);
    // The longest delay there is.
    queue.add_after("never", Duration::MAX);
    let mut getters = Getters::new(&queue, 1);
    clock.advance(ms(86_400_000));
    assert_eq!(getters.settle(), []);
}

/// A clock that counts its timers.
#[derive(Clone, Default)]
struct Timers(VirtualClock, Rc<()>);

impl Timers {
    fn running(&self) -> usize {
        Rc::strong_count(&self.1) - 2
    }
}

impl Clock for Timers {
    fn now(&self) -> Duration {
        self.0.now()
    }
    fn unix_ms(&self) -> f64 {
        self.0.unix_ms()
    }
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let (sleep, token) = (self.0.sleep(duration), Rc::clone(&self.1));
        async move {
            sleep.await;
            drop(token);
        }
        .boxed_local()
    }
    fn seed(&self) -> u64 {
        self.0.seed()
    }
}

#[test]
fn there_is_one_timer_and_only_while_a_worker_waits() {
    let timers = Timers::default();
    let limiter = ItemExponentialFailureRateLimiter::default();
    let queue = WorkQueue::with_rate_limiter(Rc::new(timers.clone()), limiter);
    queue.add_after("foo", ms(100));
    assert_eq!(timers.running(), 0);
    let mut getters = Getters::new(&queue, 3);
    assert_eq!(timers.running(), 1);
    // The getter with the timer is dropped; another one takes the timer over.
    drop(getters.waiting.remove(0));
    assert_eq!(timers.running(), 0);
    assert_eq!((getters.settle(), timers.running()), (vec![], 1));
    // The getter with the timer receives a key; another one takes the timer over.
    queue.add("now");
    assert_eq!((getters.settle(), timers.running()), (vec![Some("now")], 1));
    timers.0.advance(ms(100));
    assert_eq!((getters.settle(), timers.running()), (vec![Some("foo")], 0));
    // Without a getter or a task, the key is still added on time.
    queue.add_after("bar", ms(100));
    assert_eq!(timers.running(), 0);
    timers.0.advance(ms(100));
    assert_eq!((queue.try_get(), timers.running()), (Some("bar"), 0));
    // Another worker takes the only delayed key: the timer ends when it fires next at the latest.
    queue.add_after("baz", ms(100));
    getters.start();
    assert_eq!((getters.settle(), timers.running()), (vec![], 1));
    timers.0.advance(ms(100));
    assert_eq!(queue.try_get(), Some("baz"));
    assert_eq!((getters.settle(), timers.running()), (vec![], 0));
}

#[test]
fn earlier_key_wakes_the_worker_with_the_timer_whichever_came_first() {
    let (clock, queue) = queue();
    let mut getters = Getters::new(&queue, 2);
    queue.add_after("late", ms(100));
    // The first is woken for it, but the second happens to be polled before and takes the timer.
    assert!(getters.poll(1).is_pending());
    assert_eq!(getters.settle(), []);
    queue.add_after("early", ms(10));
    assert_eq!(getters.settle(), []);
    clock.advance(ms(10));
    assert_eq!(getters.settle(), [Some("early")]);
    clock.advance(ms(90));
    assert_eq!(getters.settle(), [Some("late")]);
}

#[test]
fn a_getter_that_is_dropped_passes_its_wake_on() {
    let (clock, queue) = queue();
    let mut getters = Getters::new(&queue, 3);
    queue.add("foo");
    drop(getters.waiting.remove(0));
    assert_eq!(getters.settle(), [Some("foo")]);
    // The same when it was woken by the time.
    queue.add_after("bar", ms(10));
    getters.start();
    getters.settle();
    clock.advance(ms(10));
    let woken = getters.waiting.iter().position(|(_, flag)| flag.0.load(Ordering::Relaxed)).expect("one is woken");
    drop(getters.waiting.remove(woken));
    assert_eq!(getters.settle(), [Some("bar")]);
}
