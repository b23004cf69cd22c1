//! Model of the tab: the received lines, the shown ones, and the end of the view. Uses no browser API.

use std::collections::HashSet;

use log_lines::{Filter, Limits, Pattern, Selection, Store};

use super::line::Times;
use crate::age::thousands;

/// A view that is at most this far behind the newest line follows it again when the user scrolls to its end.
const FOLLOW_WITHIN: usize = 200;

/// Lines and their appearance.
pub(super) struct Model {
    pub(super) store: Store,
    pub(super) selection: Selection,
    /// Lines with a smaller number are in the view: the view of a reader does not grow.
    pub(super) end: u64,
    /// Whether the view stays at the newest line.
    pub(super) follows: bool,
    /// Whether new lines are hidden until it is resumed.
    pub(super) is_paused: bool,
    /// Lines that are opened.
    pub(super) opened: HashSet<u64>,
    /// The line that was opened or closed since the last paint.
    pub(super) toggled: Option<u64>,
    /// The match that was jumped to.
    pub(super) current: Option<u64>,
    /// Line to scroll to.
    pub(super) scroll_target: Option<u64>,
    pub(super) times: Times,
    /// Version of the appearance; a new one repaints all lines.
    pub(super) style_version: u32,
    /// Lines of batches that could not be read.
    pub(super) unreadable: usize,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            store: Store::new(Limits::default()),
            selection: Selection::new(None, Filter::default()),
            end: 0,
            follows: true,
            is_paused: false,
            opened: HashSet::new(),
            toggled: None,
            current: None,
            scroll_target: None,
            times: Times::default(),
            style_version: 0,
            unreadable: 0,
        }
    }
}

/// Figures of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) stored: usize,
    pub(super) shown: usize,
    /// Lines received since the view stopped following.
    pub(super) new: usize,
    pub(super) matches: usize,
    /// Number of the match that was jumped to, from 1.
    pub(super) current: Option<usize>,
    /// Part that is searched, from 0 to 1.
    pub(super) progress: f64,
    /// Lines that were dropped because there were too many.
    pub(super) dropped: u64,
    pub(super) follows: bool,
    pub(super) is_paused: bool,
    pub(super) unreadable: usize,
}

impl Figures {
    /// Sentence about the lines that are missing before the stored ones, if any.
    pub(super) fn gaps(&self) -> Option<String> {
        let dropped = (self.dropped > 0).then(|| format!("{} older lines dropped", thousands(self.dropped)));
        let unreadable = (self.unreadable > 0).then(|| format!("{} unreadable batches", self.unreadable));
        let gaps: Vec<_> = dropped.into_iter().chain(unreadable).collect();
        (!gaps.is_empty()).then(|| gaps.join(", "))
    }
}

impl Model {
    /// Number of lines in the view.
    pub(super) fn len(&self) -> usize {
        self.selection.len(&self.store, self.end)
    }

    /// Processes received lines. Returns whether all are processed.
    pub(super) fn advance(&mut self, go_on: impl FnMut() -> bool) -> bool {
        let is_done = self.selection.advance(&self.store, go_on);
        if self.follows && !self.is_paused {
            self.end = self.store.end();
        }
        self.end = self.end.max(self.store.first());
        is_done
    }

    /// Changes the selection of lines. The view stays at its line.
    pub(super) fn select(&mut self, pattern: Option<Pattern>, filter: Filter, at: Option<u64>) {
        self.selection = Selection::new(pattern, filter);
        self.current = None;
        self.scroll_target = at.filter(|_| !self.follows);
        self.style_version += 1;
    }

    /// Goes to the newest line, and stays there.
    pub(super) fn follow(&mut self) {
        (self.follows, self.is_paused, self.scroll_target) = (true, false, None);
    }

    /// Pauses the view, or resumes it.
    pub(super) fn pause(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
        if !is_paused {
            self.follow();
        }
    }

    /// Handles that the view was scrolled to its end: shows the lines received since, or follows if these are few.
    pub(super) fn reached_end(&mut self) {
        if self.is_paused || self.follows {
            return;
        }
        let last = self.len().checked_sub(1).and_then(|last| self.selection.id(&self.store, last));
        self.end = self.store.end();
        if self.selection.len(&self.store, self.end)
            <= self.selection.place(&self.store, last.unwrap_or(0)) + FOLLOW_WITHIN
        {
            self.follow();
        } else {
            self.scroll_target = last;
        }
    }

    /// Goes to the next match, or to the one before; from the line that the view is at.
    pub(super) fn jump(&mut self, forward: bool, at: Option<u64>) {
        let count = self.selection.matches();
        if count == 0 {
            return;
        }
        let match_index = match (self.current, forward) {
            (Some(current), true) => self.selection.match_from(current + 1) % count,
            (Some(current), false) => self.selection.match_from(current).checked_sub(1).unwrap_or(count - 1),
            // While the view follows, the search starts at the newest match.
            (None, _) if self.follows => count - 1,
            (None, true) => self.selection.match_from(at.unwrap_or(0)) % count,
            (None, false) => self.selection.match_from(at.unwrap_or(0)).checked_sub(1).unwrap_or(count - 1),
        };
        self.current = self.selection.match_at(match_index);
        self.scroll_target = self.current;
        self.follows = false;
        if self.current.is_some_and(|current| current >= self.end) {
            self.end = self.store.end();
        }
    }

    /// Opens a line, or closes it. The view stops following.
    pub(super) fn toggle(&mut self, id: u64) {
        self.follows = false;
        self.toggled = Some(id);
        if !self.opened.remove(&id) {
            self.opened.insert(id);
        }
    }

    /// Removes all lines.
    pub(super) fn clear(&mut self) {
        self.store.clear();
        self.opened.clear();
        (self.current, self.unreadable) = (None, 0);
        self.follow();
    }

    pub(super) fn figures(&self) -> Figures {
        let (store, selection) = (&self.store, &self.selection);
        let shown = self.len();
        Figures {
            stored: store.len(),
            shown,
            new: selection.len(store, store.end()) - shown,
            matches: selection.matches(),
            current: self.current.map(|current| selection.match_from(current) + 1),
            progress: selection.progress(store),
            dropped: store.dropped(),
            follows: self.follows,
            is_paused: self.is_paused,
            unreadable: self.unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use log_lines::Batch;

    use super::*;

    fn append(model: &mut Model, count: usize) {
        let texts: Vec<_> = (0..count).map(|at| format!("line {at}")).collect();
        let times = "\n".repeat(count.saturating_sub(1));
        let rest = format!("[{count},[],[]]");
        model.store.append(&Batch::new(&texts.join("\n"), &times, &rest).expect("valid"));
        assert!(model.advance(|| true));
    }

    #[test]
    fn a_view_follows_until_it_is_read() {
        let mut model = Model::default();
        append(&mut model, 10);
        assert_eq!((model.len(), model.figures().new), (10, 0));
        model.follows = false;
        append(&mut model, 500);
        assert_eq!((model.len(), model.figures().new), (10, 500));
        model.reached_end();
        assert_eq!(
            (model.len(), model.follows, model.scroll_target),
            (510, false, Some(9)),
            "much came: it is read on"
        );
        append(&mut model, 5);
        model.reached_end();
        assert!(model.follows, "little came: it follows");
    }

    #[test]
    fn a_paused_view_stays_while_lines_are_received() {
        let mut model = Model::default();
        append(&mut model, 3);
        model.pause(true);
        append(&mut model, 4);
        model.reached_end();
        assert_eq!((model.len(), model.figures().new, model.figures().stored), (3, 4, 7));
        model.pause(false);
        append(&mut model, 1);
        assert_eq!((model.len(), model.figures().new), (8, 0));
    }

    #[test]
    fn matches_are_visited_in_a_circle() {
        let mut model = Model::default();
        append(&mut model, 30);
        model.select(Pattern::text("line 1", false), Filter::default(), None);
        append(&mut model, 0);
        assert_eq!(model.figures().matches, 11);
        model.jump(true, None);
        assert_eq!((model.current, model.figures().current), (Some(19), Some(11)), "the newest first");
        model.jump(true, None);
        assert_eq!(model.current, Some(1));
        model.jump(false, None);
        model.jump(false, None);
        assert_eq!(model.current, Some(18));
    }

    #[test]
    fn missing_lines_are_reported() {
        let mut model = Model { store: Store::new(Limits { lines: 3000, bytes: usize::MAX }), ..Model::default() };
        append(&mut model, 5120);
        assert_eq!((model.figures().stored, model.figures().dropped), (2048, 3072));
        model.unreadable = 2;
        assert_eq!(model.figures().gaps().as_deref(), Some("3,072 older lines dropped, 2 unreadable batches"));
    }

    #[test]
    fn a_cleared_view_shows_later_lines() {
        let mut model = Model::default();
        append(&mut model, 5);
        model.clear();
        append(&mut model, 2);
        assert_eq!((model.len(), model.figures().dropped), (2, 0));
        assert_eq!(model.figures().gaps(), None);
        assert_eq!(model.selection.id(&model.store, 0), Some(5));
    }
}
