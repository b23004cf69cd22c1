//! Rows by name, cached between sorts.

use std::cmp::Ordering;

use informer_packing::{Keys, bucket_sort, collate};

use super::order::{by_column, column_ranks};
use super::table::{NAMESPACE, Table};
use crate::value::natural;

/// Length of the prefix by which names are sorted first, in bytes.
const PREFIX_BYTES: usize = 2;

/// Rows sorted by name, then namespace: the start of every sort. Four bytes per row.
///
/// Names never change, so a sort only inserts the rows added since the last one.
#[derive(Default)]
pub(super) struct Names {
    sorted: Vec<u32>,
    /// Rows added since the last sort; may contain removed rows and duplicates. An id that is also in `sorted` there
    /// marks a removed row.
    added: Vec<u32>,
}

impl Names {
    /// Records a new row, or a reused row id.
    pub(super) fn add(&mut self, row: u32, table: &Table) {
        self.added.push(row);
        // The list stays bounded without any sort.
        if sorting_now_pays(self.added.len(), table.len()) {
            self.sorted(table);
        }
    }

    /// Returns all rows by name. O(n), and a sort of the added rows.
    pub(super) fn sorted(&mut self, table: &Table) -> &[u32] {
        let mut is_old = vec![true; table.len()];
        let mut added = std::mem::take(&mut self.added);
        added.retain(|row| table.object(*row).is_some() && std::mem::take(&mut is_old[*row as usize]));
        self.sorted.retain(|row| is_old[*row as usize] && table.object(*row).is_some());
        if sorting_all_pays(added.len(), self.sorted.len()) {
            added.append(&mut self.sorted);
            self.sorted = by_name(table, added);
            return &self.sorted;
        }
        let mut added = by_name(table, added);
        let mut merged = Vec::with_capacity(self.sorted.len() + added.len());
        let mut rest = self.sorted.as_slice();
        for row in added.drain(..) {
            let index = rest.partition_point(|other| compare(table, *other, row) == Ordering::Less);
            let (before, after) = rest.split_at(index);
            merged.extend_from_slice(before);
            merged.push(row);
            rest = after;
        }
        merged.extend_from_slice(rest);
        self.sorted = merged;
        &self.sorted
    }
}

// Both ways lead to the same rows each time; these functions choose the cheaper one.

/// Whether to sort before anything is shown, so that the list of added rows stays bounded.
fn sorting_now_pays(added: usize, rows: usize) -> bool {
    added > rows + 1_024
}

/// Whether to sort all rows again, instead of merging the added ones into the others.
fn sorting_all_pays(added: usize, sorted: usize) -> bool {
    added > sorted / 8
}

fn compare(table: &Table, a: u32, b: u32) -> Ordering {
    natural(table.name(a), table.name(b)).then_with(|| by_column(table, NAMESPACE, false, a, b))
}

fn by_name(table: &Table, mut rows: Vec<u32>) -> Vec<u32> {
    if rows.is_empty() {
        return rows;
    }
    let (mut ranks, buckets) = column_ranks(table, NAMESPACE, false);
    bucket_sort(&mut rows, &ranks, buckets);
    // Sorts by prefix first, then within each prefix. A sort takes seventy bytes per row, so it runs on a few rows at a
    // time.
    let mut name = Vec::new();
    for &row in &rows {
        name.clear();
        collate(table.name(row), &mut name);
        ranks[row as usize] =
            name.iter().chain(&[0; PREFIX_BYTES]).take(PREFIX_BYTES).fold(0, |rank, byte| rank << 8 | u32::from(*byte));
    }
    bucket_sort(&mut rows, &ranks, 1 << (8 * PREFIX_BYTES));
    let mut sorted = Vec::with_capacity(rows.len());
    for alike in rows.chunk_by(|a, b| ranks[*a as usize] == ranks[*b as usize]) {
        let mut names = Keys::with_capacity(alike.len());
        for &row in alike {
            names.push(&mut |into| collate(table.name(row), into));
        }
        sorted.extend(names.sorted().into_iter().filter_map(|index| alike.get(index as usize)));
    }
    sorted
}
