//! Store of lines: bounded, oldest dropped first and counted; lines keep their numbers.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write;

use crate::batch::Incoming;
use crate::block::Block;
use crate::level::{Level, level_of};
use crate::time::{self, Time};

/// Limits of a store.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Default: 1,000,000.
    pub lines: usize,
    /// Bytes of text and metadata. Default: 96 MiB, of which the metadata of a million lines takes 32 MiB.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lines: 1_000_000, bytes: 96 << 20 }
    }
}

/// Origin of lines, if several logs are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Namespace of the pod.
    pub namespace: String,
    /// Name of the pod.
    pub pod: String,
    /// Name of the container.
    pub container: String,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<'a> {
    /// Its number, from the first line that was ever appended.
    pub id: u64,
    /// Time that the kubelet wrote it.
    pub time: Option<Time>,
    /// Its text, which may contain control characters.
    pub text: &'a str,
    /// Number of bytes that were cut off at its end.
    pub cut: u32,
    /// Level of the line.
    pub level: Level,
    /// Place of its origin in [`Store::sources`].
    pub source: u16,
}

/// Store of lines, in order of arrival.
#[derive(Debug)]
pub struct Store {
    limits: Limits,
    blocks: VecDeque<Block>,
    sources: Vec<Source>,
    bytes: usize,
    first: u64,
    end: u64,
    dropped: u64,
}

impl Store {
    /// An empty store.
    pub fn new(limits: Limits) -> Self {
        Self { limits, blocks: VecDeque::new(), sources: Vec::new(), bytes: 0, first: 0, end: 0, dropped: 0 }
    }

    /// Appends a batch: a JSON array of the npm package's `LogLine`. Returns the number of lines. An invalid batch appends
    /// nothing.
    pub fn append(&mut self, batch: &str) -> Result<usize, serde_json::Error> {
        let lines: Vec<Incoming<'_>> = serde_json::from_str(batch)?;
        for line in &lines {
            let source = self.source(line);
            let time = line.time.as_deref().and_then(time::parse);
            self.push(&line.text, time, u32::try_from(line.cut).unwrap_or(u32::MAX), source);
        }
        self.drop_oldest();
        Ok(lines.len())
    }

    fn push(&mut self, text: &str, time: Option<Time>, cut: u32, source: u16) {
        if self.blocks.back().is_none_or(Block::is_full) {
            if let Some(full) = self.blocks.back_mut() {
                full.close();
            }
            self.blocks.push_back(Block::new(self.end));
        }
        if let Some(block) = self.blocks.back_mut() {
            self.bytes += block.push(text, time, cut, source, level_of(text));
            self.end += 1;
        }
    }

    /// Drops the oldest blocks as a whole, so that there is no cost per line.
    fn drop_oldest(&mut self) {
        while self.blocks.len() > 1 && (self.len() > self.limits.lines || self.bytes > self.limits.bytes) {
            let Some(block) = self.blocks.pop_front() else { return };
            self.bytes -= block.bytes();
            self.first = block.first + block.len() as u64;
            self.dropped += block.len() as u64;
        }
    }

    /// Index of an origin. Origins are few, and consecutive lines often have the same one.
    fn source(&mut self, line: &Incoming<'_>) -> u16 {
        fn text<'a>(text: Option<&'a Cow<'_, str>>) -> &'a str {
            text.map_or("", |text| text.as_ref())
        }
        let (namespace, pod, container) =
            (text(line.namespace.as_ref()), text(line.pod.as_ref()), text(line.container.as_ref()));
        let is_it =
            |source: &Source| source.pod == pod && source.container == container && source.namespace == namespace;
        let at = self.sources.iter().rposition(is_it).unwrap_or_else(|| {
            let [namespace, pod, container] = [namespace, pod, container].map(str::to_owned);
            self.sources.push(Source { namespace, pod, container });
            self.sources.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// Removes all lines. Their numbers are not reused.
    pub fn clear(&mut self) {
        self.blocks.clear();
        (self.bytes, self.first, self.dropped) = (0, self.end, 0);
    }

    /// Lines that it holds.
    pub fn len(&self) -> usize {
        usize::try_from(self.end - self.first).unwrap_or(usize::MAX)
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Lines that were dropped because there were too many.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Number of its first line.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Number of the next line.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// All origins so far.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// A line by its number. O(log n) in the number of blocks.
    pub fn line(&self, id: u64) -> Option<Line<'_>> {
        self.lines(id).next().filter(|line| line.id == id)
    }

    /// Lines from a number on.
    pub fn lines(&self, from: u64) -> impl Iterator<Item = Line<'_>> {
        let from = from.max(self.first);
        let at = self.blocks.partition_point(|block| block.first + block.len() as u64 <= from);
        self.blocks.range(at..).flat_map(move |block| {
            let start = usize::try_from(from.saturating_sub(block.first)).unwrap_or(usize::MAX);
            (start..block.len()).filter_map(move |at| {
                let (head, text) = block.line(at)?;
                let id = block.first + at as u64;
                Some(Line { id, time: head.time, text, cut: head.cut, level: head.level, source: head.source })
            })
        })
    }

    /// Texts of a file with all lines, part by part: timestamp and origin before each, as far as they are known.
    pub fn export(&self) -> impl Iterator<Item = String> {
        let has_sources = self.sources.len() > 1;
        self.blocks.iter().map(move |block| {
            let mut part = String::with_capacity(block.bytes());
            for (head, text) in (0..block.len()).filter_map(|at| block.line(at)) {
                if let Some(time) = head.time {
                    part.push_str(&time.format(9, None));
                    part.push(' ');
                }
                if let Some(source) = self.sources.get(usize::from(head.source)).filter(|_| has_sources) {
                    // Writing to a String cannot fail.
                    let _ = write!(part, "{}/{} ", source.pod, source.container);
                }
                part.push_str(text);
                if head.cut > 0 {
                    let _ = write!(part, " … ({} bytes cut)", head.cut);
                }
                part.push('\n');
            }
            part
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(range: std::ops::Range<u64>) -> String {
        let lines: Vec<_> = range
            .map(|at| format!(r#"{{"time":"2026-01-02T03:04:05.{at:09}Z","text":"line {at}","cut":0}}"#))
            .collect();
        format!("[{}]", lines.join(","))
    }

    #[test]
    fn lines_are_found_by_their_numbers() {
        let mut store = Store::new(Limits::default());
        assert_eq!(store.append(&batch(0..3000)).expect("valid"), 3000);
        assert_eq!((store.len(), store.first(), store.end()), (3000, 0, 3000));
        for id in [0, 1023, 1024, 2999] {
            let line = store.line(id).expect("held");
            assert_eq!((line.id, line.text), (id, format!("line {id}").as_str()));
            assert_eq!(line.time.map(|time| time.format(9, None)), Some(format!("2026-01-02T03:04:05.{id:09}Z")));
        }
        assert_eq!(store.line(3000), None);
        assert_eq!(store.lines(2998).map(|line| line.id).collect::<Vec<_>>(), [2998, 2999]);
    }

    #[test]
    fn the_oldest_lines_are_dropped_and_counted() {
        let mut store = Store::new(Limits { lines: 5000, bytes: usize::MAX });
        for start in 0..20 {
            store.append(&batch(start * 1000..(start + 1) * 1000)).expect("valid");
            assert!(store.len() <= 5000, "{}", store.len());
        }
        assert_eq!((store.end(), store.first() % 1024, store.dropped()), (20_000, 0, store.first()));
        assert!(store.len() > 5000 - 1024);
        assert_eq!(store.line(store.first() - 1), None);
        assert_eq!(store.lines(0).count(), store.len());
    }

    #[test]
    fn long_lines_do_not_exceed_the_bytes() {
        let mut store = Store::new(Limits { lines: usize::MAX, bytes: 2 << 20 });
        let long = format!(r#"[{{"time":null,"text":"{}","cut":7}}]"#, "x".repeat(256 << 10));
        for _ in 0..40 {
            store.append(&long).expect("valid");
            assert!(store.bytes() <= 2 << 20);
        }
        assert_eq!(store.end(), 40);
        assert_eq!(store.line(39).map(|line| (line.text.len(), line.cut)), Some((256 << 10, 7)));
        assert!(store.len() >= 6);
    }

    #[test]
    fn origins_are_kept_once_and_exported() {
        let mut store = Store::new(Limits::default());
        let line = |pod: &str| {
            format!(r#"{{"time":null,"text":"a\u001b[0m\"\n","cut":0,"namespace":"n","pod":"{pod}","container":"c"}}"#)
        };
        store.append(&format!("[{},{},{}]", line("p"), line("q"), line("p"))).expect("valid");
        let sources: Vec<_> = store.sources().iter().map(|source| source.pod.as_str()).collect();
        assert_eq!(sources, ["p", "q"]);
        assert_eq!(store.lines(0).map(|line| line.source).collect::<Vec<_>>(), [0, 1, 0]);
        let file: String = store.export().collect();
        assert_eq!(file.matches("q/c a\u{1b}[0m\"").count(), 1);
    }

    #[test]
    fn a_batch_that_is_not_valid_appends_nothing() {
        let mut store = Store::new(Limits::default());
        assert!(store.append(r#"[{"time":null,"text":"a","cut":0},{"text":1}]"#).is_err());
        assert!(store.is_empty());
        store.append(&batch(0..10)).expect("valid");
        store.clear();
        store.append(&batch(10..12)).expect("valid");
        assert_eq!((store.first(), store.end(), store.len()), (10, 12, 2));
        assert_eq!(store.line(11).map(|line| line.text), Some("line 11"));
    }
}
