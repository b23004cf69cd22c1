//! Messages about work queues.

use serde::{Deserialize, Serialize};

/// Options of a page's work queue: delays of failed keys, and resync. The defaults are client-go's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkQueueOptions {
    /// Delay of a key after its first failure, in milliseconds; doubled after each further one.
    pub base_delay_ms: f64,
    /// Maximum delay of a key, in milliseconds.
    pub max_delay_ms: f64,
    /// Retries per second, of all keys together, once the burst is used up.
    pub qps: f64,
    /// Token bucket size: retries that `qps` does not limit.
    pub burst: u32,
    /// Resync period in milliseconds; 0 disables, `None` is the informer's. A resync adds all keys.
    pub resync_period: Option<u32>,
}

impl Default for WorkQueueOptions {
    fn default() -> Self {
        Self { base_delay_ms: 5.0, max_delay_ms: 1_000_000.0, qps: 10.0, burst: 100, resync_period: None }
    }
}

/// Call of a work queue without a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum QueueCall {
    /// Adds a key.
    Add(String),
    /// Adds a key after a delay.
    AddAfter {
        /// Key.
        key: String,
        /// Delay in milliseconds.
        ms: f64,
    },
    /// Adds a failed key when the rate limiter allows it.
    AddRateLimited(String),
    /// Reports that a worker has finished with a key.
    Done(String),
    /// Resets the failure count of a key.
    Forget(String),
    /// Rejects new keys; queued keys are still handed out.
    ShutDown,
}

/// Request to a work queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QueueRequest {
    /// The next key, once there is one; null when the queue is shut down and empty.
    Get,
    /// Failure count of a key since it was last reset.
    NumRequeues(String),
    /// Number of queued keys.
    Length,
    /// As [`QueueCall::ShutDown`]; null when the queue is empty and no key is in progress.
    ShutDownWithDrain,
}
