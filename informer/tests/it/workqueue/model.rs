//! Work queue compared with a naive model, under random interleavings.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use informer::clock::virtual_time::VirtualClock;
use informer::workqueue::{DurationMetric, WorkQueue, WorkQueueMetrics};
use proptest::prelude::*;

use super::{Getters, ms};

#[derive(Clone, Debug)]
enum Op {
    Add(u8),
    AddAfter(u8, u64),
    TryGet,
    Get,
    /// Runs all woken tasks.
    Settle,
    /// Polls a getter that was perhaps not woken.
    Poll(prop::sample::Index),
    DropGetter(prop::sample::Index),
    /// Of a key that is being processed.
    Done(prop::sample::Index),
    /// Of a key that perhaps is not.
    DoneWithoutGet(u8),
    Advance(u64),
    Look,
    ShutDown,
    Drain,
}

fn op() -> impl Strategy<Value = Op> {
    let key = 0..5_u8;
    prop_oneof![
        2 => key.clone().prop_map(Op::Add),
        8 => (key.clone(), 0..9_u64).prop_map(|(key, ms)| Op::AddAfter(key, ms)),
        1 => Just(Op::TryGet),
        5 => Just(Op::Get),
        16 => Just(Op::Settle),
        1 => any::<prop::sample::Index>().prop_map(Op::Poll),
        2 => any::<prop::sample::Index>().prop_map(Op::DropGetter),
        6 => any::<prop::sample::Index>().prop_map(Op::Done),
        1 => key.prop_map(Op::DoneWithoutGet),
        8 => (0..12_u64).prop_map(Op::Advance),
        1 => Just(Op::Look),
    ]
}

/// Naive model of the queue: lists, and a clock that adds each delayed key in its millisecond.
#[derive(Default)]
struct Model {
    now: Duration,
    /// With the time at which each was added.
    queue: Vec<(u8, Duration)>,
    again: BTreeMap<u8, Duration>,
    processing: BTreeMap<u8, Duration>,
    delayed: Vec<(u8, Duration)>,
    shut_down: bool,
    released: bool,
    counters: WorkQueueMetrics,
}

impl Model {
    fn add(&mut self, key: u8) {
        let waits = self.queue.iter().any(|(other, _)| *other == key) || self.again.contains_key(&key);
        if self.shut_down || waits {
            return;
        }
        self.counters.adds += 1;
        if self.processing.contains_key(&key) {
            self.again.insert(key, self.now);
        } else {
            self.queue.push((key, self.now));
        }
    }

    fn add_after(&mut self, key: u8, delay: Duration) {
        if self.shut_down {
            return;
        }
        self.counters.retries += 1;
        let due = self.now + delay;
        if delay.is_zero() {
            self.add(key);
        } else if self.delayed.iter().all(|(other, earlier)| *other != key || due < *earlier) {
            self.delayed.retain(|(other, _)| *other != key);
            self.delayed.push((key, due));
        }
    }

    fn take(&mut self) -> Option<u8> {
        let (key, added) = (!self.queue.is_empty()).then(|| self.queue.remove(0))?;
        self.processing.insert(key, self.now);
        observe(&mut self.counters.queue_latency, self.now.saturating_sub(added));
        Some(key)
    }

    fn done(&mut self, key: u8) {
        if let Some(since) = self.processing.remove(&key) {
            observe(&mut self.counters.work_duration, self.now.saturating_sub(since));
            self.queue.extend(self.again.remove_entry(&key));
        }
    }

    fn shut_down(&mut self, release: bool) {
        (self.shut_down, self.released) = (true, release);
        self.delayed.clear();
    }

    fn advance(&mut self, by: u64) {
        for _ in 0..by {
            self.now += ms(1);
            let (due, later) = std::mem::take(&mut self.delayed).into_iter().partition(|(_, due)| *due <= self.now);
            self.delayed = later;
            let due: Vec<(u8, Duration)> = due;
            for (key, _) in due {
                self.add(key);
            }
        }
    }

    fn metrics(&self) -> WorkQueueMetrics {
        let running = || self.processing.values().map(|since| self.now.saturating_sub(*since));
        WorkQueueMetrics {
            depth: self.queue.len() + self.again.len(),
            unfinished_work: running().sum(),
            longest_running_processor: running().max().unwrap_or_default(),
            ..self.counters
        }
    }
}

fn observe(metric: &mut DurationMetric, time: Duration) {
    (metric.count, metric.last) = (metric.count + 1, time);
    (metric.max, metric.total) = (metric.max.max(time), metric.total + time);
}

proptest! {
    #[test]
    fn wq_01_wq_02_the_queue_is_what_its_model_is(
        mut ops in prop::collection::vec(op(), 0..120),
        end in prop::sample::select(vec![Op::ShutDown, Op::Drain]),
        after in prop::collection::vec(prop_oneof![9 => op(), 1 => Just(Op::ShutDown), 1 => Just(Op::Drain)], 0..30),
    ) {
        ops.push(end);
        ops.extend(after);
        let clock = VirtualClock::new();
        let queue = WorkQueue::<u8>::new(Rc::new(clock.clone()));
        let (mut getters, mut model, mut drains) = (Getters::new(&queue, 0), Model::default(), Vec::new());
        for op in ops.into_iter().chain([Op::Settle, Op::Look]) {
            match op {
                Op::Add(key) => {
                    queue.add(key);
                    model.add(key);
                }
                Op::AddAfter(key, delay) => {
                    queue.add_after(key, ms(delay));
                    model.add_after(key, ms(delay));
                }
                Op::TryGet => prop_assert_eq!(queue.try_get(), model.take()),
                Op::Get => getters.start(),
                Op::Settle => {
                    let mut expected = Vec::new();
                    for _ in 0..getters.waiting.len() {
                        let key = model.take();
                        if key.is_some() || model.shut_down {
                            expected.push(key);
                        }
                    }
                    prop_assert_eq!(getters.settle(), expected);
                }
                Op::Poll(index) if !getters.waiting.is_empty() => {
                    let got = getters.poll(index.index(getters.waiting.len()));
                    let key = model.take();
                    let ends = key.is_some() || model.shut_down;
                    prop_assert_eq!(got, if ends { Poll::Ready(key) } else { Poll::Pending });
                }
                Op::DropGetter(index) if !getters.waiting.is_empty() => {
                    drop(getters.waiting.remove(index.index(getters.waiting.len())));
                }
                Op::Done(index) if !model.processing.is_empty() => {
                    let index = index.index(model.processing.len());
                    let key = model.processing.keys().nth(index).copied().expect("within");
                    queue.done(&key);
                    model.done(key);
                }
                Op::DoneWithoutGet(key) => {
                    queue.done(&key);
                    model.done(key);
                }
                Op::Poll(_) | Op::DropGetter(_) | Op::Done(_) => {}
                Op::Advance(by) => {
                    clock.advance(ms(by));
                    model.advance(by);
                }
                Op::Look => {
                    prop_assert_eq!(queue.len(), model.queue.len());
                    prop_assert_eq!(queue.metrics(), model.metrics());
                }
                Op::ShutDown => {
                    queue.shut_down();
                    model.shut_down(true);
                }
                Op::Drain => {
                    drains.push(queue.shut_down_with_drain().boxed_local());
                    model.shut_down(false);
                }
            }
            // No call of the queue here, because it would add due keys and wake their getters.
            if model.shut_down {
                let drained = model.released || model.queue.is_empty() && model.processing.is_empty();
                for mut drain in std::mem::take(&mut drains) {
                    let resolved = (&mut drain).now_or_never().is_some();
                    prop_assert_eq!(resolved, drained);
                    if !resolved {
                        drains.push(drain);
                    }
                }
            }
        }
    }
}
