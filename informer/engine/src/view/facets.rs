//! Value counts: the number of rows with each value of a column.

use super::table::{Field, Table};
use crate::query::contains_folded;
use crate::report_timer::ReportTimer;
use crate::value::{Kind, natural};
use crate::value_counts::{Facet, FacetValue};

/// Maximum number of values reported for a column.
const MAX_VALUES: usize = 100;

/// Counts by column, updated as rows change.
#[derive(Default)]
pub(super) struct Facets {
    columns: Vec<Counted>,
    changed: bool,
    sent: Option<Vec<Facet>>,
    /// In a column of many values, each report visits all of them.
    timer: ReportTimer,
}

struct Counted {
    name: String,
    column: usize,
    /// Count by value id.
    counts: Vec<u32>,
}

impl Facets {
    /// Creates the counts of these columns. The error is shown to users.
    pub(super) fn bind(names: &[String], table: &Table) -> Result<Self, String> {
        let columns = names.iter().map(|name| Counted::bind(name, table)).collect::<Result<_, _>>()?;
        Ok(Self { columns, changed: true, sent: None, timer: ReportTimer::default() })
    }

    /// Counts the values of one column that contain a lower-case text, over the rows that pass. O(rows).
    ///
    /// # Errors
    /// If the column cannot be counted.
    pub(super) fn once(
        name: &str,
        containing: &str,
        table: &Table,
        passing: impl Fn(u32) -> bool,
    ) -> Result<Facet, String> {
        let mut counted = Counted::bind(name, table)?;
        table.rows().filter(|row| passing(*row)).for_each(|row| counted.add(table, row));
        Ok(counted.facet(table, containing))
    }

    /// Counts a row that passes from now on.
    pub(super) fn add(&mut self, table: &Table, row: u32) {
        for counted in &mut self.columns {
            counted.add(table, row);
            self.changed = true;
        }
    }

    /// Uncounts a row that no longer passes. Must be called before any of its values changes.
    pub(super) fn remove(&mut self, table: &Table, row: u32) {
        for Counted { column, counts, .. } in &mut self.columns {
            counts[table.columns[*column].ids[row as usize] as usize] -= 1;
            self.changed = true;
        }
    }

    /// Counts all rows again. O(rows).
    pub(super) fn recount(&mut self, table: &Table, passing: impl Fn(u32) -> bool) {
        self.columns.iter_mut().for_each(|counted| counted.counts.clear());
        self.changed = true;
        if !self.columns.is_empty() {
            table.rows().filter(|row| passing(*row)).for_each(|row| self.add(table, row));
        }
    }

    /// Returns when a report is due; `None` while nothing changes.
    pub(super) fn due_at(&self) -> Option<f64> {
        (self.changed && !self.columns.is_empty()).then_some(self.timer.due_at())
    }

    /// Returns the counts that the reader has not received; `None` if there are none or it is too early. O(different
    /// values).
    pub(super) fn updates(&mut self, table: &Table, now: f64) -> Option<Vec<Facet>> {
        if self.due_at().is_none() || !self.timer.is_due(now) {
            return None;
        }
        self.changed = false;
        self.timer.restart(now);
        let facets: Vec<Facet> = self.columns.iter().map(|counted| counted.facet(table, "")).collect();
        if self.sent.as_ref() == Some(&facets) {
            return None;
        }
        self.sent = Some(facets.clone());
        Some(facets)
    }
}

impl Counted {
    fn bind(name: &str, table: &Table) -> Result<Self, String> {
        match table.field(name) {
            Some(Field::Column(column)) => Ok(Self { name: name.to_owned(), column, counts: Vec::new() }),
            Some(_) => Err(format!("cannot count the values of {name:?}: nearly every row has a different one")),
            None => {
                Err(format!("cannot count the values of {name:?}: no such column. The columns are {}", table.names()))
            }
        }
    }

    fn add(&mut self, table: &Table, row: u32) {
        let of = &table.columns[self.column];
        self.counts.resize(of.values.len().max(self.counts.len()), 0);
        self.counts[of.ids[row as usize] as usize] += 1;
    }

    fn facet(&self, table: &Table, containing: &str) -> Facet {
        let values = &table.columns[self.column].values;
        // Times and durations are not counted: nearly every row has its own.
        let counted = |count: u32, id: u32| {
            count > 0
                && !matches!(values.get(id).kind, Kind::Time | Kind::Duration)
                && contains_folded(&values.get(id).text, containing)
        };
        let order = |a: &(u32, u32), b: &(u32, u32)| {
            b.0.cmp(&a.0).then_with(|| natural(&values.get(a.1).text, &values.get(b.1).text))
        };
        // Keeps the highest counts sorted while scanning. Selecting and sorting would add 5 KB of wasm.
        let (mut most, mut all) = (Vec::<(u32, u32)>::new(), 0);
        for one in self.counts.iter().copied().zip(0..).filter(|(count, id)| counted(*count, *id)) {
            all += 1;
            // Most values rank behind the last one: one comparison instead of seven.
            if most.len() == MAX_VALUES && most.last().is_some_and(|last| order(last, &one).is_lt()) {
                continue;
            }
            let index = most.partition_point(|other| order(other, &one).is_lt());
            most.truncate(MAX_VALUES - 1);
            most.insert(index, one);
        }
        let sent =
            |(count, id): &(u32, u32)| FacetValue { value: values.get(*id).text.to_string(), count: *count as usize };
        let sent: Vec<FacetValue> = most.iter().map(sent).collect();
        Facet { column: self.name.clone(), more: all - sent.len(), values: sent }
    }
}
