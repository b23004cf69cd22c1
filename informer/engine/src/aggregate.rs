//! Aggregate: counts, sums, minima and maxima of a cache's objects by group, kept up to date with each change.

mod group;
mod groups;
mod measures;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::columns::Measure;
use crate::message::{AggregateOptions, FromEngine};
use crate::query::Query;
use crate::value::{Amount, Value};
use crate::view::{Cells, Field, Filter, LiveView, Rejection, Table, Turns};
use informer::{Change, ChangeBatch, Keyed, LabelSelector, Object};

use groups::Groups;
use measures::Measures;

/// Maximum number of columns to group by.
const MOST_COLUMNS: usize = 2;

/// Maximum number of values of a group.
const MOST_VALUES: usize = 16;

/// Group of a row that is not counted.
const NONE: u32 = u32::MAX;

/// Column to group by.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Column(usize),
    /// A computed column, by its number.
    Computed(usize),
}

/// Aggregate of the objects that match a filter, by the values of up to two columns.
///
/// Before an object changes, its values are taken from its group; afterwards they are added to the group that it is in.
/// A change costs O(1) for counts and sums, and O(log d) for a minimum or maximum, where d is the number of different
/// values in the group. A patch costs O(changed groups · log groups + sent groups). Sums are integers of billionths, so
/// they do not drift. Methods receive the time as an argument, in milliseconds since the Unix epoch.
///
/// Of each object the table keeps the columns that are read: on wasm32 about 30 bytes, and 4 for each column.
pub(crate) struct Aggregate {
    table: Table,
    label_selector: Option<LabelSelector>,
    namespaces: Vec<String>,
    filter: Filter,
    /// Columns to group by.
    by: Vec<By>,
    measures: Measures,
    groups: Groups,
    /// Group of each row.
    group_of: Vec<u32>,
    turns: Turns,
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
        if options.by.len() > MOST_COLUMNS || options.of.len() > MOST_VALUES {
            let message =
                format!("an aggregate has at most {MOST_COLUMNS} columns in `by` and {MOST_VALUES} values in `of`");
            return Err(Rejection::elsewhere(message));
        }
        let by = options.by.iter().map(|name| bind_key(name, &table)).collect::<Result<Vec<_>, _>>();
        let by = by.map_err(Rejection::elsewhere)?;
        let measures = Measures::bind(&options.of, &table).map_err(Rejection::elsewhere)?;
        table.keep_columns(|column| by.contains(&By::Column(column)) || measures.reads(column) || filter.reads(column));
        let groups = Groups::new(measures.outputs(), options.limit);
        let AggregateOptions { namespaces, .. } = options;
        let (group_of, amounts) = (Vec::new(), Vec::new());
        let turns = Turns::default();
        Ok(Self { table, label_selector, namespaces, filter, by, measures, groups, group_of, turns, amounts })
    }

    fn selects(&self, object: &Object) -> bool {
        let is_in_scope = self.namespaces.is_empty() || self.namespaces.iter().any(|known| known == object.namespace());
        is_in_scope && self.label_selector.as_ref().is_none_or(|selector| selector.matches(&object.labels()))
    }

    fn put(&mut self, row: Option<u32>, object: &Arc<Object>, now: f64) {
        let before = row.and_then(|row| self.filter.turns_at(&self.table, row, now));
        if let Some(row) = row {
            self.uncount(row);
        }
        let (row, _) = self.table.put(object);
        if self.filter.passes(&self.table, row, now) {
            self.count(row);
        }
        let turn = self.filter.turns_at(&self.table, row, now);
        if turn != before {
            self.turns.add(row, turn);
        }
        if self.turns.clearing_pays(self.table.len()) {
            self.turns.clear();
            for row in (0..).take(self.table.len()) {
                self.turns.add(row, self.filter.turns_at(&self.table, row, now));
            }
        }
    }

    /// Adds a row to its group.
    fn count(&mut self, row: u32) {
        let mut key = [""; MOST_COLUMNS];
        let computed = [0, 1].map(|place| match self.by.get(place) {
            Some(By::Computed(column)) => self.table.computed(*column, row),
            _ => Value::missing(),
        });
        for ((text, by), computed) in key.iter_mut().zip(&self.by).zip(&computed) {
            *text = match by {
                By::Column(column) => &self.table.value(*column, row).text,
                By::Computed(_) => &computed.text,
            };
        }
        self.measures.read(&self.table, row, &mut self.amounts);
        let place = row as usize;
        if place >= self.group_of.len() {
            self.group_of.resize(place + 1, NONE);
        }
        self.group_of[place] = self.groups.count(&key[..self.by.len()], &self.amounts);
    }

    /// Takes a row from its group, if it is in one. Must be called before any of its values changes.
    fn uncount(&mut self, row: u32) {
        let Some(group) = self.group_of.get_mut(row as usize).map(|group| std::mem::replace(group, NONE)) else {
            return;
        };
        if group != NONE {
            self.measures.read(&self.table, row, &mut self.amounts);
            self.groups.uncount(group, &self.amounts);
        }
    }

    fn is_counted(&self, row: u32) -> bool {
        self.group_of.get(row as usize).is_some_and(|group| *group != NONE)
    }

    /// Tests the rows again whose age has passed a limit. O(log n) for each.
    fn pass_time(&mut self, now: f64) {
        while let Some(row) = self.turns.take(now) {
            let passes = self.filter.passes(&self.table, row, now);
            if passes != self.is_counted(row) {
                if passes { self.count(row) } else { self.uncount(row) }
            }
            self.turns.add(row, self.filter.turns_at(&self.table, row, now));
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
        // Of some namespaces or labels there may be few.
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
                    self.uncount(row);
                    self.table.remove(row);
                }
                (None, false) => {}
            }
        }
    }

    fn news(&mut self, view: u32, _query_id: u32, synced: bool, now: f64) -> Vec<FromEngine> {
        self.patch(synced, now).map(|patch| FromEngine::Patch { view, patch }).into_iter().collect()
    }

    fn due_at(&self) -> Option<f64> {
        self.turns.next()
    }
}

/// Binds a column to group by. The error is shown to users.
fn bind_key(name: &str, table: &Table) -> Result<By, String> {
    let (by, measure) = match (table.field(name), table.computed_named(name)) {
        (Some(Field::Column(column)), _) => (Some(By::Column(column)), table.measure(name)),
        (Some(_), _) => (None, Measure::Text),
        (None, Some((column, measure))) => (Some(By::Computed(column)), measure),
        (None, None) => {
            let names = table.all_names();
            return Err(format!("cannot group by {name:?}: no such column. The columns are {names}"));
        }
    };
    by.filter(|_| !matches!(measure, Measure::Time | Measure::Duration))
        .ok_or_else(|| format!("cannot group by {name:?}: nearly every object has a different value"))
}
