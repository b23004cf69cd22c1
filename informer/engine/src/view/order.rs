//! Sort order of rows: comparison of two, and sorting of all.

use std::cmp::Ordering;

use informer_packing::{Keys, bucket_sort, sorted_by_number};

use super::table::{Field, NAMESPACE, Table};
use super::values::MISSING;
use crate::order_by::OrderBy;
use crate::value::{natural, ordered_bits};
use informer::rows::row_id;

/// Sort fields, each with a direction. Ties are ordered by namespace and name. Missing values come last in both
/// directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order(Vec<(Field, bool)>);

impl Order {
    /// Binds an order to columns. The error is shown to users.
    pub(super) fn bind(by: &[OrderBy], table: &Table) -> Result<Self, String> {
        let bind = |by: &OrderBy| match table.field(&by.column) {
            Some(field) => Ok((field, by.descending)),
            None => Err(format!("cannot sort by {:?}: no such column. The columns are {}", by.column, table.names())),
        };
        by.iter().filter(|by| !by.column.is_empty()).map(bind).collect::<Result<_, _>>().map(Self)
    }

    /// Compares two rows.
    pub(super) fn compare(&self, table: &Table, a: u32, b: u32) -> Ordering {
        for &(field, descending) in &self.0 {
            let ordering = match field {
                Field::Name => reversed(natural(table.name(a), table.name(b)), descending),
                Field::Created => missing_last(table.created(a), table.created(b), descending, |a, b| b.total_cmp(a)),
                Field::Column(column) => by_column(table, column, descending, a, b),
            };
            if ordering != Ordering::Equal {
                return ordering;
            }
        }
        by_column(table, NAMESPACE, false, a, b).then_with(|| natural(table.name(a), table.name(b)))
    }

    /// Sorts all rows, given in order of name. A radix sort: starting from namespace and name, rows are put into
    /// buckets by the rank of their value, field by field from the last to the first. Only different values are
    /// compared.
    pub(super) fn sorted(&self, table: &Table, by_name: &[u32]) -> Vec<u32> {
        let mut rows = by_name.to_vec();
        let (ranks, buckets) = column_ranks(table, NAMESPACE, false);
        bucket_sort(&mut rows, &ranks, buckets);
        for &(field, descending) in self.0.iter().rev() {
            let (ranks, buckets) = match field {
                Field::Name => name_ranks(table, by_name, descending),
                Field::Created => created_ranks(table, descending),
                Field::Column(column) => column_ranks(table, column, descending),
            };
            bucket_sort(&mut rows, &ranks, buckets);
        }
        rows
    }
}

fn reversed(ordering: Ordering, descending: bool) -> Ordering {
    if descending { ordering.reverse() } else { ordering }
}

fn missing_last<T>(a: Option<T>, b: Option<T>, descending: bool, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => reversed(compare(&a, &b), descending),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

pub(super) fn by_column(table: &Table, column: usize, descending: bool, a: u32, b: u32) -> Ordering {
    let of = &table.columns[column];
    let (a, b) = (of.ids[a as usize], of.ids[b as usize]);
    if a == b {
        return Ordering::Equal;
    }
    let value = |id: u32| (id != MISSING).then(|| of.values.get(id));
    missing_last(value(a), value(b), descending, |a, b| a.compare(b))
}

/// Returns the rank of each row's value, and the number of ranks.
pub(super) fn column_ranks(table: &Table, column: usize, descending: bool) -> (Vec<u32>, usize) {
    let of = &table.columns[column];
    let ids: Vec<u32> = of.values.used_ids().collect();
    let mut keys = Keys::with_capacity(ids.len());
    for &id in &ids {
        keys.push(&mut |into| of.values.get(id).collation_key(into));
    }
    let last = row_id(ids.len());
    let mut rank_of = vec![last; of.values.len()];
    for (index, rank) in keys.sorted().into_iter().zip(0..) {
        rank_of[ids[index as usize] as usize] = if descending { last - 1 - rank } else { rank };
    }
    (of.ids.iter().map(|id| rank_of[*id as usize]).collect(), ids.len() + 1)
}

fn created_ranks(table: &Table, descending: bool) -> (Vec<u32>, usize) {
    let key = |row: u32| match table.created(row) {
        None => u64::MAX,
        Some(created) => {
            if descending {
                ordered_bits(created)
            } else {
                !ordered_bits(created)
            }
        }
    };
    let keys: Vec<u64> = (0..).take(table.len()).map(key).collect();
    dense(&sorted_by_number(&keys), keys.len(), |a, b| keys[a as usize] == keys[b as usize])
}

fn name_ranks(table: &Table, by_name: &[u32], descending: bool) -> (Vec<u32>, usize) {
    let (mut ranks, buckets) = dense(by_name, table.len(), |a, b| table.name(a) == table.name(b));
    if descending {
        let last = row_id(buckets) - 1;
        for rank in &mut ranks {
            *rank = last - *rank;
        }
    }
    (ranks, buckets)
}

/// Returns the ranks of sorted rows; equal rows have the same rank.
fn dense(sorted: &[u32], rows: usize, same: impl Fn(u32, u32) -> bool) -> (Vec<u32>, usize) {
    let mut ranks = vec![0; rows];
    let (mut rank, mut before) = (0, None);
    for &row in sorted {
        if before.is_some_and(|before| !same(before, row)) {
            rank += 1;
        }
        ranks[row as usize] = rank;
        before = Some(row);
    }
    (ranks, rank as usize + 1)
}
