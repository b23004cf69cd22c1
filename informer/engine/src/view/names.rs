//! Rows by name, cached between sorts.

use std::cmp::Ordering;

use informer_packing::{Keys, bucket_sort, collate};

use super::order::{by_column, column_ranks};
use super::table::{NAMESPACE, Table};
use crate::value::natural;

/// Bytes by which names are sorted first.
const BEGINNING: usize = 2;

/// All rows by name, and of the same name by namespace: where every sort begins. Four bytes a row.
///
/// Names never change, so only rows that came since the last sort are sorted in.
#[derive(Default)]
pub(super) struct Names {
    sorted: Vec<u32>,
    /// Rows that came; some may be gone, or be here twice. What is among `sorted` under the same number is gone.
    came: Vec<u32>,
}

impl Names {
    /// A row that is new, or whose number stands for another object now.
    pub(super) fn came(&mut self, row: u32, table: &Table) {
        self.came.push(row);
        // This stays bounded even without any sort.
        if self.came.len() > table.len() + 1_024 {
            self.sorted(table);
        }
    }

    /// All rows by name. O(n), and of those that came a sort.
    pub(super) fn sorted(&mut self, table: &Table) -> &[u32] {
        let mut is_old = vec![true; table.len()];
        let mut came = std::mem::take(&mut self.came);
        came.retain(|row| table.object(*row).is_some() && std::mem::take(&mut is_old[*row as usize]));
        self.sorted.retain(|row| is_old[*row as usize] && table.object(*row).is_some());
        if came.len() > self.sorted.len() / 8 {
            came.append(&mut self.sorted);
            self.sorted = by_name(table, came);
            return &self.sorted;
        }
        let mut came = by_name(table, came);
        let mut merged = Vec::with_capacity(self.sorted.len() + came.len());
        let mut rest = self.sorted.as_slice();
        for row in came.drain(..) {
            let place = rest.partition_point(|other| compare(table, *other, row) == Ordering::Less);
            let (before, after) = rest.split_at(place);
            merged.extend_from_slice(before);
            merged.push(row);
            rest = after;
        }
        merged.extend_from_slice(rest);
        self.sorted = merged;
        &self.sorted
    }
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
    // First by how names begin, then those that begin alike: what a sort needs is seventy bytes a row, and so it is needed
    // of a few rows at a time.
    let mut name = Vec::new();
    for &row in &rows {
        name.clear();
        collate(table.name(row), &mut name);
        ranks[row as usize] =
            name.iter().chain(&[0; BEGINNING]).take(BEGINNING).fold(0, |rank, byte| rank << 8 | u32::from(*byte));
    }
    bucket_sort(&mut rows, &ranks, 1 << (8 * BEGINNING));
    let mut sorted = Vec::with_capacity(rows.len());
    for alike in rows.chunk_by(|a, b| ranks[*a as usize] == ranks[*b as usize]) {
        let mut names = Keys::with_capacity(alike.len());
        for &row in alike {
            names.push(&mut |into| collate(table.name(row), into));
        }
        sorted.extend(names.sorted().into_iter().filter_map(|place| alike.get(place as usize)));
    }
    sorted
}
