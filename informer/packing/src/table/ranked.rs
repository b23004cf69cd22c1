//! Ordered rows with a filter: a treap that finds the row at a position, counting visible rows only.

use std::cmp::Ordering;

const NONE: u32 = u32::MAX;
/// Parent of a row that is not in the tree.
const ABSENT: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Node {
    left: u32,
    right: u32,
    parent: u32,
    /// Visible rows in this subtree.
    shown: u32,
}

/// Node of a row that is not in the tree.
const ABSENT_NODE: Node = Node { left: NONE, right: NONE, parent: ABSENT, shown: 0 };

/// Sorted rows, each a small id of the caller's, some of which are visible and counted.
///
/// A treap whose nodes are the rows themselves: 16 bytes per row. The caller compares rows, so nothing here depends on
/// types. Operations are O(log n) unless stated otherwise.
#[derive(Clone, Debug)]
pub struct Ranked {
    nodes: Vec<Node>,
    root: u32,
}

impl Default for Ranked {
    fn default() -> Self {
        Self { nodes: Vec::new(), root: NONE }
    }
}

impl Ranked {
    /// Number of visible rows.
    pub fn shown(&self) -> usize {
        self.weight(self.root) as usize
    }

    /// Returns the visible row at a position, from 0.
    pub fn at(&self, position: usize) -> Option<u32> {
        let mut position = u32::try_from(position).ok()?;
        let mut row = self.root;
        while let Some(node) = self.nodes.get(row as usize) {
            let before = self.weight(node.left);
            if position < before {
                row = node.left;
                continue;
            }
            position -= before;
            let own = self.own(row);
            if position < own {
                return Some(row);
            }
            position -= own;
            row = node.right;
        }
        None
    }

    /// Inserts a row; `compare` compares it with another.
    pub fn insert(&mut self, row: u32, shown: bool, compare: &mut dyn FnMut(u32) -> Ordering) {
        self.grow_to(row);
        let (mut parent, mut next, mut left) = (NONE, self.root, false);
        while next != NONE {
            parent = next;
            left = compare(parent) == Ordering::Less;
            let node = self.nodes[parent as usize];
            next = if left { node.left } else { node.right };
        }
        self.nodes[row as usize] = Node { left: NONE, right: NONE, parent, shown: 0 };
        if parent == NONE {
            self.root = row;
        } else if left {
            self.nodes[parent as usize].left = row;
        } else {
            self.nodes[parent as usize].right = row;
        }
        self.show(row, shown);
        loop {
            let parent = self.nodes[row as usize].parent;
            if parent == NONE || priority(parent) > priority(row) {
                break;
            }
            self.lift(row);
        }
    }

    /// Removes a row, if it is in the tree.
    pub fn remove(&mut self, row: u32) {
        if !self.holds(row) {
            return;
        }
        self.show(row, false);
        loop {
            let Node { left, right, parent, .. } = self.nodes[row as usize];
            if left != NONE && right != NONE {
                self.lift(if priority(left) > priority(right) { left } else { right });
                continue;
            }
            let only = if left == NONE { right } else { left };
            self.replace_child(parent, row, only);
            self.nodes[row as usize] = ABSENT_NODE;
            return;
        }
    }

    /// Whether a row is in the tree, visible or not.
    pub fn holds(&self, row: u32) -> bool {
        self.nodes.get(row as usize).is_some_and(|node| node.parent != ABSENT)
    }

    /// Whether a row is in the tree and visible.
    pub fn is_shown(&self, row: u32) -> bool {
        self.holds(row) && self.own(row) == 1
    }

    /// Shows or hides a row.
    pub fn show(&mut self, row: u32, shown: bool) {
        if !self.holds(row) || (self.own(row) == 1) == shown {
            return;
        }
        let mut next = row;
        while let Some(node) = self.nodes.get_mut(next as usize) {
            if shown {
                node.shown += 1;
            } else {
                node.shown -= 1;
            }
            next = node.parent;
        }
    }

    /// Returns all rows in order, visible or not. O(n).
    pub fn rows(&self) -> Vec<u32> {
        self.first(self.nodes.len())
    }

    /// Returns at most so many rows from the first one on, visible or not. O(rows + log n).
    pub fn first(&self, most: usize) -> Vec<u32> {
        let mut rows = Vec::with_capacity(most.min(self.nodes.len()));
        let (mut next, mut waiting) = (self.root, Vec::new());
        loop {
            while next != NONE {
                waiting.push(next);
                next = self.nodes[next as usize].left;
            }
            let Some(row) = waiting.pop().filter(|_| rows.len() < most) else { return rows };
            rows.push(row);
            next = self.nodes[row as usize].right;
        }
    }

    /// Returns the visible rows in order. O(n).
    pub fn shown_rows(&self) -> Vec<u32> {
        let mut rows = self.rows();
        rows.retain(|row| self.own(*row) == 1);
        rows
    }

    /// Replaces everything by these rows in this order. Rows whose entry in `shown` is 0 are hidden. O(n).
    pub fn rebuild(&mut self, rows: &[u32], shown: &[u8]) {
        self.nodes.fill(ABSENT_NODE);
        self.root = NONE;
        // Allocated once: growing step by step would need twice the memory.
        self.nodes.reserve_exact(shown.len().saturating_sub(self.nodes.len()));
        // Right edge of the tree, from the root down: a node that leaves it has its final children.
        let mut edge: Vec<u32> = Vec::new();
        for &row in rows {
            self.grow_to(row);
            let mut below = NONE;
            while let Some(&last) = edge.last()
                && priority(last) < priority(row)
            {
                edge.pop();
                self.finish(last, below, shown);
                below = last;
            }
            self.nodes[row as usize].left = below;
            edge.push(row);
        }
        let mut below = NONE;
        while let Some(last) = edge.pop() {
            self.finish(last, below, shown);
            below = last;
        }
        self.root = below;
    }

    fn finish(&mut self, row: u32, right: u32, shown: &[u8]) {
        let left = self.nodes[row as usize].left;
        let own = u32::from(shown.get(row as usize).is_some_and(|shown| *shown != 0));
        let shown = own + self.weight(left) + self.weight(right);
        self.nodes[row as usize] = Node { left, right, parent: NONE, shown };
        for child in [left, right] {
            if let Some(child) = self.nodes.get_mut(child as usize) {
                child.parent = row;
            }
        }
    }

    fn grow_to(&mut self, row: u32) {
        if self.nodes.len() <= row as usize {
            self.nodes.resize(row as usize + 1, ABSENT_NODE);
        }
    }

    fn weight(&self, row: u32) -> u32 {
        self.nodes.get(row as usize).map_or(0, |node| node.shown)
    }

    fn own(&self, row: u32) -> u32 {
        let node = self.nodes[row as usize];
        node.shown - self.weight(node.left) - self.weight(node.right)
    }

    /// Rotates a row with its parent: the row moves up, the order stays.
    fn lift(&mut self, row: u32) {
        let parent = self.nodes[row as usize].parent;
        let above = self.nodes[parent as usize].parent;
        let whole = self.weight(parent);
        let rest = whole - self.weight(row);
        let is_left = self.nodes[parent as usize].left == row;
        let moved = if is_left { self.nodes[row as usize].right } else { self.nodes[row as usize].left };
        if is_left {
            self.nodes[parent as usize].left = moved;
            self.nodes[row as usize].right = parent;
        } else {
            self.nodes[parent as usize].right = moved;
            self.nodes[row as usize].left = parent;
        }
        self.nodes[parent as usize].shown = rest + self.weight(moved);
        self.nodes[row as usize].shown = whole;
        if let Some(moved) = self.nodes.get_mut(moved as usize) {
            moved.parent = parent;
        }
        self.nodes[parent as usize].parent = row;
        self.replace_child(above, parent, row);
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        match self.nodes.get_mut(parent as usize) {
            None => self.root = new,
            Some(node) if node.left == old => node.left = new,
            Some(node) => node.right = new,
        }
        if let Some(node) = self.nodes.get_mut(new as usize) {
            node.parent = parent;
        }
    }
}

/// Heap priority of a row: pseudo-random, and unique.
fn priority(row: u32) -> u32 {
    let mixed = (row ^ row >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Op {
        Insert(u32, u8, bool),
        Remove(u32),
        Show(u32, bool),
        Rebuild,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            6 => (0u32..40, any::<u8>(), any::<bool>()).prop_map(|(row, key, shown)| Op::Insert(row, key, shown)),
            3 => (0u32..40).prop_map(Op::Remove),
            2 => (0u32..40, any::<bool>()).prop_map(|(row, shown)| Op::Show(row, shown)),
            1 => Just(Op::Rebuild),
        ]
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_list(ops in prop::collection::vec(op(), 0..120)) {
            let mut ranked = Ranked::default();
            // Row, sort key, visibility.
            let mut model: Vec<(u8, u32, bool)> = Vec::new();
            let mut keys = [0u8; 40];
            for op in ops {
                match op {
                    Op::Insert(row, key, shown) => {
                        ranked.remove(row);
                        model.retain(|(_, other, _)| *other != row);
                        keys[row as usize] = key;
                        ranked.insert(row, shown, &mut |other| (key, row).cmp(&(keys[other as usize], other)));
                        model.push((key, row, shown));
                        model.sort_unstable();
                    }
                    Op::Remove(row) => {
                        ranked.remove(row);
                        model.retain(|(_, other, _)| *other != row);
                    }
                    Op::Show(row, shown) => {
                        ranked.show(row, shown);
                        model.iter_mut().filter(|(_, other, _)| *other == row).for_each(|entry| entry.2 = shown);
                    }
                    Op::Rebuild => {
                        let mut shown = vec![0; 40];
                        for (_, row, is) in &model {
                            shown[*row as usize] = u8::from(*is);
                        }
                        ranked.rebuild(&ranked.rows(), &shown);
                    }
                }
                let rows: Vec<u32> = model.iter().map(|(_, row, _)| *row).collect();
                prop_assert_eq!(ranked.first(3), &rows[..rows.len().min(3)]);
                prop_assert_eq!(ranked.rows(), rows);
                let shown: Vec<u32> = model.iter().filter(|(_, _, shown)| *shown).map(|(_, row, _)| *row).collect();
                prop_assert_eq!(ranked.shown(), shown.len());
                prop_assert_eq!(&ranked.shown_rows(), &shown);
                let positions: Vec<Option<u32>> = (0..=shown.len()).map(|position| ranked.at(position)).collect();
                prop_assert_eq!(positions, shown.iter().copied().map(Some).chain([None]).collect::<Vec<_>>());
                for row in 0..40 {
                    prop_assert_eq!(ranked.is_shown(row), shown.contains(&row));
                }
            }
        }
    }

    #[test]
    fn its_depth_is_bounded() {
        let mut ranked = Ranked::default();
        for row in 0..100_000 {
            ranked.insert(row, true, &mut |other| row.cmp(&other));
        }
        let depth = |mut row: u32| {
            let mut depth = 0;
            while row != NONE {
                depth += 1;
                row = ranked.nodes[row as usize].parent;
            }
            depth
        };
        assert!((0..100_000).map(depth).max() < Some(60));
    }
}
