//! Measures: the values of a group, bound to columns, and the amounts that a row adds to them.

use crate::columns::ColumnType;
use crate::message::{AggregateOp, AggregateValue};
use crate::value::{Amount, Kind, Value, number};
use crate::view::{Field, Table};

use super::group::{self, Output};

/// The largest number up to which every integer is exact.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Requested values and the totals that they need. A minimum and a maximum of a column share a total.
pub(super) struct Measures {
    totals: Vec<TotalledField>,
    outputs: Vec<Output>,
}

/// A field whose total the group counts.
#[derive(PartialEq)]
struct TotalledField {
    source: Source,
    reading: Reading,
    is_sum: bool,
}

/// Source of the values of a measure.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Field(Field),
    /// A computed column, by its number.
    Computed(usize),
}

/// Which values of a column are counted.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    /// Numbers and quantities, and lists of them.
    Amounts,
    /// Times, in milliseconds since the Unix epoch.
    Moments,
    /// Durations with an end, in milliseconds.
    Durations,
}

impl Measures {
    /// Binds the requested values to columns. The error is shown to users.
    pub(super) fn bind(of: &[AggregateValue], table: &Table) -> Result<Self, String> {
        let mut measures = Self { totals: Vec::new(), outputs: Vec::new() };
        for AggregateValue { op, column } in of {
            let is_sum = *op == AggregateOp::Sum;
            let output = match op {
                AggregateOp::Count => Output::Count,
                AggregateOp::Sum => Output::Sum(measures.total(TotalledField::bind(column, "sum", is_sum, table)?)),
                AggregateOp::Min => Output::Min(measures.total(TotalledField::bind(column, "min", is_sum, table)?)),
                AggregateOp::Max => Output::Max(measures.total(TotalledField::bind(column, "max", is_sum, table)?)),
            };
            measures.outputs.push(output);
        }
        if measures.outputs.is_empty() {
            measures.outputs.push(Output::Count);
        }
        Ok(measures)
    }

    fn total(&mut self, wanted: TotalledField) -> usize {
        self.totals.iter().position(|known| *known == wanted).unwrap_or_else(|| {
            self.totals.push(wanted);
            self.totals.len() - 1
        })
    }

    /// The values of a group, each from a total, and the kinds of the totals.
    pub(super) fn outputs(&self) -> (Vec<Output>, Vec<group::Kind>) {
        let kind = |field: &TotalledField| if field.is_sum { group::Kind::Sum } else { group::Kind::Range };
        (self.outputs.clone(), self.totals.iter().map(kind).collect())
    }

    /// Whether a column is read.
    pub(super) fn reads(&self, column: usize) -> bool {
        self.totals.iter().any(|field| field.source == Source::Field(Field::Column(column)))
    }

    /// Reads the amounts of a row, one for each total.
    pub(super) fn read(&self, table: &Table, row: u32, into: &mut Vec<Option<Amount>>) {
        into.clear();
        into.extend(self.totals.iter().map(|field| field.read(table, row)));
    }
}

impl TotalledField {
    fn bind(name: &str, op: &str, is_sum: bool, table: &Table) -> Result<Self, String> {
        let (source, column_type) = match (table.field(name), table.computed_named(name)) {
            (Some(Field::Created), _) => (Source::Field(Field::Created), ColumnType::Time),
            (Some(field), _) => (Source::Field(field), table.column_type(name)),
            (None, Some((computed, column_type))) => (Source::Computed(computed), column_type),
            (None, None) => {
                let names = table.all_names();
                return Err(format!("cannot compute the {op} of {name:?}: no such column. The columns are {names}"));
            }
        };
        let reading = match column_type {
            _ if source == Source::Field(Field::Name) => {
                return Err(format!("cannot compute the {op} of {name:?}: names are texts"));
            }
            ColumnType::Ratio => return Err(format!("cannot compute the {op} of {name:?}: its values are ratios")),
            ColumnType::Time if is_sum => {
                return Err(format!("cannot compute the sum of {name:?}: its values are times"));
            }
            ColumnType::Time => Reading::Moments,
            ColumnType::Duration => Reading::Durations,
            ColumnType::Text | ColumnType::Number => Reading::Amounts,
        };
        Ok(Self { source, reading, is_sum })
    }

    fn read(&self, table: &Table, row: u32) -> Option<Amount> {
        match self.source {
            Source::Field(Field::Column(column)) => self.amount(table.value(column, row)),
            Source::Field(Field::Created) => table.created(row).map(Amount::of_number),
            Source::Field(Field::Name) => None,
            Source::Computed(column) => self.amount(&table.computed(column, row)),
        }
    }

    fn amount(&self, value: &Value) -> Option<Amount> {
        match (self.reading, value.kind) {
            (Reading::Moments, Kind::Time) | (Reading::Durations, Kind::Duration) => {
                Some(Amount::of_number(value.number))
            }
            // A path may lead to times.
            (Reading::Amounts, Kind::Time) if !self.is_sum => Some(Amount::of_number(value.number)),
            (Reading::Amounts, Kind::Number) => amount(value),
            (Reading::Amounts, Kind::Text) => list(&value.text),
            _ => None,
        }
    }
}

/// Amount of a number; `None` for a ratio.
fn amount(value: &Value) -> Option<Amount> {
    if value.text.contains('/') {
        return None;
    }
    let is_exact = value.number.fract() == 0.0 && value.number.abs() <= MAX_SAFE_INTEGER;
    // The text of a number has three decimals; that of a quantity is as the server wrote it.
    let of_text = || Amount::parse(&value.text).filter(|_| number(&value.text) == Some(value.number));
    Some((!is_exact).then(of_text).flatten().unwrap_or_else(|| Amount::of_number(value.number)))
}

/// Sum of a list such as `100m,1`: a path that finds several values, for example in each container.
fn list(text: &str) -> Option<Amount> {
    text.split(',').try_fold(Amount::default(), |sum, part| Some(sum.plus(Amount::parse(part)?)))
}
