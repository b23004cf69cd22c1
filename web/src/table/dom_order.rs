//! DOM order: the rows in the document have the order of the screen, in which screen readers read them.
//!
//! A slot shows every n-th row of the view, n being the size of the pool, so scrolling rotates the pool. Only rows that
//! leave at one end and return at the other are moved in the document. Visible rows stay untouched, so hover and
//! selection in them survive.

use leptos::prelude::document;
use web_sys::Element;

use super::pool::Slot;

/// Shortest rotation from one order to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Moves this many rows from the front to the back.
    Forward(usize),
    /// Moves this many rows from the back to the front.
    Back(usize),
}

/// Makes the slot `first` the first row, with the others after it. Returns false while elements are missing: those of a
/// growing pool appear within the frame.
pub(super) fn establish(canvas: &Element, slots: &[Slot], first: usize) -> bool {
    let rows = slots.len();
    if canvas.child_element_count() as usize != rows {
        return false;
    }
    let number = |row: Option<Element>| row.and_then(|row| Slot::number_of(&row.id()));
    let ends = number(canvas.first_element_child()).zip(number(canvas.last_element_child()));
    match ends {
        // The pool is in the order of the last rotation.
        Some((front, back)) if (back + 1) % rows == front => rotate(canvas, turn(rows, front, first)),
        // The pool has grown: new rows are at the end.
        _ => {
            for slot in slots[first..].iter().chain(&slots[..first]) {
                if let Some(element) = document().get_element_by_id(&slot.element_id()) {
                    to_the_back(canvas, &element);
                }
            }
        }
    }
    true
}

fn turn(rows: usize, from: usize, to: usize) -> Turn {
    let forward = (to + rows - from) % rows.max(1);
    if forward <= rows / 2 { Turn::Forward(forward) } else { Turn::Back(rows - forward) }
}

fn rotate(canvas: &Element, turn: Turn) {
    match turn {
        Turn::Forward(rows) => {
            for row in (0..rows).map_while(|_| canvas.first_element_child()) {
                to_the_back(canvas, &row);
            }
        }
        Turn::Back(rows) => {
            for row in (0..rows).map_while(|_| canvas.last_element_child()) {
                // Moving a child within its parent cannot fail.
                let _ = canvas.insert_before(&row, canvas.first_element_child().as_deref());
            }
        }
    }
}

/// Inserts a row after the last one, before the marker that Leptos puts after its list.
fn to_the_back(canvas: &Element, row: &Element) {
    let marker = canvas.last_element_child().and_then(|last| last.next_sibling());
    let _ = canvas.insert_before(row, marker.as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_rotated_in_the_shorter_direction() {
        assert_eq!(turn(60, 0, 0), Turn::Forward(0));
        assert_eq!(turn(60, 0, 3), Turn::Forward(3));
        assert_eq!(turn(60, 58, 1), Turn::Forward(3));
        assert_eq!(turn(60, 3, 0), Turn::Back(3));
        assert_eq!(turn(60, 1, 58), Turn::Back(3));
        assert_eq!(turn(0, 0, 0), Turn::Forward(0));
    }
}
