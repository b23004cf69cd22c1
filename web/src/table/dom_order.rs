//! DOM order: rows stand in the document as they stand on screen, which is how a screen reader reads them.
//!
//! A slot shows every n-th place of the view, n being the size of the pool, so scrolling rotates the pool. Only the rows
//! that leave at one end and come back at the other are moved in the document: those in sight stay untouched, with what
//! the pointer and the selection are doing there.

use leptos::prelude::document;
use web_sys::Element;

use super::model::Slot;

/// The least that turns one rotation into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// So many rows from the front to the back.
    Forward(usize),
    /// So many rows from the back to the front.
    Back(usize),
}

/// Puts the slot with the number `first` in front, and the others behind it. False while elements are missing: they come
/// when the pool has grown, within the frame.
pub(super) fn establish(canvas: &Element, slots: &[Slot], first: usize) -> bool {
    let rows = slots.len();
    if canvas.child_element_count() as usize != rows {
        return false;
    }
    let number = |row: Option<Element>| row.and_then(|row| Slot::number_of(&row.id()));
    let ends = number(canvas.first_element_child()).zip(number(canvas.last_element_child()));
    match ends {
        // The pool is rotated as it was left.
        Some((front, back)) if (back + 1) % rows == front => rotate(canvas, turn(rows, front, first)),
        // It has grown: what is new stands at the end.
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

/// Behind the last row, and before the marker that Leptos keeps behind its list.
fn to_the_back(canvas: &Element, row: &Element) {
    let marker = canvas.last_element_child().and_then(|last| last.next_sibling());
    let _ = canvas.insert_before(row, marker.as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_turned_the_short_way() {
        assert_eq!(turn(60, 0, 0), Turn::Forward(0));
        assert_eq!(turn(60, 0, 3), Turn::Forward(3));
        assert_eq!(turn(60, 58, 1), Turn::Forward(3));
        assert_eq!(turn(60, 3, 0), Turn::Back(3));
        assert_eq!(turn(60, 1, 58), Turn::Back(3));
        assert_eq!(turn(0, 0, 0), Turn::Forward(0));
    }
}
