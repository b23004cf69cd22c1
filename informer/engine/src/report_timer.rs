//! Report timer: a minimum interval between two reports of values that people read.

/// Minimum interval between two reports, in milliseconds; the first one is immediate.
const REPORT_INTERVAL: f64 = 250.0;

/// Timer of reports. Times are in milliseconds since the Unix epoch.
#[derive(Default)]
pub(crate) struct ReportTimer {
    due_at: f64,
}

impl ReportTimer {
    /// Returns when the next report may be sent.
    pub(crate) fn due_at(&self) -> f64 {
        self.due_at
    }

    /// Whether a report may be sent now. After the clock was set back, it may.
    pub(crate) fn is_due(&self, now: f64) -> bool {
        now >= self.due_at || self.due_at - now > REPORT_INTERVAL
    }

    /// Begins the interval after a report.
    pub(crate) fn restart(&mut self, now: f64) {
        self.due_at = now + REPORT_INTERVAL;
    }

    /// Ends the interval: the next report is immediate.
    pub(crate) fn end(&mut self) {
        self.due_at = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_back_delays_no_report() {
        let mut timer = ReportTimer::default();
        assert!(timer.is_due(5_000.0), "the first one");
        timer.restart(5_000.0);
        let is_due = |now| timer.is_due(now);
        assert_eq!([5_000.0, 5_249.0, 5_250.0, 4_900.0].map(is_due), [false, false, true, true]);
        assert!((timer.due_at() - 5_250.0).abs() < f64::EPSILON);
        timer.end();
        assert!(timer.is_due(5_001.0));
    }
}
