//! Scroll positions: where the table stood at each entry of the tab's history, so that Back and Forward restore it.

use std::collections::HashMap;

/// Where the table stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Pixels above the first row in sight.
    pub(crate) top: i32,
    /// The row that the keyboard is on: its place and its key.
    pub(crate) row: Option<(usize, Option<String>)>,
}

/// The positions of one tab. They live as long as the page: a reload forgets them.
#[derive(Debug)]
pub(crate) struct Positions {
    entry: f64,
    last_entry: f64,
    now: Position,
    known: HashMap<u64, Position>,
    due: Option<Position>,
}

impl Positions {
    /// Starts at an entry of the history, or at a new one. Entries made before a reload have ids below `first`.
    pub(crate) fn new(entry: Option<f64>, first: f64) -> Self {
        Self {
            entry: entry.unwrap_or(first),
            last_entry: first,
            now: Position::default(),
            known: HashMap::new(),
            due: None,
        }
    }

    /// The id of the current entry.
    pub(crate) fn entry(&self) -> f64 {
        self.entry
    }

    /// Records where the table stands now.
    pub(crate) fn stand(&mut self, position: Position) {
        self.now = position;
    }

    /// Moves on to a new entry. Gives its id.
    pub(crate) fn step(&mut self) -> f64 {
        self.last_entry += 1.0;
        self.leave_for(self.last_entry);
        self.due = None;
        self.entry
    }

    /// The history went to an entry, by Back, Forward or a link. One without an id is new. Gives the id.
    pub(crate) fn arrive(&mut self, entry: Option<f64>) -> f64 {
        let Some(entry) = entry else { return self.step() };
        if entry.to_bits() != self.entry.to_bits() {
            self.leave_for(entry);
            self.due = self.known.get(&entry.to_bits()).cloned();
        }
        self.entry
    }

    /// The position to restore once the rows of this entry are there.
    pub(crate) fn take_due(&mut self) -> Option<Position> {
        self.due.take()
    }

    fn leave_for(&mut self, entry: f64) {
        let position = std::mem::take(&mut self.now);
        self.known.insert(self.entry.to_bits(), position);
        self.entry = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(top: i32) -> Position {
        Position { top, row: None }
    }

    #[test]
    fn back_and_forward_restore_what_was_left() {
        let mut positions = Positions::new(None, 100.0);
        positions.stand(at(3000));
        assert_eq!(positions.step().to_bits(), 101_f64.to_bits());
        assert_eq!(positions.take_due(), None, "a new entry begins at the top");
        positions.stand(at(50));
        positions.arrive(Some(100.0));
        assert_eq!(positions.take_due(), Some(at(3000)));
        assert_eq!(positions.take_due(), None, "once");
        positions.stand(at(3000));
        positions.arrive(Some(100.0));
        assert_eq!(positions.take_due(), None, "a second event for the same entry");
        positions.arrive(Some(101.0));
        assert_eq!(positions.take_due(), Some(at(50)));
    }

    #[test]
    fn an_entry_without_an_id_is_new_and_one_of_before_a_reload_is_unknown() {
        let mut positions = Positions::new(Some(7.0), 100.0);
        positions.stand(at(9));
        assert_eq!(positions.arrive(None).to_bits(), 101_f64.to_bits());
        positions.arrive(Some(6.0));
        assert_eq!(positions.take_due(), None);
        positions.arrive(Some(7.0));
        assert_eq!(positions.take_due(), Some(at(9)));
    }

    #[test]
    fn a_step_forgets_what_was_due() {
        let mut positions = Positions::new(None, 0.0);
        positions.stand(at(9));
        positions.step();
        positions.arrive(Some(0.0));
        positions.step();
        assert_eq!(positions.take_due(), None);
    }
}
