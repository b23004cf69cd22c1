//! Scroll positions: the table's position for each entry of the tab's history, restored by Back and Forward.

use std::cell::RefCell;
use std::collections::HashMap;

/// Position of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Pixels above the first visible row.
    pub(crate) top: i32,
    /// Row of the keyboard focus: its index and key.
    pub(crate) row: Option<(usize, Option<String>)>,
}

thread_local! {
    /// Positions of this tab, which has one history.
    static POSITIONS: RefCell<Option<Positions>> = const { RefCell::new(None) };
}

/// Starts at an entry of the history, or at a new one.
pub(crate) fn start(entry: Option<f64>, first: f64) {
    POSITIONS.set(Some(Positions::new(entry, first)));
}

/// Reads or changes the positions, once they are started.
pub(crate) fn with<T>(change: impl FnOnce(&mut Positions) -> T) -> Option<T> {
    POSITIONS.with_borrow_mut(|positions| positions.as_mut().map(change))
}

/// Scroll positions of one tab. They live as long as the page; a reload clears them.
#[derive(Debug)]
pub(crate) struct Positions {
    current_entry: f64,
    last_entry: f64,
    /// Current position; none until the rows of this entry have been painted.
    current: Option<Position>,
    by_entry: HashMap<u64, Position>,
    pending: Option<Position>,
    to_restore: Option<Position>,
}

impl Positions {
    /// Starts at an entry of the history, or at a new one. Entries made before a reload have ids below `first`.
    pub(crate) fn new(entry: Option<f64>, first: f64) -> Self {
        Self {
            current_entry: entry.unwrap_or(first),
            last_entry: first,
            current: None,
            by_entry: HashMap::new(),
            pending: None,
            to_restore: None,
        }
    }

    /// Records the current position, unless another one is still to be restored.
    pub(crate) fn record(&mut self, position: Position) {
        if self.to_restore.is_none() {
            self.current = Some(position);
        }
    }

    /// Drops the position to restore, because the current entry shows something else now. Returns the id of the entry.
    pub(crate) fn replace_entry(&mut self) -> f64 {
        self.drop_pending();
        self.current_entry
    }

    /// Adds a new entry. Returns its id.
    pub(crate) fn push_entry(&mut self) -> f64 {
        self.last_entry += 1.0;
        self.switch_to(self.last_entry);
        self.drop_pending();
        self.current_entry
    }

    /// Switches to the entry that Back, Forward or a link led to. An entry without an id is new. Returns the id.
    pub(crate) fn traverse_to(&mut self, entry: Option<f64>) -> f64 {
        let Some(entry) = entry else { return self.push_entry() };
        if entry.to_bits() != self.current_entry.to_bits() {
            self.switch_to(entry);
            self.pending = self.by_entry.get(&entry.to_bits()).cloned();
        }
        self.current_entry
    }

    /// Drops the position to restore: the user went elsewhere.
    fn drop_pending(&mut self) {
        (self.pending, self.to_restore) = (None, None);
    }

    /// Takes the pending position as the one to restore: the table starts to show the rows of this entry.
    pub(crate) fn start_rows(&mut self) {
        self.to_restore = self.pending.take();
        self.current = None;
    }

    /// Returns the position to restore, once the rows of this entry have arrived.
    pub(crate) fn to_restore(&self) -> Option<Position> {
        self.to_restore.clone()
    }

    /// Drops the position to restore: it was restored, or the user has moved on.
    pub(crate) fn mark_restored(&mut self) {
        self.to_restore = None;
    }

    fn switch_to(&mut self, entry: f64) {
        // A position that could not be restored in time is restored the next time.
        let position = self.to_restore.take().or(self.current.take()).or(self.pending.take()).unwrap_or_default();
        self.by_entry.insert(self.current_entry.to_bits(), position);
        self.current_entry = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(top: i32) -> Position {
        Position { top, row: None }
    }

    fn restore_position(positions: &mut Positions) -> Option<Position> {
        positions.start_rows();
        let to_restore = positions.to_restore();
        positions.mark_restored();
        to_restore
    }

    #[test]
    fn back_and_forward_restore_what_was_left() {
        let mut positions = Positions::new(None, 100.0);
        positions.record(at(3000));
        assert_eq!(positions.push_entry().to_bits(), 101_f64.to_bits());
        assert_eq!(restore_position(&mut positions), None, "a new entry begins at the top");
        positions.record(at(50));
        positions.traverse_to(Some(100.0));
        assert_eq!(positions.to_restore(), None, "the rows are still the others");
        assert_eq!(restore_position(&mut positions), Some(at(3000)));
        assert_eq!(restore_position(&mut positions), None, "once");
        positions.record(at(3000));
        positions.traverse_to(Some(100.0));
        assert_eq!(restore_position(&mut positions), None, "a second event for the same entry");
        positions.traverse_to(Some(101.0));
        assert_eq!(restore_position(&mut positions), Some(at(50)));
    }

    #[test]
    fn an_entry_that_is_left_before_it_is_restored_keeps_its_position() {
        let mut positions = Positions::new(None, 0.0);
        positions.record(at(9));
        positions.push_entry();
        positions.record(at(5));
        positions.traverse_to(Some(0.0));
        positions.traverse_to(Some(1.0));
        assert_eq!(restore_position(&mut positions), Some(at(5)));
        positions.record(at(5));
        positions.traverse_to(Some(0.0));
        positions.start_rows();
        positions.record(at(7));
        positions.traverse_to(Some(1.0));
        positions.traverse_to(Some(0.0));
        assert_eq!(restore_position(&mut positions), Some(at(9)), "it was not restored in time");
    }

    #[test]
    fn an_entry_without_an_id_is_new_and_one_of_before_a_reload_is_unknown() {
        let mut positions = Positions::new(Some(7.0), 100.0);
        positions.record(at(9));
        assert_eq!(positions.traverse_to(None).to_bits(), 101_f64.to_bits());
        positions.traverse_to(Some(6.0));
        assert_eq!(restore_position(&mut positions), None);
        positions.traverse_to(Some(7.0));
        assert_eq!(restore_position(&mut positions), Some(at(9)));
    }

    #[test]
    fn a_navigation_drops_the_position_to_restore() {
        let mut positions = Positions::new(None, 0.0);
        positions.record(at(9));
        positions.push_entry();
        positions.traverse_to(Some(0.0));
        positions.start_rows();
        positions.push_entry();
        assert_eq!((positions.to_restore(), restore_position(&mut positions)), (None, None));
    }
}
