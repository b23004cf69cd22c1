//! Key queue: the interface between sessions and the deferred work queue.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::message::{QueueCall, WorkQueueOptions};
use informer::clock::Clock;
use informer::workqueue::{BucketRateLimiter, ItemExponentialFailureRateLimiter, MaxOfRateLimiter, WorkQueue};

/// Interface of a [`WorkQueue`], whose code is deferred.
pub(super) trait KeyQueue {
    fn add(&self, key: &str);
    fn call(&self, call: QueueCall);
    fn get(&self) -> LocalBoxFuture<'static, Option<String>>;
    fn num_requeues(&self, key: &str) -> u32;
    fn len(&self) -> usize;
    fn shut_down(&self);
    fn shut_down_with_drain(&self) -> LocalBoxFuture<'static, ()>;
}

impl KeyQueue for WorkQueue<String> {
    fn add(&self, key: &str) {
        self.add(key.to_owned());
    }

    fn call(&self, call: QueueCall) {
        match call {
            QueueCall::Add(key) => self.add(key),
            QueueCall::AddAfter { key, ms } => self.add_after(key, milliseconds(ms)),
            QueueCall::AddRateLimited(key) => self.add_rate_limited(key),
            QueueCall::Done(key) => self.done(&key),
            QueueCall::Forget(key) => self.forget(&key),
            QueueCall::ShutDown => self.shut_down(),
        }
    }

    fn get(&self) -> LocalBoxFuture<'static, Option<String>> {
        let queue = self.clone();
        async move { queue.get().await }.boxed_local()
    }

    fn num_requeues(&self, key: &str) -> u32 {
        self.num_requeues(&key.to_owned())
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn shut_down(&self) {
        self.shut_down();
    }

    fn shut_down_with_drain(&self) -> LocalBoxFuture<'static, ()> {
        self.shut_down_with_drain().boxed_local()
    }
}

/// Creates a queue with client-go's default rate limiter and the page's limits.
pub(super) fn new_queue(options: &WorkQueueOptions, clock: &Rc<dyn Clock>) -> Rc<dyn KeyQueue> {
    let (base, max) = (milliseconds(options.base_delay_ms), milliseconds(options.max_delay_ms));
    let limiter = MaxOfRateLimiter::new(vec![
        Box::new(ItemExponentialFailureRateLimiter::new(base, max)),
        Box::new(BucketRateLimiter::new(Rc::clone(clock), options.qps, options.burst)),
    ]);
    Rc::new(WorkQueue::<String>::with_rate_limiter(Rc::clone(clock), limiter))
}

/// Converts any JavaScript number: zero or less, and NaN, give zero; a number that is too large gives the maximum.
fn milliseconds(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms.max(0.0) / 1e3).unwrap_or(Duration::MAX)
}
