//! The lines of a log. They are not stored: the run and the number of a line say when it was written and what it says.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use humantime::format_rfc3339_nanos;

/// Lines that a kubelet would still have; older ones have been rotated away.
const KEPT: u64 = 2000;

const LEVELS: [&str; 8] = ["info", "info", "info", "info", "debug", "info", "warn", "error"];
const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
const PATHS: [&str; 6] = ["/healthz", "/v1/orders", "/v1/items", "/v1/users", "/metrics", "/v1/carts"];
const TALES: [&str; 6] = [
    "reconciled",
    "cache refreshed",
    "connection reset by peer, retrying",
    "lease renewed",
    "slow query",
    "queue drained \u{2713}",
];

/// One life of a container.
#[derive(Debug)]
pub(super) struct Run {
    seed: u64,
    started: SystemTime,
    pub(super) ended: Option<SystemTime>,
    every: Duration,
}

impl Run {
    pub(super) fn new(identity: &str, started: SystemTime, ended: Option<SystemTime>, every: Duration) -> Self {
        // FNV: the same on every machine and in every version.
        let seed = identity
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        // Some talk twice as much as others.
        let every = every.max(Duration::from_millis(1)).mul_f64(1.0 + (seed % 100) as f64 / 100.0);
        Self { seed, started, ended, every }
    }

    /// How many lines were written up to a moment.
    pub(super) fn written(&self, now: SystemTime) -> u64 {
        let until = self.ended.map_or(now, |ended| ended.min(now));
        let Ok(passed) = until.duration_since(self.started) else { return 0 };
        u64::try_from(passed.as_nanos() / self.every.as_nanos()).unwrap_or(u64::MAX - 1) + 1
    }

    /// Number of the oldest line still there, of so many.
    pub(super) fn oldest(end: u64) -> u64 {
        end.saturating_sub(KEPT)
    }

    /// When a line was or will be written.
    pub(super) fn time(&self, number: u64) -> SystemTime {
        let nanos = self.every.as_nanos().saturating_mul(u128::from(number));
        self.started + Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }

    /// Appends a line.
    pub(super) fn write(&self, number: u64, timestamps: bool, out: &mut String) {
        let mut random = fastrand::Rng::with_seed(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if timestamps {
            // Writing to a string cannot fail.
            let _ = write!(out, "{} ", format_rfc3339_nanos(self.time(number)));
        }
        let level = LEVELS[random.usize(..LEVELS.len())];
        let _ = if random.u8(..4) == 0 {
            let tale = TALES[random.usize(..TALES.len())];
            writeln!(out, "level={level} line={number} msg=\"{tale}\" took={}ms", random.u16(1..900))
        } else {
            let (method, path) = (METHODS[random.usize(..METHODS.len())], PATHS[random.usize(..PATHS.len())]);
            let status = [200, 200, 200, 204, 404, 500][random.usize(..6)];
            writeln!(
                out,
                "level={level} line={number} msg=\"{method} {path}\" status={status} took={}ms",
                random.u16(1..900)
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_run_says_the_same() {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let run = |identity| Run::new(identity, start, None, Duration::from_secs(1));
        let line = |run: &Run, number| {
            let mut out = String::new();
            run.write(number, true, &mut out);
            out
        };
        let (one, same, other) = (run("a/b/c/0"), run("a/b/c/0"), run("a/b/c/1"));
        assert_eq!(line(&one, 5), line(&same, 5));
        assert_ne!(line(&one, 5), line(&one, 6));
        assert_ne!(line(&one, 5), line(&other, 5));
        assert_eq!(one.written(start - Duration::from_secs(1)), 0);
        for number in [0, 1, 7] {
            assert_eq!(one.written(one.time(number)), number + 1);
        }
    }
}
