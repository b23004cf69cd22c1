//! Run of a container: its log as segments, each with its own rate and line content. Lines are not stored: their time
//! and text follow from the run and their number.

use std::time::{Duration, SystemTime};

use humantime::format_rfc3339_nanos;

use super::line_content::{LineContent, Style};

/// Minimum number of lines that are kept. A kubelet rotates older ones away.
const MIN_KEPT_LINES: u64 = 2000;

/// Minimum number of seconds whose lines are kept, for a fast container.
const MIN_KEPT_SECONDS: u64 = 20;

/// Segment: lines at one rate.
#[derive(Debug, Clone)]
struct Segment {
    /// Number of the first line.
    first: u64,
    start: SystemTime,
    every: Duration,
    /// Maximum number of lines.
    max_lines: u64,
    content: LineContent,
}

impl Segment {
    /// Returns the number of lines written up to a time.
    fn written(&self, now: SystemTime) -> u64 {
        let Ok(passed) = now.duration_since(self.start) else { return 0 };
        let steps = u64::try_from(passed.as_nanos() / self.every.as_nanos().max(1)).unwrap_or(u64::MAX - 1);
        steps.saturating_add(1).min(self.max_lines)
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
    segments: Vec<Segment>,
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
        let content = LineContent::Style(Style::of_seed(hash(container)));
        let segment = Segment { first: 0, start: started, every, max_lines: u64::MAX, content };
        Self { seed, started, ended, kept: MIN_KEPT_LINES, segments: vec![segment] }
    }

    /// Changes style and rate from a time on; `backlog` lines of it exist already.
    pub(super) fn set_pace(&mut self, at: SystemTime, style: Option<Style>, per_second: u32, backlog: u64) {
        let every = Duration::from_nanos(1_000_000_000 / u64::from(per_second.max(1)));
        let back = Duration::from_nanos(u64::try_from(every.as_nanos()).unwrap_or(u64::MAX).saturating_mul(backlog));
        let start = at.checked_sub(back).unwrap_or(SystemTime::UNIX_EPOCH);
        let (first, content) = self.cut(start);
        let content = style.map_or(content, LineContent::Style);
        let max_lines = if per_second == 0 { 0 } else { u64::MAX };
        self.kept = self.kept.max(backlog).max(MIN_KEPT_SECONDS * u64::from(per_second));
        self.started = self.started.min(start);
        self.segments.push(Segment { first, start, every, max_lines, content });
    }

    /// Writes one line at a time, then continues as before.
    pub(super) fn add_line(&mut self, at: SystemTime, content: LineContent) {
        let before = self.segments.last().cloned();
        let (first, _) = self.cut(at);
        self.segments.push(Segment { first, start: at, every: Duration::from_secs(1), max_lines: 1, content });
        if let Some(before) = before {
            let start = if first >= before.first { before.time(first) } else { at };
            // A container that has written its last line writes no further ones.
            let max_lines = before.max_lines.saturating_sub(first.saturating_sub(before.first));
            let start = start.max(at + Duration::from_nanos(1));
            self.segments.push(Segment { first: first + 1, start, max_lines, ..before });
        }
    }

    /// Removes lines from a time on. Returns the number of the next line, and the line content until then.
    fn cut(&mut self, at: SystemTime) -> (u64, LineContent) {
        let first = self.count(at);
        let content = self.segments.last().map_or(LineContent::Style(Style::Logfmt), |last| last.content.clone());
        self.segments.retain(|segment| segment.start < at);
        (first, content)
    }

    fn count(&self, now: SystemTime) -> u64 {
        let at = self.segments.iter().rposition(|segment| segment.start <= now);
        at.map_or(0, |at| self.segments[at].first + self.segments[at].written(now))
    }

    /// Returns the number of lines written up to and including a time.
    pub(super) fn written(&self, now: SystemTime) -> u64 {
        self.count(self.ended.map_or(now, |ended| ended.min(now)))
    }

    /// Returns the number of lines written before a time.
    pub(super) fn before(&self, moment: SystemTime) -> u64 {
        moment.checked_sub(Duration::from_nanos(1)).map_or(0, |just_before| self.written(just_before))
    }

    /// Returns the number of the oldest kept line, if this many lines were written.
    pub(super) fn oldest(&self, end: u64) -> u64 {
        end.saturating_sub(self.kept)
    }

    fn segment(&self, number: u64) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.first <= number);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        (number - segment.first < segment.max_lines).then_some(segment)
    }

    /// Returns when a line was or will be written; `None` if never.
    pub(super) fn time(&self, number: u64) -> Option<SystemTime> {
        self.segment(number).map(|segment| segment.time(number))
    }

    /// Appends a line.
    pub(super) fn write(&self, number: u64, timestamps: bool, out: &mut Vec<u8>) {
        let Some(segment) = self.segment(number) else { return };
        if timestamps {
            out.extend_from_slice(format_rfc3339_nanos(segment.time(number)).to_string().as_bytes());
            out.push(b' ');
        }
        segment.content.write(self.seed, number, out);
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
    fn the_same_run_writes_the_same_lines() {
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
        let mut changed = plain.clone();
        changed.add_line(at, LineContent::Line(b"hello".as_slice().into()));
        assert_eq!((changed.time(3), changed.time(4), changed.time(5)), (plain.time(3), Some(at), plain.time(4)));
        assert!(line(&changed, 4).ends_with(" hello\n"));
        assert_eq!(changed.written(at), 5);
    }

    #[test]
    fn a_new_rate_adds_its_backlog_and_rate_zero_stops_the_output() {
        let mut run = run("a/b/c", 0);
        let at = start() + Duration::from_secs(1000);
        run.set_pace(at, Some(Style::Json), 1000, 5000);
        let since = run.before(at - Duration::from_secs(5));
        assert_eq!(run.written(at) - since, 5001);
        assert!(line(&run, since + 7).contains("Z {\"ts\":"));
        let later = at + Duration::from_secs(1);
        run.set_pace(later, None, 0, 0);
        let end = run.written(later);
        assert_eq!((run.written(later + Duration::from_secs(1000)), run.time(end)), (end, None));
    }
}
