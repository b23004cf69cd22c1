//! Store of lines: bounded, older ones compressed, oldest dropped first and counted; lines keep their numbers.
//!
//! Nothing is written to the browser's storage: a log may hold secrets, which would stay in the profile after the page, and a
//! million lines fit into memory, compressed.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write;

use crate::batch::{Batch, Origin};
use crate::block::{Block, Head};
use crate::level::{Level, level_of};
use crate::packing::Packing;
use crate::time::{self, Time};

/// Newest blocks that are not compressed: those that a follower reads, 16,384 lines at most.
const PLAIN: usize = 16;

/// Limits of a store.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of lines. Default: 1,000,000.
    pub lines: usize,
    /// Maximum memory in bytes, for the text, of which all but the newest 16,384 lines are compressed, and for the data of
    /// each line. Default: 96 MiB, of which a million lines take 23 MiB besides their text.
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

impl Source {
    /// `pod/container`, or `namespace/pod/container`.
    #[must_use]
    pub fn label(&self, with_namespace: bool) -> String {
        let Self { namespace, pod, container } = self;
        if with_namespace { format!("{namespace}/{pod}/{container}") } else { format!("{pod}/{container}") }
    }
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
    /// Number of blocks, from the first on, that are compressed if that saves enough.
    packed: usize,
    packing: Packing,
    sources: Vec<Source>,
    bytes: usize,
    first: u64,
    end: u64,
    dropped: u64,
}

impl Store {
    /// An empty store.
    pub fn new(limits: Limits) -> Self {
        let (blocks, sources) = (VecDeque::new(), Vec::new());
        Self { limits, blocks, packed: 0, packing: Packing::default(), sources, bytes: 0, first: 0, end: 0, dropped: 0 }
    }

    /// Appends a batch.
    pub fn append(&mut self, batch: &Batch<'_>) {
        let mut cuts = batch.cuts.iter().peekable();
        let mut origins = batch.origins.iter().peekable();
        let mut source = None;
        let lines = batch.texts.split('\n').zip(batch.times.split('\n')).take(batch.lines);
        for (at, (text, time)) in lines.enumerate() {
            while let Some(origin) = origins.next_if(|origin| origin.from <= at) {
                source = Some(self.source(origin));
            }
            let source = *source.get_or_insert_with(|| self.place(&Source::default()));
            let cut = cuts.next_if(|(index, _)| *index <= at).map_or(0, |(_, cut)| *cut);
            self.push(text, time::parse(time), u32::try_from(cut).unwrap_or(u32::MAX), source);
        }
        self.pack_older();
        self.drop_oldest();
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

    fn pack_older(&mut self) {
        while self.packed + PLAIN < self.blocks.len()
            && let Some(block) = self.blocks.get_mut(self.packed)
        {
            self.bytes -= block.pack(&mut self.packing);
            self.packed += 1;
        }
    }

    /// Drops the oldest blocks as a whole, so that there is no cost per line.
    fn drop_oldest(&mut self) {
        while self.blocks.len() > 1 && (self.len() > self.limits.lines || self.bytes > self.limits.bytes) {
            let Some(block) = self.blocks.pop_front() else { return };
            self.bytes -= block.bytes();
            self.first = block.first + block.len() as u64;
            self.dropped += block.len() as u64;
            self.packed = self.packed.saturating_sub(1);
        }
    }

    fn source(&mut self, origin: &Origin<'_>) -> u16 {
        let text = |text: &Option<Cow<'_, str>>| text.as_deref().unwrap_or_default().to_owned();
        let Origin { namespace, pod, container, .. } = origin;
        self.place(&Source { namespace: text(namespace), pod: text(pod), container: text(container) })
    }

    /// Index of an origin, which may be new. Origins are few, and consecutive lines often have the same one.
    fn place(&mut self, source: &Source) -> u16 {
        let at = self.sources.iter().rposition(|known| known == source).unwrap_or_else(|| {
            self.sources.push(source.clone());
            self.sources.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// Removes all lines and their origins. Their numbers are not reused.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.sources.clear();
        self.packing.clear();
        (self.packed, self.bytes, self.first, self.dropped) = (0, 0, self.end, 0);
    }

    /// Number of stored lines.
    pub fn len(&self) -> usize {
        usize::try_from(self.end - self.first).unwrap_or(usize::MAX)
    }

    /// Whether no line is stored.
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

    /// Whether lines come from pods of several namespaces: then their origins name these, too.
    pub fn spans_namespaces(&self) -> bool {
        self.sources.windows(2).any(|two| two[0].namespace != two[1].namespace)
    }

    /// Reads a line by its number. O(log n) in the number of blocks, and O(block) for an older line.
    pub fn line<T>(&self, id: u64, read: impl FnOnce(&Line<'_>) -> T) -> Option<T> {
        let mut read = Some(read);
        let mut result = None;
        self.lines(id, |line| {
            result = read.take().filter(|_| line.id == id).map(|read| read(line));
            false
        });
        result
    }

    /// Calls `see` with each line from a number on, for as long as it returns true.
    pub fn lines(&self, from: u64, mut see: impl FnMut(&Line<'_>) -> bool) {
        let from = from.max(self.first);
        let at = self.blocks.partition_point(|block| block.first + block.len() as u64 <= from);
        for block in self.blocks.range(at..) {
            let texts = block.texts(&self.packing);
            let start = usize::try_from(from.saturating_sub(block.first)).unwrap_or(usize::MAX);
            for (at, (head, text)) in (start..block.len()).filter_map(|at| Some((at, block.line(&texts, at)?))) {
                let id = block.first + at as u64;
                let Head { cut, level, source, .. } = *head;
                if !see(&Line { id, time: head.time(), text, cut, level, source }) {
                    return;
                }
            }
        }
    }

    /// Texts of a file with all lines, part by part: timestamp and origin before each, as far as they are known.
    pub fn export(&self) -> impl Iterator<Item = String> {
        let (has_sources, with_namespace) = (self.sources.len() > 1, self.spans_namespaces());
        self.blocks.iter().map(move |block| {
            let texts = block.texts(&self.packing);
            let mut part = String::with_capacity(texts.len() + block.len() * 64);
            for (head, text) in (0..block.len()).filter_map(|at| block.line(&texts, at)) {
                if let Some(time) = head.time() {
                    part.push_str(&time.format(9, None));
                    part.push(' ');
                }
                if let Some(source) = self.sources.get(usize::from(head.source)).filter(|_| has_sources) {
                    part.push_str(&source.label(with_namespace));
                    part.push(' ');
                }
                part.push_str(text);
                if head.cut > 0 {
                    // Writing to a String cannot fail.
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

    fn append(store: &mut Store, range: std::ops::Range<u64>) {
        let texts: Vec<_> = range.clone().map(|at| format!("line {at}")).collect();
        let times: Vec<_> = range.map(|at| format!("2026-01-02T03:04:05.{at:09}Z")).collect();
        add(store, &texts.join("\n"), &times.join("\n"), &format!("[{},[],[]]", texts.len()));
    }

    fn add(store: &mut Store, texts: &str, times: &str, rest: &str) {
        store.append(&Batch::new(texts, times, rest).expect("columns that fit"));
    }

    fn text(store: &Store, id: u64) -> Option<String> {
        store.line(id, |line| line.text.to_owned())
    }

    fn ids(store: &Store, from: u64) -> Vec<u64> {
        let mut ids = Vec::new();
        store.lines(from, |line| {
            ids.push(line.id);
            true
        });
        ids
    }

    #[test]
    fn lines_are_found_by_their_numbers() {
        let mut store = Store::new(Limits::default());
        append(&mut store, 0..3000);
        assert_eq!((store.len(), store.first(), store.end()), (3000, 0, 3000));
        for id in [0, 1023, 1024, 2999] {
            let time = format!("2026-01-02T03:04:05.{id:09}Z");
            let read =
                store.line(id, |line| (line.id, line.text.to_owned(), line.time.map(|time| time.format(9, None))));
            assert_eq!(read, Some((id, format!("line {id}"), Some(time))));
        }
        assert_eq!(text(&store, 3000), None);
        assert_eq!(ids(&store, 2998), [2998, 2999]);
    }

    #[test]
    fn older_lines_are_compressed_and_read_as_they_were() {
        let mut store = Store::new(Limits::default());
        let lines = 60 * 1024;
        for start in (0..lines).step_by(2000) {
            append(&mut store, start..(start + 2000).min(lines));
        }
        let plain: usize = (0..lines).map(|at| format!("line {at}").len()).sum();
        let heads = store.len() * size_of::<Head>();
        assert_eq!(size_of::<Head>(), 24);
        assert!(store.bytes() - heads < plain * 6 / 10, "{} of {plain}", store.bytes() - heads);
        let counted: usize = store.blocks.iter().map(Block::bytes).sum();
        assert_eq!(store.bytes(), counted);
        assert_eq!(store.packed, store.blocks.len() - PLAIN);
        let mut next = 0;
        store.lines(0, |line| {
            assert_eq!((line.id, line.text), (next, format!("line {next}").as_str()));
            next += 1;
            true
        });
        assert_eq!(next, lines);
        for id in [0, 40_000, 1, lines - 1] {
            assert_eq!(text(&store, id), Some(format!("line {id}")));
        }
        let file: String = store.export().collect();
        assert_eq!(file.lines().count(), store.len());
        assert!(file.contains("Z line 777\n"));
        store.clear();
        assert_eq!((store.bytes(), store.packed), (0, 0));
    }

    #[test]
    fn the_oldest_lines_are_dropped_and_counted() {
        let mut store = Store::new(Limits { lines: 5000, bytes: usize::MAX });
        for start in 0..20 {
            append(&mut store, start * 1000..(start + 1) * 1000);
            assert!(store.len() <= 5000, "{}", store.len());
        }
        assert_eq!((store.end(), store.first() % 1024, store.dropped()), (20_000, 0, store.first()));
        assert!(store.len() > 5000 - 1024);
        assert_eq!(text(&store, store.first() - 1), None);
        assert_eq!(ids(&store, 0).len(), store.len());
    }

    #[test]
    fn long_lines_do_not_exceed_the_bytes() {
        let mut store = Store::new(Limits { lines: usize::MAX, bytes: 2 << 20 });
        let long = "x".repeat(256 << 10);
        for _ in 0..40 {
            add(&mut store, &long, "", "[1,[[0,7]],[]]");
            assert!(store.bytes() <= 2 << 20);
        }
        assert_eq!(store.end(), 40);
        assert_eq!(store.line(39, |line| (line.text.len(), line.cut)), Some((256 << 10, 7)));
        assert!(store.len() >= 6);
    }

    #[test]
    fn origins_are_kept_once_and_exported() {
        let mut store = Store::new(Limits::default());
        let origin =
            |from: usize, pod: &str| format!(r#"{{"from":{from},"namespace":"n","pod":"{pod}","container":"c"}}"#);
        let origins = [origin(0, "p"), origin(1, "q"), origin(2, "p")].join(",");
        add(&mut store, "a\na\u{1b}[0m\"\na", "\n\n", &format!("[3,[[1,5]],[{origins}]]"));
        let sources: Vec<_> = store.sources().iter().map(|source| source.pod.as_str()).collect();
        assert_eq!(sources, ["p", "q"]);
        let mut places = Vec::new();
        store.lines(0, |line| {
            places.push(line.source);
            true
        });
        assert_eq!(places, [0, 1, 0]);
        assert!(!store.spans_namespaces());
        let file: String = store.export().collect();
        assert_eq!(file.matches("q/c a\u{1b}[0m\" … (5 bytes cut)").count(), 1);
        assert!(!file.contains("n/q/c"));
        let other = origin(0, "r").replace(r#""n""#, r#""other""#);
        add(&mut store, "a", "", &format!("[1,[],[{other}]]"));
        let file: String = store.export().collect();
        assert!(store.spans_namespaces() && file.contains("n/q/c a") && file.contains("other/r/c a"));
        store.clear();
        assert!(store.sources().is_empty() && !store.spans_namespaces());
        add(&mut store, "a", "", &format!("[1,[],[{}]]", origin(0, "q")));
        assert_eq!(store.line(store.first(), |line| line.source), Some(0));
    }

    #[test]
    fn a_cleared_store_goes_on_with_its_numbers() {
        let mut store = Store::new(Limits::default());
        assert!(store.is_empty());
        append(&mut store, 0..10);
        store.clear();
        append(&mut store, 10..12);
        assert_eq!((store.first(), store.end(), store.len()), (10, 12, 2));
        assert_eq!(text(&store, 11).as_deref(), Some("line 11"));
    }
}
