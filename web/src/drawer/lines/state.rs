//! State of shown lines, which tools share with them: the current line, folded blocks and the search.

use std::collections::HashSet;
use std::sync::Arc;

use leptos::prelude::*;
use log_lines::Pattern;

use crate::yaml::{Document, NodeId};

/// Position of a line, identified by its value: it stays the same when earlier lines are added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LinePosition {
    id: NodeId,
    /// Number of earlier lines of the same value.
    nth: usize,
}

impl LinePosition {
    fn of(document: &Document, line: usize) -> Self {
        let id = document.outline.id(line);
        Self { id, nth: (0..line).rev().take_while(|line| document.outline.id(*line) == id).count() }
    }

    fn line(self, document: &Document) -> Option<usize> {
        (0..document.lines.len()).filter(|line| document.outline.id(*line) == self.id).nth(self.nth)
    }
}

/// Line to scroll to, and the number of earlier requests.
pub(super) type ScrollTarget = Option<(usize, u32)>;

/// State of the lines. Clones share their state.
#[derive(Clone, Copy)]
pub(crate) struct LinesState {
    pub(super) document: Signal<Arc<Document>>,
    folded: RwSignal<HashSet<NodeId>>,
    /// The lines that are not folded away.
    pub(super) rows: Memo<Arc<Vec<u32>>>,
    current: RwSignal<Option<LinePosition>>,
    /// The current line.
    pub(crate) line: Memo<Option<usize>>,
    pub(super) pattern: RwSignal<Option<Pattern>>,
    /// The lines that match the search.
    found: Memo<Arc<Vec<u32>>>,
    pub(super) scroll_target: RwSignal<ScrollTarget>,
}

impl LinesState {
    /// Creates the state of a document, which may change.
    pub(crate) fn new(document: Signal<Arc<Document>>) -> Self {
        let (folded, current) = (RwSignal::new(HashSet::new()), RwSignal::new(None::<LinePosition>));
        let pattern = RwSignal::new(None::<Pattern>);
        Self {
            document,
            folded,
            rows: Memo::new(move |_| {
                Arc::new(document.with(|document| folded.with(|folded| document.outline.visible(folded))))
            }),
            current,
            line: Memo::new(move |_| {
                current.get().and_then(|position| document.with(|document| position.line(document)))
            }),
            pattern,
            found: Memo::new(move |_| {
                let found = |pattern: &Option<Pattern>| {
                    let pattern = pattern.as_ref()?;
                    Some(document.with(|document| matching(document, pattern)))
                };
                Arc::new(pattern.with(found).unwrap_or_default())
            }),
            scroll_target: RwSignal::new(None),
        }
    }

    /// The lines with their outline. Tracked.
    pub(crate) fn document(self) -> Arc<Document> {
        self.document.get()
    }

    /// Whether the block of a line is folded.
    pub(super) fn is_folded(self, id: NodeId) -> bool {
        self.folded.with(|folded| folded.contains(&id))
    }

    /// Whether any block is folded.
    pub(crate) fn has_folds(self) -> bool {
        self.folded.with(|folded| !folded.is_empty())
    }

    /// Folds all outermost blocks, or opens every block.
    pub(crate) fn fold_all(self, fold: bool) {
        let document = self.document.get_untracked();
        let outermost = document.outline.outermost().filter(|_| fold).map(|fold| fold.id).collect();
        self.folded.set(outermost);
        if let Some(line) = self.line.get_untracked() {
            self.set_current(&document, line);
        }
    }

    /// Folds the block of a line, or opens it. No effect on a line without a block.
    pub(super) fn toggle(self, line: usize) {
        let document = self.document.get_untracked();
        let Some(fold) = document.outline.fold_at(line) else { return };
        self.folded.update(|folded| {
            if !folded.remove(&fold.id) {
                folded.insert(fold.id);
            }
        });
        self.current.set(Some(LinePosition::of(&document, line)));
    }

    /// Folds the block of the current line, or goes to the line above that it is part of.
    pub(super) fn close(self) {
        let document = self.document.get_untracked();
        let Some(line) = self.line.get_untracked() else { return self.step(0) };
        match document.outline.fold_at(line) {
            Some(fold) if !untrack(|| self.is_folded(fold.id)) => self.toggle(line),
            _ => {
                if let Some(around) = document.outline.folds_around(line).last() {
                    self.go(around.first as usize);
                }
            }
        }
    }

    /// Opens the block of the current line, or goes to its next line.
    pub(super) fn open(self) {
        let document = self.document.get_untracked();
        let fold = self.line.get_untracked().and_then(|line| document.outline.fold_at(line));
        match fold {
            Some(fold) if untrack(|| self.is_folded(fold.id)) => self.toggle(fold.first as usize),
            _ => self.step(1),
        }
    }

    /// Makes a line the current one, without scrolling. In a folded block, the block's visible line becomes the current
    /// one.
    pub(super) fn choose(self, line: usize) {
        self.set_current(&self.document.get_untracked(), line);
    }

    fn set_current(self, document: &Document, line: usize) {
        let folded = |id| untrack(|| self.is_folded(id));
        let line =
            document.outline.folds_around(line).find(|fold| folded(fold.id)).map_or(line, |fold| fold.first as usize);
        self.current.set(Some(LinePosition::of(document, line)));
    }

    /// Moves the current line by a number of visible lines. Without a current line, the first one becomes current.
    pub(super) fn step(self, by: isize) {
        let rows = self.rows.get_untracked();
        let Some(last) = rows.len().checked_sub(1) else { return };
        let at = self.line.get_untracked().and_then(|line| rows.binary_search(&u32::try_from(line).ok()?).ok());
        let to = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        if let Some(row) = rows.get(to) {
            self.go(*row as usize);
        }
    }

    /// Goes to a line: opens the blocks that it is in, and scrolls to it.
    pub(super) fn go(self, line: usize) {
        let document = self.document.get_untracked();
        let around: Vec<NodeId> = document.outline.folds_around(line).map(|fold| fold.id).collect();
        if self.folded.with_untracked(|folded| around.iter().any(|id| folded.contains(id))) {
            self.folded.update(|folded| folded.retain(|id| !around.contains(id)));
        }
        self.current.set(Some(LinePosition::of(&document, line)));
        self.scroll_target.update(|scroll_target| {
            *scroll_target = Some((line, scroll_target.map_or(0, |(_, count)| count.wrapping_add(1))));
        });
    }

    /// Searches a text, and goes to the first matching line from the current one on.
    pub(crate) fn search(self, text: &str) {
        let pattern = Pattern::text(text, false);
        let is_search = pattern.is_some();
        self.pattern.set(pattern);
        if is_search {
            let from = self.line.get_untracked().unwrap_or_default();
            let found = self.found.get_untracked();
            if let Some(line) = found.iter().find(|line| **line as usize >= from).or(found.first()) {
                self.go(*line as usize);
            }
        }
    }

    /// Moves to the next or previous matching line, with wrap-around.
    pub(crate) fn find(self, forward: bool) {
        if let Some(line) = next(&self.found.get_untracked(), self.line.get_untracked(), forward) {
            self.go(line);
        }
    }

    /// Number of matching lines, and the number of the current one among them, counted from 1.
    pub(crate) fn matches(self) -> (usize, Option<usize>) {
        let line = self.line.get().and_then(|line| u32::try_from(line).ok());
        self.found.with(|found| (found.len(), line.and_then(|line| found.binary_search(&line).ok()).map(|at| at + 1)))
    }
}

fn matching(document: &Document, pattern: &Pattern) -> Vec<u32> {
    let is_match = |(_, line): &(u32, &crate::yaml::Line)| pattern.is_match(&line.to_string());
    (0..).zip(&document.lines).filter(is_match).map(|(at, _)| at).collect()
}

/// The line after the current one that matches, or the one before it.
fn next(found: &[u32], current: Option<usize>, forward: bool) -> Option<usize> {
    let after = found.partition_point(|line| current.is_some_and(|current| *line as usize <= current));
    let before = found.partition_point(|line| current.is_some_and(|current| (*line as usize) < current));
    let line = match (forward, before.checked_sub(1)) {
        (true, _) => found.get(after).or(found.first()),
        (false, Some(before)) => found.get(before),
        (false, None) => found.last(),
    };
    line.map(|line| *line as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Printing, Yaml};

    #[test]
    fn the_search_wraps_around_after_the_last_match() {
        let found = [2, 5, 9];
        let way = |current, forward| next(&found, current, forward);
        assert_eq!((way(None, true), way(None, false)), (Some(2), Some(9)));
        assert_eq!((way(Some(2), true), way(Some(3), true), way(Some(9), true)), (Some(5), Some(5), Some(2)));
        assert_eq!((way(Some(5), false), way(Some(6), false), way(Some(2), false)), (Some(2), Some(5), Some(9)));
        assert_eq!((next(&[], Some(1), true), next(&[], None, false)), (None, None));
    }

    #[test]
    fn a_line_is_the_same_one_when_others_come_before_it() {
        let of = |json: &str| Yaml::of(json, &Printing::default()).expect("valid JSON").body;
        let before = of(r#"{"data":{"b":"1\n2\n3\n","c":"x"}}"#);
        let after = of(r#"{"data":{"a":"new","b":"1\n2\n3\n4\n","c":"y"}}"#);
        for (at, expected) in [(3, 4), (5, 7)] {
            assert_eq!(LinePosition::of(&before, at).line(&after), Some(expected), "{}", before.lines[at]);
        }
        assert_eq!(LinePosition::of(&before, 1).line(&of("{}")), None);
        let pattern = Pattern::text("B: |", false).expect("a text");
        assert_eq!(matching(&before, &pattern), [1]);
    }
}
