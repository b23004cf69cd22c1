//! Messages about work queues.

use serde::{Deserialize, Serialize};

/// How a page's work queue delays what failed, and what comes into it. The defaults are client-go's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkQueueOptions {
    /// Milliseconds that a key waits after its first failure; twice as long after each further one.
    pub base_delay_ms: f64,
    /// Milliseconds that a key waits at the most.
    pub max_delay_ms: f64,
    /// Failures a second that are tried again, all keys together, once the burst is used up.
    pub qps: f64,
    /// Failures that are tried again without regard to `qps`.
    pub burst: u32,
    /// As in [`super::EventHandlerOptions`]: a resync puts all keys in.
    pub resync_period: Option<u32>,
}

impl Default for WorkQueueOptions {
    fn default() -> Self {
        Self { base_delay_ms: 5.0, max_delay_ms: 1_000_000.0, qps: 10.0, burst: 100, resync_period: None }
    }
}

/// What is done to a work queue and wants no answer; most of it to a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum QueueCall {
    /// There is work for it.
    Add(String),
    /// There will be.
    AddAfter {
        /// For which.
        key: String,
        /// Milliseconds from now on.
        ms: f64,
    },
    /// There will be, when the rate limiter allows it: it has failed.
    AddRateLimited(String),
    /// A worker has finished with it.
    Done(String),
    /// Its failures are forgotten.
    Forget(String),
    /// Nothing is added any more; what waits is handed out.
    ShutDown,
}

/// What a work queue is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QueueAsk {
    /// The next key, as soon as there is one; null when there will be none.
    Get,
    /// How often a key has failed since it was last forgotten.
    NumRequeues(String),
    /// How many keys wait.
    Length,
    /// As [`QueueCall::ShutDown`]; null when every key that waited is done.
    ShutDownWithDrain,
}
