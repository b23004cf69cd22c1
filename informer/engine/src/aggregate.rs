//! Aggregate: counts, sums, minima and maxima of a cache's objects by group, kept up to date with each change.

mod group;
mod groups;
mod measures;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::columns::ColumnType;
use crate::message::{AggregateOptions, FromEngine};
use crate::query::Query;
use crate::value::{Amount, Value};
use crate::view::{Cells, Field, Filter, LiveView, Rejection, Retests, Table};
use informer::{Change, ChangeBatch, Keyed, LabelSelector, Object};

use groups::Groups;
use measures::Measures;

/// Maximum number of columns to group by.
const MAX_COLUMNS: usize = 2;

/// Maximum number of values of a group.
const MAX_VALUES: usize = 16;

/// Group of a row that is not counted.
const NONE: u32 = u32::MAX;

/// Column to group by.
#[derive(Clone, Copy, PartialEq)]
enum GroupColumn {
    Column(usize),
    /// A computed column, by its number.
    Computed(usize),
}

/// Aggregate of the objects that match a filter, by the values of up to two columns.
///
/// Before an object changes, its values are subtracted from the totals of its group; afterwards they are added to those
/// of the group that it has then. A change costs O(1) for counts and sums, and O(log d) for a minimum or maximum, where
/// d is the number of different values in the group. A patch costs O(changed groups · log groups + sent groups). Sums
/// are integers of billionths, so they do not drift. Methods receive the time as an argument, in milliseconds since the
/// Unix epoch.
///
/// The table keeps only the columns that are read: on wasm32 about 30 bytes an object, and 4 for each of its columns.
pub(crate) struct Aggregate {
    table: Table,
    label_selector: Option<LabelSelector>,
    namespaces: Vec<String>,
    filter: Filter,
    /// Columns to group by.
    by: Vec<GroupColumn>,
    measures: Measures,
    groups: Groups,
    /// Group of each row.
    group_of: Vec<u32>,
    retests: Retests,
    /// Amounts of the row that is being counted.
    amounts: Vec<Option<Amount>>,
}

impl Aggregate {
    /// Creates an aggregate without objects.
    ///
    /// # Errors
    /// If the filter, a column or an operation is invalid.
    pub(crate) fn new(
        cells: Cells,
        options: AggregateOptions,
        label_selector: Option<LabelSelector>,
    ) -> Result<Self, Rejection> {
        let mut table = Table::new(cells);
        let query: Query = options.filter.parse().map_err(|error| Rejection::in_filter(&options.filter, &error))?;
        let filter = Filter::bind(&query, &table).map_err(|error| Rejection::in_filter(&options.filter, &error))?;
        if options.by.len() > MAX_COLUMNS || options.of.len() > MAX_VALUES {
            let message =
                format!("an aggregate has at most {MAX_COLUMNS} columns in `by` and {MAX_VALUES} values in `of`");
            return Err(Rejection::elsewhere(message));
        }
        let by = options.by.iter().map(|name| bind_key(name, &table)).collect::<Result<Vec<_>, _>>();
        let by = by.map_err(Rejection::elsewhere)?;
        let measures = Measures::bind(&options.of, &table).map_err(Rejection::elsewhere)?;
        let groups_by = |column| by.contains(&GroupColumn::Column(column));
        table.keep_columns(|column| groups_by(column) || measures.reads(column) || filter.reads(column));
        let groups = Groups::new(measures.outputs(), options.limit);
        let AggregateOptions { namespaces, .. } = options;
        let (group_of, amounts) = (Vec::new(), Vec::new());
        let retests = Retests::default();
        Ok(Self { table, label_selector, namespaces, filter, by, measures, groups, group_of, retests, amounts })
    }

    fn selects(&self, object: &Object) -> bool {
        let is_in_scope = self.namespaces.is_empty() || self.namespaces.iter().any(|known| known == object.namespace());
        is_in_scope && self.label_selector.as_ref().is_none_or(|selector| selector.matches(&object.labels()))
    }

    fn put(&mut self, row: Option<u32>, object: &Arc<Object>, now: f64) {
        let before = row.and_then(|row| self.filter.retest_at(&self.table, row, now));
        if let Some(row) = row {
            self.remove_from_group(row);
        }
        let (row, _) = self.table.put(object);
        if self.filter.passes(&self.table, row, now) {
            self.add_to_group(row);
        }
        let retest = self.filter.retest_at(&self.table, row, now);
        if retest != before {
            self.retests.add(row, retest);
        }
        if self.retests.clearing_pays(self.table.len()) {
            self.retests.clear();
            for row in (0..).take(self.table.len()) {
                self.retests.add(row, self.filter.retest_at(&self.table, row, now));
            }
        }
    }

    /// Adds a row to its group.
    fn add_to_group(&mut self, row: u32) {
        let mut key = [""; MAX_COLUMNS];
        let computed = [0, 1].map(|index| match self.by.get(index) {
            Some(GroupColumn::Computed(column)) => self.table.computed(*column, row),
            _ => Value::missing(),
        });
        for ((text, by), computed) in key.iter_mut().zip(&self.by).zip(&computed) {
            *text = match by {
                GroupColumn::Column(column) => &self.table.value(*column, row).text,
                GroupColumn::Computed(_) => &computed.text,
            };
        }
        self.measures.read(&self.table, row, &mut self.amounts);
        let index = row as usize;
        if index >= self.group_of.len() {
            self.group_of.resize(index + 1, NONE);
        }
        self.group_of[index] = self.groups.add(&key[..self.by.len()], &self.amounts);
    }

    /// Removes a row from its group, if it has one. Must be called before any value of the row changes.
    fn remove_from_group(&mut self, row: u32) {
        let Some(group) = self.group_of.get_mut(row as usize).map(|group| std::mem::replace(group, NONE)) else {
            return;
        };
        if group != NONE {
            self.measures.read(&self.table, row, &mut self.amounts);
            self.groups.remove(group, &self.amounts);
        }
    }

    fn is_counted(&self, row: u32) -> bool {
        self.group_of.get(row as usize).is_some_and(|group| *group != NONE)
    }

    /// Tests rows again whose age has passed a limit. O(log n) for each.
    fn pass_time(&mut self, now: f64) {
        while let Some(row) = self.retests.take(now) {
            let passes = self.filter.passes(&self.table, row, now);
            if passes != self.is_counted(row) {
                if passes { self.add_to_group(row) } else { self.remove_from_group(row) }
            }
            self.retests.add(row, self.filter.retest_at(&self.table, row, now));
        }
    }

    /// Returns the patch that the reader has not received, as JSON text; `None` if it is up to date.
    fn patch(&mut self, synced: bool, now: f64) -> Option<String> {
        self.pass_time(now);
        self.groups.patch(synced)
    }
}

impl LiveView for Aggregate {
    fn apply(&mut self, batch: &ChangeBatch<Object>, now: f64) {
        // With namespaces or a label selector, few of the objects may be in scope.
        if self.table.len() == 0 && self.namespaces.is_empty() && self.label_selector.is_none() {
            self.table.reserve(batch.changes.len());
        }
        for change in &batch.changes {
            let object = change.object();
            let stays = !matches!(change, Change::Delete { .. }) && self.selects(object);
            let row = self.table.row_of(object.key());
            let known = row.and_then(|row| self.table.object(row));
            match (row, stays) {
                // A resync.
                (_, true) if known.is_some_and(|known| Arc::ptr_eq(known, object)) => {}
                (row, true) => self.put(row, object, now),
                (Some(row), false) => {
                    self.remove_from_group(row);
                    self.table.remove(row);
                }
                (None, false) => {}
            }
        }
    }

    fn updates(&mut self, view: u32, _query_id: u32, synced: bool, now: f64) -> Vec<FromEngine> {
        self.patch(synced, now).map(|patch| FromEngine::Patch { view, patch }).into_iter().collect()
    }

    fn due_at(&self) -> Option<f64> {
        self.retests.next()
    }
}

/// Binds a column to group by. The error is shown to users.
fn bind_key(name: &str, table: &Table) -> Result<GroupColumn, String> {
    let (by, column_type) = match (table.field(name), table.computed_named(name)) {
        (Some(Field::Column(column)), _) => (Some(GroupColumn::Column(column)), table.column_type(name)),
        (Some(_), _) => (None, ColumnType::Text),
        (None, Some((column, column_type))) => (Some(GroupColumn::Computed(column)), column_type),
        (None, None) => {
            let names = table.all_names();
            return Err(format!("cannot group by {name:?}: no such column. The columns are {names}"));
        }
    };
    by.filter(|_| !matches!(column_type, ColumnType::Time | ColumnType::Duration))
        .ok_or_else(|| format!("cannot group by {name:?}: nearly every object has a different value"))
}
