//! Metrics of a work queue, as client-go's.

use std::time::Duration;

/// A snapshot of one queue. Times are by the queue's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkQueueMetrics {
    /// Keys with work that has not begun: those that wait, and those that were added again while they
    /// are being processed.
    pub depth: usize,
    /// Additions of keys that were not waiting. Additions without effect do not count.
    pub adds: u64,
    /// Additions by `add_after` or `add_rate_limited`.
    pub retries: u64,
    /// Times between the addition of a key and its processing.
    pub queue_latency: DurationMetric,
    /// Processing times.
    pub work_duration: DurationMetric,
    /// Sum of the processing times of all keys in process. If it grows without limit, workers are stuck; its slope is their
    /// number. client-go's `unfinished_work_seconds`.
    pub unfinished_work: Duration,
    /// Longest processing time of a key in process. client-go's `longest_running_processor_seconds`.
    pub longest_running_processor: Duration,
}

/// Durations of one kind; client-go has a histogram here. The mean is `total / count`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationMetric {
    /// Number of durations.
    pub count: u64,
    /// Most recent duration.
    pub last: Duration,
    /// Longest duration.
    pub max: Duration,
    /// Sum of all durations.
    pub total: Duration,
}

impl DurationMetric {
    pub(super) fn observe(&mut self, duration: Duration) {
        self.count += 1;
        self.last = duration;
        self.max = self.max.max(duration);
        self.total = self.total.saturating_add(duration);
    }
}

impl WorkQueueMetrics {
    /// Returns these counters with the current gauges: the number of dirty keys, and how long each key has been
    /// processed.
    pub(super) fn with_gauges(mut self, depth: usize, running: impl Iterator<Item = Duration>) -> Self {
        self.depth = depth;
        for time in running {
            self.unfinished_work = self.unfinished_work.saturating_add(time);
            self.longest_running_processor = self.longest_running_processor.max(time);
        }
        self
    }
}
