//! Delays of the rate limiters.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use informer::clock::Clock;
use informer::clock::virtual_time::VirtualClock;
use informer::workqueue::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter, MaxOfRateLimiter, RateLimiter,
    WithMaxWaitRateLimiter, WorkQueue, default_controller_rate_limiter,
};

use super::{Key, ms, take_all};

/// Delays of a limiter for this number of consecutive failures of a key.
fn waits(limiter: &impl RateLimiter<Key>, key: Key, failures: usize) -> Vec<Duration> {
    (0..failures).map(|_| limiter.when(&key)).collect()
}

#[test]
fn rl_01_exponential_waits_double() {
    let limiter = ItemExponentialFailureRateLimiter::new(ms(1), ms(1_000_000));
    assert_eq!(waits(&limiter, "one", 5), [ms(1), ms(2), ms(4), ms(8), ms(16)]);
    assert_eq!(waits(&limiter, "two", 2), [ms(1), ms(2)]);
    assert_eq!([limiter.num_requeues(&"one"), limiter.num_requeues(&"two")], [5, 2]);
    limiter.forget(&"one");
    assert_eq!([limiter.num_requeues(&"one"), limiter.num_requeues(&"two")], [0, 2]);
    assert_eq!(waits(&limiter, "one", 1), [ms(1)]);
}

#[test]
fn rl_02_exponential_waits_stop_at_the_longest() {
    for (base, max) in [(ms(1), ms(1_000_000)), (Duration::from_nanos(1), Duration::MAX), (ms(7), Duration::MAX)] {
        let limiter = ItemExponentialFailureRateLimiter::new(base, max);
        let waits = waits(&limiter, "one", 1100);
        assert!(waits.is_sorted() && waits[9] == base * 512);
        assert_eq!(waits[100..].iter().collect::<BTreeSet<_>>(), BTreeSet::from([&max]));
        assert_eq!(limiter.num_requeues(&"one"), 1100);
    }
    let limiter = ItemExponentialFailureRateLimiter::new(ms(20), ms(10));
    assert_eq!(waits(&limiter, "one", 2), [ms(10), ms(10)]);
    let limiter = ItemExponentialFailureRateLimiter::default();
    assert_eq!((waits(&limiter, "one", 60)[0], limiter.when(&"one")), (ms(1), ms(1_000_000)));
}

#[test]
fn rl_03_fast_then_slow() {
    let limiter = ItemFastSlowRateLimiter::new(ms(5), ms(3000), 3);
    assert_eq!(waits(&limiter, "one", 5), [ms(5), ms(5), ms(5), ms(3000), ms(3000)]);
    assert_eq!(limiter.num_requeues(&"one"), 5);
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), limiter.when(&"one")), (0, ms(5)));
}

#[test]
fn rl_04_the_longest_delay_of_all_limiters_applies() {
    let limiter = MaxOfRateLimiter::<Key>::new(vec![
        Box::new(ItemFastSlowRateLimiter::new(ms(5), ms(3000), 3)),
        Box::new(ItemExponentialFailureRateLimiter::new(ms(1), ms(1_000_000))),
    ]);
    assert_eq!(waits(&limiter, "one", 5), [ms(5), ms(5), ms(5), ms(3000), ms(3000)]);
    assert_eq!(waits(&limiter, "one", 8)[7], ms(4096));
    assert_eq!(limiter.num_requeues(&"one"), 13);
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), limiter.when(&"one")), (0, ms(5)));
    let none = MaxOfRateLimiter::<Key>::new(Vec::new());
    assert_eq!((none.when(&"one"), none.num_requeues(&"one")), (Duration::ZERO, 0));
}

#[test]
fn rl_05_waits_are_cut_at_the_longest() {
    let inner = ItemExponentialFailureRateLimiter::new(ms(1), ms(1_000_000));
    let limiter = WithMaxWaitRateLimiter::new(inner, ms(5));
    assert_eq!(waits(&limiter, "one", 5), [ms(1), ms(2), ms(4), ms(5), ms(5)]);
    assert_eq!(limiter.num_requeues(&"one"), 5);
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), limiter.when(&"one")), (0, ms(1)));
}

#[test]
fn rl_06_a_bucket_lets_a_burst_through_and_then_so_many_a_second() {
    let clock = VirtualClock::new();
    let bucket = BucketRateLimiter::new(Rc::new(clock.clone()), 10.0, 100);
    let queue = WorkQueue::<u32>::with_rate_limiter(Rc::new(clock.clone()), bucket);
    (0..102).for_each(|key| queue.add_rate_limited(key));
    assert_eq!(take_all(&queue).len(), 100);
    clock.advance(ms(99));
    assert!(queue.is_empty());
    clock.advance(ms(1));
    assert_eq!(take_all(&queue), [100]);
    clock.advance(ms(100));
    assert_eq!((take_all(&queue), queue.num_requeues(&101)), (vec![101], 0));
    // It fills up again, up to the burst.
    clock.advance(ms(3_600_000));
    (200..301).for_each(|key| queue.add_rate_limited(key));
    assert_eq!(take_all(&queue).len(), 100);
}

#[test]
fn a_bucket_takes_any_number() {
    let clock: Rc<dyn Clock> = Rc::new(VirtualClock::new());
    for qps in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        let bucket = BucketRateLimiter::new(Rc::clone(&clock), qps, 1);
        assert_eq!(waits(&bucket, "one", 2), [Duration::ZERO, Duration::MAX], "{qps}");
    }
    let endless = BucketRateLimiter::new(Rc::clone(&clock), f64::INFINITY, 0);
    assert_eq!(waits(&endless, "one", 3), [Duration::ZERO; 3]);
    // Several queues behind one bucket.
    let shared = Rc::new(BucketRateLimiter::new(Rc::clone(&clock), 10.0, 1));
    let queues = [0, 1].map(|_| WorkQueue::with_rate_limiter(Rc::clone(&clock), Rc::clone(&shared)));
    for queue in &queues {
        queue.add_rate_limited("foo");
    }
    assert_eq!(queues.map(|queue| queue.len()), [1, 0]);
}

#[test]
fn rl_07_failures_come_back_later_each_time_until_forgotten() {
    let clock = VirtualClock::new();
    let limiter = ItemExponentialFailureRateLimiter::new(ms(1), ms(1000));
    let queue = WorkQueue::with_rate_limiter(Rc::new(clock.clone()), limiter);
    queue.add("foo");
    let mut came = Vec::new();
    for _ in 0..40 {
        if let Some(key) = queue.try_get() {
            came.push(clock.now());
            if queue.num_requeues(&key) < 5 {
                queue.add_rate_limited(key);
            }
            queue.done(&key);
        }
        clock.advance(ms(1));
    }
    assert_eq!(came, [0, 1, 3, 7, 15, 31].map(ms));
    assert_eq!(queue.num_requeues(&"foo"), 5);
    queue.forget(&"foo");
    assert_eq!(queue.num_requeues(&"foo"), 0);
    queue.add_rate_limited("foo");
    clock.advance(ms(1));
    assert_eq!(take_all(&queue), ["foo"]);
}

#[test]
fn the_default_limiter_has_the_numbers_of_client_go() {
    let clock = Rc::new(VirtualClock::new());
    let limiter = default_controller_rate_limiter::<Key>(Rc::<VirtualClock>::clone(&clock));
    assert_eq!(waits(&limiter, "one", 4), [ms(5), ms(10), ms(20), ms(40)]);
    assert_eq!(waits(&limiter, "two", 50)[49], ms(1_000_000));
    assert_eq!((waits(&limiter, "three", 46)[0], limiter.when(&"four")), (ms(5), ms(100)), "the bucket is empty");
    assert_eq!(limiter.num_requeues(&"two"), 50);
}
