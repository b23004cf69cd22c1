//! Exponential backoff with jitter.

use std::time::Duration;

/// Exponential backoff with client-go's numbers: 800 ms, doubled up to 30 s, each stretched by a random factor in
/// `[1, 2)`.
///
/// Unlike client-go (1.36), which starts again from 800 ms two minutes after its previous reset even in the middle of
/// an outage, this one starts again only when its owner has proof of health.
#[derive(Clone, Debug)]
pub struct Backoff {
    options: BackoffOptions,
    next: Duration,
    random: fastrand::Rng,
}

/// A server that asks for more is asked again earlier: the number may be garbage.
const LONGEST_ASKED: Duration = Duration::from_secs(300);

/// The numbers of a [`Backoff`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackoffOptions {
    /// The first wait, before jitter.
    pub initial: Duration,
    /// The longest wait, before jitter.
    pub max: Duration,
    /// What each wait is multiplied by to get the next; at least 1.
    pub factor: f64,
}

impl Default for BackoffOptions {
    fn default() -> Self {
        Self { initial: Duration::from_millis(800), max: Duration::from_secs(30), factor: 2.0 }
    }
}

impl Backoff {
    /// A backoff whose jitter follows from `seed`.
    pub fn new(options: BackoffOptions, seed: u64) -> Self {
        Self { options, next: options.initial, random: fastrand::Rng::with_seed(seed) }
    }

    /// The next wait, never shorter than what the server asked for, as long as that is no more than five minutes.
    pub fn wait(&mut self, retry_after: Option<Duration>) -> Duration {
        let jitter = 1.0 + self.random.f64();
        let wait = stretched(self.next, jitter);
        self.next = stretched(self.next, self.options.factor.max(1.0)).min(self.options.max);
        wait.max(wanted_pause(retry_after))
    }

    /// Proof of health: the next wait is the first one again.
    pub fn reset(&mut self) {
        self.next = self.options.initial;
    }
}

/// The pause that a server asked for, five minutes at most.
pub(crate) fn wanted_pause(retry_after: Option<Duration>) -> Duration {
    retry_after.unwrap_or_default().min(LONGEST_ASKED)
}

/// As [`Duration::mul_f64`], but that more than a duration can be is the longest there is.
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
    fn err_15_the_server_may_ask_for_more_but_not_for_less() {
        let mut backoff = Backoff::new(BackoffOptions::default(), 1);
        assert_eq!(backoff.wait(Some(Duration::from_secs(60))), Duration::from_secs(60));
        assert!(backoff.wait(Some(Duration::ZERO)) >= Duration::from_millis(1600));
        assert_eq!(backoff.wait(Some(Duration::from_secs(u64::from(u32::MAX)))), Duration::from_secs(300));
    }

    #[test]
    fn bko_07_those_who_lost_the_same_server_do_not_come_back_together() {
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
