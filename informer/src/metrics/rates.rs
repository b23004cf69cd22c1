//! Rates of counters, averaged over the last ten seconds.

use std::time::Duration;

/// Number of averaged seconds, including the current one.
const SECONDS: u64 = SLOTS as u64;

/// Length of the ring buffer: one slot per second.
const SLOTS: usize = 10;

/// Counter values at the start of each of the last ten seconds. There is no timer: time advances when values are
/// recorded or read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates<const N: usize> {
    /// The second of the last record.
    second: u64,
    /// Ring buffer, by second.
    before: [[u64; N]; SLOTS],
    counters: [u64; N],
}

impl<const N: usize> Rates<N> {
    /// Rates of counters that begin at zero.
    pub(crate) const fn new() -> Self {
        Self { second: 0, before: [[0; N]; SLOTS], counters: [0; N] }
    }

    /// Records the current values of the counters.
    pub(crate) fn record(&mut self, now: Duration, counters: [u64; N]) {
        let second = now.as_secs();
        for began in (self.second + 1).max((second + 1).saturating_sub(SECONDS))..=second {
            self.before[ring_index(began)] = self.counters;
        }
        (self.second, self.counters) = (second, counters);
    }

    /// Returns the growth per second, averaged over the last nine seconds and the current one.
    pub(crate) fn per_second(&self, now: Duration) -> [f64; N] {
        let mut rates = *self;
        rates.record(now, self.counters);
        // The next second overwrites the oldest one.
        let before = rates.before[ring_index(rates.second + 1)];
        let time = (SECONDS - 1) as f64 + f64::from(now.subsec_nanos()) / 1e9;
        std::array::from_fn(|of| self.counters[of].saturating_sub(before[of]) as f64 / time)
    }
}

/// Ring index of a second.
fn ring_index(second: u64) -> usize {
    (second % SECONDS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Reference: the same from all records of milliseconds and counter.
    fn naive(noted: &[(u64, u64)], now: u64) -> f64 {
        let from = (now / 1_000 * 1_000).checked_sub(9_000);
        let before = noted.iter().rfind(|(at, _)| from.is_some_and(|from| *at < from)).map_or(0, |(_, count)| *count);
        let count = noted.last().map_or(0, |(_, count)| *count);
        (count - before) as f64 / (9.0 + (now % 1_000) as f64 / 1_000.0)
    }

    proptest! {
        #[test]
        fn they_are_what_everything_that_was_noted_says(
            steps in vec((prop_oneof![0..900_u64, 0..30_000_u64], 0..1_000_u64), 0..60),
            rest in 0..15_000_u64,
        ) {
            let (mut rates, mut now, mut count, mut noted) = (Rates::<1>::new(), 0, 0, Vec::new());
            for (pause, more) in steps {
                (now, count) = (now + pause, count + more);
                noted.push((now, count));
                rates.record(Duration::from_millis(now), [count]);
            }
            now += rest;
            let [rate] = rates.per_second(Duration::from_millis(now));
            let naive = naive(&noted, now);
            prop_assert!((rate - naive).abs() < 1e-6, "{rate}, not {naive}");
        }
    }
}
