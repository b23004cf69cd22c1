//! Run of a container: its log as segments, each with its own rate and voice. Lines are not stored: their time and text
//! follow from the run and their number.

use std::time::{Duration, SystemTime};

use humantime::format_rfc3339_nanos;

use super::voice::{Style, Voice};

/// Lines that a kubelet would keep; older ones are rotated away.
const KEPT: u64 = 2000;

/// Seconds of a fast container's lines that are kept, if that is more.
const KEPT_SECONDS: u64 = 20;

/// Segment: lines at one rate.
#[derive(Debug, Clone)]
struct Stretch {
    /// Number of the first line.
    first: u64,
    start: SystemTime,
    every: Duration,
    /// Maximum number of lines.
    most: u64,
    voice: Voice,
}

impl Stretch {
    /// Number of lines written up to a time.
    fn written(&self, now: SystemTime) -> u64 {
        let Ok(passed) = now.duration_since(self.start) else { return 0 };
        let steps = u64::try_from(passed.as_nanos() / self.every.as_nanos().max(1)).unwrap_or(u64::MAX - 1);
        steps.saturating_add(1).min(self.most)
    }

    fn time(&self, number: u64) -> SystemTime {
        let nanos = self.every.as_nanos().saturating_mul(u128::from(number - self.first));
        let since_start = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.start.checked_add(since_start).unwrap_or(self.start)
    }
}

/// Run of a container.
#[derive(Debug, Clone)]
pub(super) struct Run {
    seed: u64,
    pub(super) started: SystemTime,
    pub(super) ended: Option<SystemTime>,
    kept: u64,
    stretches: Vec<Stretch>,
}

impl Run {
    /// Creates the run with this number of a container that writes lines at a rate.
    pub(super) fn new(
        container: &str,
        number: u64,
        started: SystemTime,
        ended: Option<SystemTime>,
        every: Duration,
    ) -> Self {
        let seed = hash(&format!("{container}/{number}"));
        // Some containers write twice as much as others.
        let every = every.max(Duration::from_millis(1)).mul_f64(1.0 + (seed % 100) as f64 / 100.0);
        let voice = Voice::Style(Style::of_seed(hash(container)));
        let stretch = Stretch { first: 0, start: started, every, most: u64::MAX, voice };
        Self { seed, started, ended, kept: KEPT, stretches: vec![stretch] }
    }

    /// Changes style and rate from a time on; `backlog` lines of it exist already.
    pub(super) fn pace(&mut self, at: SystemTime, style: Option<Style>, per_second: u32, backlog: u64) {
        let every = Duration::from_nanos(1_000_000_000 / u64::from(per_second.max(1)));
        let back = Duration::from_nanos(u64::try_from(every.as_nanos()).unwrap_or(u64::MAX).saturating_mul(backlog));
        let start = at.checked_sub(back).unwrap_or(SystemTime::UNIX_EPOCH);
        let (first, voice) = self.cut(start);
        let voice = style.map_or(voice, Voice::Style);
        let most = if per_second == 0 { 0 } else { u64::MAX };
        self.kept = self.kept.max(backlog).max(KEPT_SECONDS * u64::from(per_second));
        self.started = self.started.min(start);
        self.stretches.push(Stretch { first, start, every, most, voice });
    }

    /// Writes one line at a time, then continues as before.
    pub(super) fn say(&mut self, at: SystemTime, voice: Voice) {
        let before = self.stretches.last().cloned();
        let (first, _) = self.cut(at);
        self.stretches.push(Stretch { first, start: at, every: Duration::from_secs(1), most: 1, voice });
        if let Some(before) = before {
            let start = if first >= before.first { before.time(first) } else { at };
            // A container that has written its last line writes no further ones.
            let most = before.most.saturating_sub(first.saturating_sub(before.first));
            let start = start.max(at + Duration::from_nanos(1));
            self.stretches.push(Stretch { first: first + 1, start, most, ..before });
        }
    }

    /// Removes lines from a time on. Returns the number of the next line, and the voice until then.
    fn cut(&mut self, at: SystemTime) -> (u64, Voice) {
        let first = self.count(at);
        let voice = self.stretches.last().map_or(Voice::Style(Style::Logfmt), |last| last.voice.clone());
        self.stretches.retain(|stretch| stretch.start < at);
        (first, voice)
    }

    fn count(&self, now: SystemTime) -> u64 {
        let at = self.stretches.iter().rposition(|stretch| stretch.start <= now);
        at.map_or(0, |at| self.stretches[at].first + self.stretches[at].written(now))
    }

    /// Number of lines written up to and including a time.
    pub(super) fn written(&self, now: SystemTime) -> u64 {
        self.count(self.ended.map_or(now, |ended| ended.min(now)))
    }

    /// Number of lines written before a time.
    pub(super) fn before(&self, moment: SystemTime) -> u64 {
        moment.checked_sub(Duration::from_nanos(1)).map_or(0, |just_before| self.written(just_before))
    }

    /// Number of the oldest kept line, out of this many.
    pub(super) fn oldest(&self, end: u64) -> u64 {
        end.saturating_sub(self.kept)
    }

    fn stretch(&self, number: u64) -> Option<&Stretch> {
        let after = self.stretches.partition_point(|stretch| stretch.first <= number);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        (number - stretch.first < stretch.most).then_some(stretch)
    }

    /// Returns when a line was or will be written; `None` if never.
    pub(super) fn time(&self, number: u64) -> Option<SystemTime> {
        self.stretch(number).map(|stretch| stretch.time(number))
    }

    /// Appends a line.
    pub(super) fn write(&self, number: u64, timestamps: bool, out: &mut Vec<u8>) {
        let Some(stretch) = self.stretch(number) else { return };
        if timestamps {
            out.extend_from_slice(format_rfc3339_nanos(stretch.time(number)).to_string().as_bytes());
            out.push(b' ');
        }
        stretch.voice.write(self.seed, number, out);
    }
}

/// FNV: the same on every machine and in every version.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)
    }

    fn run(container: &str, number: u64) -> Run {
        Run::new(container, number, start(), None, Duration::from_secs(1))
    }

    fn line(run: &Run, number: u64) -> String {
        let mut out = Vec::new();
        run.write(number, true, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_same_run_says_the_same() {
        let (one, same, other) = (run("a/b/c", 0), run("a/b/c", 0), run("a/b/c", 1));
        assert_eq!(line(&one, 5), line(&same, 5));
        assert_ne!(line(&one, 5), line(&one, 6));
        assert_ne!(line(&one, 5), line(&other, 5));
        assert_eq!(one.written(start() - Duration::from_secs(1)), 0);
        for number in [0, 1, 7] {
            let time = one.time(number).unwrap();
            assert_eq!((one.before(time), one.written(time)), (number, number + 1));
        }
    }

    #[test]
    fn a_line_in_between_shifts_the_numbers_and_not_the_times() {
        let plain = run("a/b/c", 0);
        let at = plain.time(3).unwrap() + Duration::from_millis(1);
        let mut said = plain.clone();
        said.say(at, Voice::Line(b"hello".as_slice().into()));
        assert_eq!((said.time(3), said.time(4), said.time(5)), (plain.time(3), Some(at), plain.time(4)));
        assert!(line(&said, 4).ends_with(" hello\n"));
        assert_eq!(said.written(at), 5);
    }

    #[test]
    fn a_new_pace_brings_its_backlog_and_silence_ends_it() {
        let mut run = run("a/b/c", 0);
        let at = start() + Duration::from_secs(1000);
        run.pace(at, Some(Style::Json), 1000, 5000);
        let since = run.before(at - Duration::from_secs(5));
        assert_eq!(run.written(at) - since, 5001);
        assert!(line(&run, since + 7).contains("Z {\"ts\":"));
        let later = at + Duration::from_secs(1);
        run.pace(later, None, 0, 0);
        let end = run.written(later);
        assert_eq!((run.written(later + Duration::from_secs(1000)), run.time(end)), (end, None));
    }
}
