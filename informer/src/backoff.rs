//! Exponential backoff with jitter.

use std::time::Duration;

/// Exponential backoff with client-go's numbers: 800 ms, doubled up to 30 s, each stretched by a random factor in
/// `[1, 2)`.
///
/// Unlike client-go (1.36), which starts again from 800 ms two minutes after its previous reset even in the middle of
/// an outage, this one restarts only on evidence of health from its owner.
#[derive(Clone, Debug)]
pub struct Backoff {
    options: BackoffOptions,
    next: Duration,
    random: fastrand::Rng,
}

/// Maximum delay that a server can request: a larger number may be garbage.
const MAX_REQUESTED: Duration = Duration::from_secs(300);

/// Parameters of a [`Backoff`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackoffOptions {
    /// First delay, before jitter.
    pub initial: Duration,
    /// Maximum delay, before jitter.
    pub max: Duration,
    /// Factor between consecutive delays; at least 1.
    pub factor: f64,
}

impl Default for BackoffOptions {
    fn default() -> Self {
        Self { initial: Duration::from_millis(800), max: Duration::from_secs(30), factor: 2.0 }
    }
}

impl Backoff {
    /// Creates a backoff whose jitter is derived from `seed`.
    pub fn new(options: BackoffOptions, seed: u64) -> Self {
        Self { options, next: options.initial, random: fastrand::Rng::with_seed(seed) }
    }

    /// Returns the next delay, at least the one that the server requested, up to five minutes.
    pub fn wait(&mut self, retry_after: Option<Duration>) -> Duration {
        self.wait_since(Duration::ZERO, retry_after)
    }

    /// As [`Backoff::wait`], counted from the previous attempt, which was this long ago. Never shorter than a first
    /// delay, so that clients that lost the same server do not return together.
    pub fn wait_since(&mut self, attempt: Duration, retry_after: Option<Duration>) -> Duration {
        let jitter = 1.0 + self.random.f64();
        let wait = stretched(self.next, jitter);
        let first = stretched(self.options.initial, jitter).min(wait);
        self.next = stretched(self.next, self.options.factor.max(1.0)).min(self.options.max);
        wait.saturating_sub(attempt).max(first).max(requested_pause(retry_after))
    }

    /// Restarts with the first delay, on evidence of health.
    pub fn reset(&mut self) {
        self.next = self.options.initial;
    }
}

/// Returns the delay that a server requested, five minutes at most.
pub(crate) fn requested_pause(retry_after: Option<Duration>) -> Duration {
    retry_after.unwrap_or_default().min(MAX_REQUESTED)
}

/// As [`Duration::mul_f64`], but saturating.
fn stretched(wait: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(wait.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bko_01_krs_02_waits_double_up_to_the_cap_and_stay_within_their_jitter() {
        for seed in 0..50 {
            let mut backoff = Backoff::new(BackoffOptions::default(), seed);
            for base in [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0] {
                let wait = backoff.wait(None).as_secs_f64();
                assert!((base..2.0 * base).contains(&wait), "{wait} is not in [{base}, {})", 2.0 * base);
            }
            backoff.reset();
            assert!(backoff.wait(None) < Duration::from_millis(1600));
        }
    }

    #[test]
    fn a_wait_is_counted_from_the_attempt_before_and_is_at_least_a_first_one() {
        for seed in 0..50 {
            let [mut plain, mut counted] = [(); 2].map(|()| Backoff::new(BackoffOptions::default(), seed));
            for ago in [0, 1, 2, 5, 100, 3].map(Duration::from_secs) {
                let (whole, wait) = (plain.wait(None).as_secs_f64(), counted.wait_since(ago, None).as_secs_f64());
                assert!(wait <= whole && wait >= whole - ago.as_secs_f64() - 1e-6, "{wait} of {whole}, {ago:?}");
                assert!(
                    wait >= 0.8 && (wait < 1.6 || wait < whole - ago.as_secs_f64() + 1e-6),
                    "{wait} of {whole}, {ago:?}"
                );
            }
        }
        let options = BackoffOptions { initial: Duration::from_secs(9), max: Duration::from_secs(1), factor: 2.0 };
        let mut backoff = Backoff::new(options, 1);
        backoff.wait(None);
        assert!(
            backoff.wait_since(Duration::ZERO, None) < Duration::from_secs(2),
            "the longest wait is shorter than the first"
        );
    }

    #[test]
    fn err_15_the_server_can_lengthen_the_wait_but_not_shorten_it() {
        let mut backoff = Backoff::new(BackoffOptions::default(), 1);
        assert_eq!(backoff.wait(Some(Duration::from_secs(60))), Duration::from_secs(60));
        assert!(backoff.wait(Some(Duration::ZERO)) >= Duration::from_millis(1600));
        assert_eq!(backoff.wait(Some(Duration::from_secs(u64::from(u32::MAX)))), Duration::from_secs(300));
    }

    #[test]
    fn bko_07_clients_do_not_reconnect_together() {
        let mut waits: Vec<Duration> =
            (0..50).map(|seed| Backoff::new(BackoffOptions::default(), seed).wait(None)).collect();
        waits.sort_unstable();
        let tenths = |wait: &Duration| wait.as_millis() / 80;
        let mut slots: Vec<u128> = waits.iter().map(tenths).collect();
        slots.dedup();
        assert!(slots.len() >= 8, "fifty are spread over ten tenths of 0.8 s: {waits:?}");
    }

    #[test]
    fn no_number_is_too_large_or_too_strange() {
        for (initial, factor) in [(Duration::MAX, 2.0), (Duration::ZERO, f64::INFINITY), (Duration::MAX, f64::NAN)] {
            let mut backoff = Backoff::new(BackoffOptions { initial, max: Duration::MAX, factor }, 1);
            for _ in 0..3 {
                assert!(backoff.wait(None) >= initial);
            }
        }
    }
}
