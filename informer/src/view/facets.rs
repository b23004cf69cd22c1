//! What columns hold, counted over the rows that pass.

use super::table::{Field, Table};
use crate::message::{Facet, FacetValue};
use crate::value::{Kind, natural};

/// Values told of a column, at the most.
const MOST_VALUES: usize = 100;

/// Counts are told no more often, in milliseconds, but for the first time: people read them, and in a column of many
/// values each time costs a look at all of them.
const TOLD_EVERY: f64 = 250.0;

/// Counts by column, kept as rows come and go.
#[derive(Default)]
pub(super) struct Facets {
    columns: Vec<Counted>,
    changed: bool,
    told: Option<Vec<Facet>>,
    /// When they may be told again.
    due: f64,
}

struct Counted {
    name: String,
    column: usize,
    /// By the number of the value.
    counts: Vec<u32>,
}

impl Facets {
    /// Counts of columns; the error is for people.
    pub(super) fn bind(names: &[String], table: &Table) -> Result<Self, String> {
        let bind = |name: &String| match table.field(name) {
            Some(Field::Column(column)) => Ok(Counted { name: name.clone(), column, counts: Vec::new() }),
            Some(_) => Err(format!("{name:?} cannot be counted: nearly every row has another one")),
            None => Err(format!("{name:?} cannot be counted, as it is no column: the columns are {}", table.names())),
        };
        Ok(Self { columns: names.iter().map(bind).collect::<Result<_, _>>()?, changed: true, told: None, due: 0.0 })
    }

    /// A row passes that did not.
    pub(super) fn add(&mut self, table: &Table, row: u32) {
        for Counted { column, counts, .. } in &mut self.columns {
            let of = &table.columns[*column];
            counts.resize(of.values.len().max(counts.len()), 0);
            counts[of.ids[row as usize] as usize] += 1;
            self.changed = true;
        }
    }

    /// A row passes no more; before any of its values changes.
    pub(super) fn remove(&mut self, table: &Table, row: u32) {
        for Counted { column, counts, .. } in &mut self.columns {
            counts[table.columns[*column].ids[row as usize] as usize] -= 1;
            self.changed = true;
        }
    }

    /// Counts anew. O(rows).
    pub(super) fn recount(&mut self, table: &Table, passing: impl Fn(u32) -> bool) {
        self.columns.iter_mut().for_each(|counted| counted.counts.clear());
        self.changed = true;
        if !self.columns.is_empty() {
            table.rows().filter(|row| passing(*row)).for_each(|row| self.add(table, row));
        }
    }

    /// When there may be something to tell; `None` while nothing changes.
    pub(super) fn due(&self) -> Option<f64> {
        (self.changed && !self.columns.is_empty()).then_some(self.due)
    }

    /// What its reader has not been told; `None` when there is nothing new, or it is too soon. O(different values).
    pub(super) fn news(&mut self, table: &Table, now: f64) -> Option<Vec<Facet>> {
        // A clock that was set back must not make it late.
        let too_soon = |due: f64| now < due && due - now <= TOLD_EVERY;
        if self.due().is_none_or(too_soon) {
            return None;
        }
        self.changed = false;
        self.due = now + TOLD_EVERY;
        let facets: Vec<Facet> = self.columns.iter().map(|counted| counted.facet(table)).collect();
        if self.told.as_ref() == Some(&facets) {
            return None;
        }
        self.told = Some(facets.clone());
        Some(facets)
    }
}

impl Counted {
    fn facet(&self, table: &Table) -> Facet {
        let values = &table.columns[self.column].values;
        // A moment, or a duration, is nobody else's: it is not counted.
        let counted = |count: u32, id: u32| count > 0 && !matches!(values.get(id).kind, Kind::Time | Kind::Duration);
        let order = |a: &(u32, u32), b: &(u32, u32)| {
            b.0.cmp(&a.0).then_with(|| natural(&values.get(a.1).text, &values.get(b.1).text))
        };
        // The first so many, sorted as they are found: to select and to sort would be 5 KB of wasm.
        let (mut most, mut all) = (Vec::<(u32, u32)>::new(), 0);
        for one in self.counts.iter().copied().zip(0..).filter(|(count, id)| counted(*count, *id)) {
            all += 1;
            // Most are behind the last: one look instead of seven.
            if most.len() == MOST_VALUES && most.last().is_some_and(|last| order(last, &one).is_lt()) {
                continue;
            }
            let place = most.partition_point(|other| order(other, &one).is_lt());
            if place < MOST_VALUES {
                most.truncate(MOST_VALUES - 1);
                most.insert(place, one);
            }
        }
        let told =
            |(count, id): &(u32, u32)| FacetValue { value: values.get(*id).text.to_string(), count: *count as usize };
        let told: Vec<FacetValue> = most.iter().map(told).collect();
        Facet { column: self.name.clone(), more: all - told.len(), values: told }
    }
}
