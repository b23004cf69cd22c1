//! Metrics of a work queue, as client-go's.

use std::time::Duration;

/// A snapshot of one queue. Times are by the queue's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkQueueMetrics {
    /// Keys with work that has not begun: those that wait, and those that were added again while they
    /// are being processed.
    pub depth: usize,
    /// How often a key was added for which there was no such work yet. Additions that changed nothing do not count.
    pub adds: u64,
    /// How often a key was added by `add_after` or `add_rate_limited`.
    pub retries: u64,
    /// How long keys waited from being added to being taken.
    pub queue_latency: DurationMetric,
    /// How long it took from taking a key to finishing it.
    pub work_duration: DurationMetric,
    /// How long the keys being processed have been so, all added up. Where it grows without end, workers are stuck, and
    /// its slope says how many. client-go's `unfinished_work_seconds`.
    pub unfinished_work: Duration,
    /// How long the oldest of them has been so. client-go's `longest_running_processor_seconds`.
    pub longest_running_processor: Duration,
}

/// Durations of one kind; client-go has a histogram here. The mean is `total / count`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationMetric {
    /// How many there were.
    pub count: u64,
    /// The latest.
    pub last: Duration,
    /// The longest.
    pub max: Duration,
    /// All of them added up.
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
