//! Selection of lines: those that pass a filter, and those that match a search. It is updated in slices, so that a million
//! lines never block the page.

use std::collections::VecDeque;

use crate::ansi::plain;
use crate::level::Level;
use crate::pattern::Pattern;
use crate::store::{Line, Store};

/// Filter of the shown lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Lines of this level and above; `Unknown` is all lines.
    pub least: Level,
    /// Only lines that match the search.
    pub matches_only: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Self { least: Level::Unknown, matches_only: false }
    }
}

/// Number of lines, and of bytes of text, that are tested between two checks of the clock.
const STEP_LINES: usize = 512;
const STEP_BYTES: usize = 64 << 10;

/// Shown lines of a store, by position, and matching lines.
#[derive(Debug)]
pub struct Selection {
    pattern: Option<Pattern>,
    filter: Filter,
    /// Numbers of the shown lines, if not all are shown.
    shown: VecDeque<u64>,
    matches: VecDeque<u64>,
    next: u64,
}

impl Selection {
    /// Creates a selection that has tested no line yet.
    pub fn new(pattern: Option<Pattern>, filter: Filter) -> Self {
        Self { pattern, filter, shown: VecDeque::new(), matches: VecDeque::new(), next: 0 }
    }

    /// The search pattern.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    fn is_all(&self) -> bool {
        self.filter.least == Level::Unknown && !self.hides_others()
    }

    /// Without a search all lines match.
    fn hides_others(&self) -> bool {
        self.filter.matches_only && self.pattern.is_some()
    }

    /// Tests new lines while `go_on` returns true, and removes those that the store has dropped. Returns whether all lines
    /// are tested.
    pub fn advance(&mut self, store: &Store, mut go_on: impl FnMut() -> bool) -> bool {
        let first = store.first();
        for ids in [&mut self.shown, &mut self.matches] {
            let dropped = ids.partition_point(|id| *id < first);
            ids.drain(..dropped);
        }
        self.next = self.next.max(first);
        if self.pattern.is_none() && self.is_all() {
            self.next = store.end();
            return true;
        }
        let (mut lines, mut bytes, mut is_done) = (0, 0, true);
        store.lines(self.next, |line| {
            if lines >= STEP_LINES || bytes >= STEP_BYTES {
                if !go_on() {
                    is_done = false;
                    return false;
                }
                (lines, bytes) = (0, 0);
            }
            lines += 1;
            bytes += line.text.len();
            self.next = line.id + 1;
            self.judge(line);
            true
        });
        is_done
    }

    fn judge(&mut self, line: &Line<'_>) {
        if line.level < self.filter.least {
            return;
        }
        let matches = self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(&plain(line.text)));
        if matches {
            self.matches.push_back(line.id);
        }
        if !self.is_all() && (matches || !self.hides_others()) {
            self.shown.push_back(line.id);
        }
    }

    /// Fraction of the store's lines that have been tested, from 0 to 1.
    pub fn progress(&self, store: &Store) -> f64 {
        if store.is_empty() { 1.0 } else { self.next.saturating_sub(store.first()) as f64 / store.len() as f64 }
    }

    /// Number of shown lines with a number below `end`.
    pub fn len(&self, store: &Store, end: u64) -> usize {
        if self.is_all() {
            usize::try_from(end.min(store.end()).saturating_sub(store.first())).unwrap_or(usize::MAX)
        } else {
            self.shown.partition_point(|id| *id < end)
        }
    }

    /// Number of the line at a place.
    pub fn id(&self, store: &Store, place: usize) -> Option<u64> {
        if self.is_all() {
            let id = store.first() + place as u64;
            (id < store.end()).then_some(id)
        } else {
            self.shown.get(place).copied()
        }
    }

    /// Position of a line, or of the next shown one.
    pub fn place(&self, store: &Store, id: u64) -> usize {
        self.len(store, id)
    }

    /// Number of matching lines.
    pub fn matches(&self) -> usize {
        self.matches.len()
    }

    /// The match at a place among the matches.
    pub fn match_at(&self, place: usize) -> Option<u64> {
        self.matches.get(place).copied()
    }

    /// Place, among the matches, of the first one at or after a line.
    pub fn match_from(&self, id: u64) -> usize {
        self.matches.partition_point(|other| *other < id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::store::Limits;

    fn store(limits: Limits, lines: u64) -> Store {
        let mut store = Store::new(limits);
        for start in (0..lines).step_by(100) {
            let text = |at: u64| if at.is_multiple_of(10) { format!("ERROR {at}") } else { format!("INFO a{at}") };
            let lines: Vec<_> = (start..start + 100).map(text).collect();
            store.append(&Batch::new(&lines.join("\n"), &"\n".repeat(99), "[100,[],[]]").expect("valid"));
        }
        store
    }

    #[test]
    fn all_lines_are_shown_without_a_filter() {
        let store = store(Limits::default(), 2000);
        let mut selection = Selection::new(Pattern::text("error", false), Filter::default());
        assert!(selection.advance(&store, || true));
        assert_eq!((selection.len(&store, store.end()), selection.matches()), (2000, 200));
        assert_eq!((selection.id(&store, 7), selection.place(&store, 7)), (Some(7), 7));
        assert_eq!((selection.match_at(1), selection.match_from(11)), (Some(10), 2));
        assert_eq!(selection.len(&store, 1500), 1500);
    }

    #[test]
    fn filters_show_levels_and_matches() {
        let store = store(Limits::default(), 2000);
        let mut errors = Selection::new(None, Filter { least: Level::Error, matches_only: true });
        assert!(errors.advance(&store, || true));
        assert_eq!((errors.len(&store, store.end()), errors.id(&store, 3)), (200, Some(30)));
        assert_eq!((errors.place(&store, 30), errors.place(&store, 31)), (3, 4));
        let mut matches =
            Selection::new(Pattern::text("a199", true), Filter { least: Level::Info, matches_only: true });
        assert!(matches.advance(&store, || true));
        // a199 and a1991 to a1999.
        assert_eq!((matches.len(&store, store.end()), matches.matches()), (10, 10));
        assert_eq!(matches.len(&store, 1000), 1);
    }

    #[test]
    fn work_stops_when_time_is_up_and_goes_on_later() {
        let store = store(Limits::default(), 2000);
        let mut selection = Selection::new(Pattern::text("error", false), Filter::default());
        assert!(!selection.advance(&store, || false));
        assert!(selection.progress(&store) > 0.2 && selection.progress(&store) < 0.3);
        while !selection.advance(&store, || false) {}
        assert_eq!((selection.matches(), selection.progress(&store)), (200, 1.0));
    }

    #[test]
    fn dropped_lines_are_forgotten() {
        let store = store(Limits { lines: 2000, bytes: usize::MAX }, 6000);
        let mut selection =
            Selection::new(Pattern::text("error", false), Filter { least: Level::Error, matches_only: false });
        let mut early = Store::new(Limits::default());
        assert!(selection.advance(&early, || true));
        early.append(&Batch::new("", "", "[0,[],[]]").expect("valid"));
        assert!(early.is_empty());
        assert!(selection.advance(&store, || true));
        assert_eq!(selection.len(&store, store.end()), selection.matches());
        assert!(selection.id(&store, 0).is_some_and(|id| id >= store.first()));
    }
}
