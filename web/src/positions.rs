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
    entry: f64,
    last_entry: f64,
    /// None until the rows of this entry have been painted.
    now: Option<Position>,
    known: HashMap<u64, Position>,
    due: Option<Position>,
    ready: Option<Position>,
}

impl Positions {
    /// Starts at an entry of the history, or at a new one. Entries made before a reload have ids below `first`.
    pub(crate) fn new(entry: Option<f64>, first: f64) -> Self {
        Self {
            entry: entry.unwrap_or(first),
            last_entry: first,
            now: None,
            known: HashMap::new(),
            due: None,
            ready: None,
        }
    }

    /// Records the current position, unless another one is still to be restored.
    pub(crate) fn stand(&mut self, position: Position) {
        if self.ready.is_none() {
            self.now = Some(position);
        }
    }

    /// The current entry becomes another place. Returns its id.
    pub(crate) fn stay(&mut self) -> f64 {
        self.forget();
        self.entry
    }

    /// Adds a new entry. Returns its id.
    pub(crate) fn step(&mut self) -> f64 {
        self.last_entry += 1.0;
        self.leave_for(self.last_entry);
        self.forget();
        self.entry
    }

    /// The history went to an entry, by Back, Forward or a link. An entry without an id is new. Returns the id.
    pub(crate) fn arrive(&mut self, entry: Option<f64>) -> f64 {
        let Some(entry) = entry else { return self.step() };
        if entry.to_bits() != self.entry.to_bits() {
            self.leave_for(entry);
            self.due = self.known.get(&entry.to_bits()).cloned();
        }
        self.entry
    }

    /// Drops the position to restore: the user went to another place.
    fn forget(&mut self) {
        (self.due, self.ready) = (None, None);
    }

    /// The table begins to show the rows of this entry.
    pub(crate) fn begin_rows(&mut self) {
        self.ready = self.due.take();
        self.now = None;
    }

    /// Returns the position to restore, once the rows of this entry have arrived.
    pub(crate) fn ready(&self) -> Option<Position> {
        self.ready.clone()
    }

    /// The position was restored, or the user has moved on.
    pub(crate) fn restored(&mut self) {
        self.ready = None;
    }

    fn leave_for(&mut self, entry: f64) {
        // A position that could not be restored in time is restored the next time.
        let position = self.ready.take().or(self.now.take()).or(self.due.take()).unwrap_or_default();
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

    fn restored(positions: &mut Positions) -> Option<Position> {
        positions.begin_rows();
        let ready = positions.ready();
        positions.restored();
        ready
    }

    #[test]
    fn back_and_forward_restore_what_was_left() {
        let mut positions = Positions::new(None, 100.0);
        positions.stand(at(3000));
        assert_eq!(positions.step().to_bits(), 101_f64.to_bits());
        assert_eq!(restored(&mut positions), None, "a new entry begins at the top");
        positions.stand(at(50));
        positions.arrive(Some(100.0));
        assert_eq!(positions.ready(), None, "the rows are still the others");
        assert_eq!(restored(&mut positions), Some(at(3000)));
        assert_eq!(restored(&mut positions), None, "once");
        positions.stand(at(3000));
        positions.arrive(Some(100.0));
        assert_eq!(restored(&mut positions), None, "a second event for the same entry");
        positions.arrive(Some(101.0));
        assert_eq!(restored(&mut positions), Some(at(50)));
    }

    #[test]
    fn an_entry_that_is_left_before_it_is_restored_keeps_its_position() {
        let mut positions = Positions::new(None, 0.0);
        positions.stand(at(9));
        positions.step();
        positions.stand(at(5));
        positions.arrive(Some(0.0));
        positions.arrive(Some(1.0));
        assert_eq!(restored(&mut positions), Some(at(5)));
        positions.stand(at(5));
        positions.arrive(Some(0.0));
        positions.begin_rows();
        positions.stand(at(7));
        positions.arrive(Some(1.0));
        positions.arrive(Some(0.0));
        assert_eq!(restored(&mut positions), Some(at(9)), "it was not restored in time");
    }

    #[test]
    fn an_entry_without_an_id_is_new_and_one_of_before_a_reload_is_unknown() {
        let mut positions = Positions::new(Some(7.0), 100.0);
        positions.stand(at(9));
        assert_eq!(positions.arrive(None).to_bits(), 101_f64.to_bits());
        positions.arrive(Some(6.0));
        assert_eq!(restored(&mut positions), None);
        positions.arrive(Some(7.0));
        assert_eq!(restored(&mut positions), Some(at(9)));
    }

    #[test]
    fn a_step_forgets_what_was_to_be_restored() {
        let mut positions = Positions::new(None, 0.0);
        positions.stand(at(9));
        positions.step();
        positions.arrive(Some(0.0));
        positions.begin_rows();
        positions.step();
        assert_eq!((positions.ready(), restored(&mut positions)), (None, None));
    }
}
