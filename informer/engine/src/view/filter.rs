//! Filter of a view: a query applied to the columns of a table, for one row or all.

use informer_packing::mark;

use super::prefilter::Needle;
use super::table::{Field, Table};
use crate::query::{Clause, Colon, Column, Expression, Pattern, Query, QueryError, Test, contains_folded, field_holds};
use crate::value::{Kind, Value};
use informer::{JsonPath, Keyed, LabelSelector};

/// Query bound to the columns of a table.
pub(crate) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Anywhere(SearchTerm),
    Test(Field, Test),
    /// Test of a computed column, by its number.
    Computed(usize, Test),
    Label(LabelSelector),
    Path(JsonPath, Option<Test>),
}

/// Text or pattern to find in the key and in every cell.
pub(crate) enum SearchTerm {
    Text(Needle),
    Pattern(Pattern),
}

impl SearchTerm {
    fn is_in_key(&self, table: &Table, row: u32) -> bool {
        let key = || table.object(row).map_or("", |object| object.key());
        match self {
            Self::Text(needle) => needle.is_in(table.characters(row), key),
            // An anchored pattern is tested against the name; one that contains a namespace matches the key.
            Self::Pattern(pattern) => pattern.finds(table.name(row)) || pattern.finds(key()),
        }
    }

    fn is_in_cell(&self, value: &Value) -> bool {
        match self {
            Self::Text(needle) => contains_folded(&value.text, &needle.text),
            Self::Pattern(pattern) => !value.text.is_empty() && pattern.finds(&value.text),
        }
    }
}

impl Filter {
    /// Binds a query to the columns of a table.
    pub(crate) fn bind(query: &Query, table: &Table) -> Result<Self, QueryError> {
        Self::of(&query.expression, table)
    }

    fn of(expression: &Expression, table: &Table) -> Result<Self, QueryError> {
        let all = |of: &[Expression]| of.iter().map(|one| Self::of(one, table)).collect::<Result<Vec<_>, _>>();
        Ok(match expression {
            Expression::All(of) => Self::All(all(of)?),
            Expression::Any(of) => Self::Any(all(of)?),
            Expression::Not(of) => Self::Not(Box::new(Self::of(of, table)?)),
            Expression::Clause(Clause::Text(text)) => Self::Anywhere(SearchTerm::Text(Needle::new(text))),
            Expression::Clause(Clause::Colon(colon)) => Self::colon(colon, table)?,
            Expression::Clause(Clause::Pattern(pattern)) => Self::Anywhere(SearchTerm::Pattern(pattern.clone())),
            Expression::Clause(Clause::Column(column)) => Self::column(column, table)?,
            Expression::Clause(Clause::Label(selector)) => Self::Label(selector.clone()),
            Expression::Clause(Clause::Field { path, test }) => Self::Path(path.clone(), test.clone()),
        })
    }

    fn column(column: &Column, table: &Table) -> Result<Self, QueryError> {
        let Column { name, span, test } = column;
        let (filter, is_age, column_type) = if let Some(field) = table.field(name) {
            (Self::Test(field, test.clone()), field == Field::Created, table.column_type(name))
        } else if let Some((computed, column_type)) = table.computed_named(name) {
            (Self::Computed(computed, test.clone()), false, column_type)
        } else {
            let message = format!(
                "no column is named {name:?}. The columns are {}. Use label= or field= for anything else, or quote the \
                 text to search for it",
                table.all_names()
            );
            return Err(QueryError::new(span.0.clone(), message));
        };
        match column.type_mismatch(is_age, column_type) {
            Some(message) => Err(QueryError::new(span.1.clone(), message)),
            None => Ok(filter),
        }
    }

    /// Binds a text with a colon; an error if it is a mistaken test of a column, because the text would match nothing.
    fn colon(colon: &Colon, table: &Table) -> Result<Self, QueryError> {
        let Colon { text, name, value, span } = colon;
        let is_special = ["label", "labels", "field"].iter().any(|special| name.eq_ignore_ascii_case(special));
        if !is_special && table.field(name).is_none() && table.computed_named(name).is_none() {
            return Ok(Self::Anywhere(SearchTerm::Text(Needle::new(text))));
        }
        let message = format!("write {name}={value} to test the column, or quote the text to search for it");
        Err(QueryError::new(span.clone(), message))
    }

    /// Whether a row passes at `now`, in milliseconds since the Unix epoch.
    pub(crate) fn passes(&self, table: &Table, row: u32, now: f64) -> bool {
        let Some(object) = table.object(row) else { return false };
        match self {
            Self::All(of) => of.iter().all(|one| one.passes(table, row, now)),
            Self::Any(of) => of.iter().any(|one| one.passes(table, row, now)),
            Self::Not(of) => !of.passes(table, row, now),
            Self::Anywhere(sought) => {
                let is_in = |column| sought.is_in_cell(table.value(column, row));
                sought.is_in_key(table, row) || (1..table.columns.len()).any(is_in)
            }
            Self::Test(Field::Column(column), test) => test.holds(table.value(*column, row), now),
            Self::Test(field, test) => test.holds(&value_of(*field, table, row, now), now),
            Self::Computed(column, test) => test.holds(&table.computed(*column, row), now),
            Self::Label(selector) => selector.matches(&object.labels()),
            Self::Path(path, test) => field_holds(test.as_ref(), &path.values(&object.json()).unwrap_or_default(), now),
        }
    }

    /// Tests all rows at once; 1 means that the row passes. Each clause is tested once per different value of a column.
    /// Only fields that differ in nearly every row are tested row by row. Unused row ids have an arbitrary result.
    pub(super) fn scan(&self, table: &Table, now: f64) -> Vec<u8> {
        match self {
            Self::All(of) => {
                let mut rows = vec![1; table.len()];
                for one in of {
                    rows.iter_mut().zip(one.scan(table, now)).for_each(|(row, is)| *row &= is);
                }
                rows
            }
            Self::Any(of) => {
                let mut rows = vec![0; table.len()];
                for one in of {
                    rows.iter_mut().zip(one.scan(table, now)).for_each(|(row, is)| *row |= is);
                }
                rows
            }
            Self::Not(of) => {
                let mut rows = of.scan(table, now);
                for row in &mut rows {
                    *row = 1 - *row;
                }
                rows
            }
            Self::Anywhere(sought) => {
                let mut rows = each(table, |row| sought.is_in_key(table, row));
                for column in table.columns.iter().skip(1) {
                    mark(&mut rows, &column.ids, &column.values.mark(|value| sought.is_in_cell(value)));
                }
                rows
            }
            Self::Test(Field::Column(column), test) => {
                let mut rows = vec![0; table.len()];
                let of = &table.columns[*column];
                mark(&mut rows, &of.ids, &of.values.mark(|value| test.holds(value, now)));
                rows
            }
            Self::Test(..) | Self::Computed(..) | Self::Label(_) | Self::Path(..) => {
                each(table, |row| self.passes(table, row, now))
            }
        }
    }

    /// Returns when an unchanged row must be tested again because an age passes a limit.
    pub(crate) fn retest_at(&self, table: &Table, row: u32, now: f64) -> Option<f64> {
        match self {
            Self::All(of) | Self::Any(of) => {
                of.iter().filter_map(|one| one.retest_at(table, row, now)).reduce(f64::min)
            }
            Self::Not(of) => of.retest_at(table, row, now),
            Self::Test(Field::Column(column), test) => test.retest_at(table.value(*column, row), now),
            Self::Test(Field::Created, test) => test.retest_at(&Value::time(table.created(row)?), now),
            Self::Computed(column, test) if test.depends_on_time() => {
                test.retest_at(&table.computed(*column, row), now)
            }
            Self::Path(path, Some(test)) if test.depends_on_time() => {
                let json = table.object(row)?.json();
                let values = path.values(&json).unwrap_or_default();
                values.iter().filter_map(|value| test.retest_at(&Value::text(value), now)).reduce(f64::min)
            }
            _ => None,
        }
    }

    /// Whether it reads a column.
    pub(crate) fn reads(&self, column: usize) -> bool {
        match self {
            Self::All(of) | Self::Any(of) => of.iter().any(|one| one.reads(column)),
            Self::Not(of) => of.reads(column),
            Self::Anywhere(_) => true,
            Self::Test(field, _) => *field == Field::Column(column),
            Self::Computed(..) | Self::Label(_) | Self::Path(..) => false,
        }
    }

    /// Whether its result can change by time alone.
    pub(crate) fn depends_on_time(&self) -> bool {
        match self {
            Self::All(of) | Self::Any(of) => of.iter().any(Self::depends_on_time),
            Self::Not(of) => of.depends_on_time(),
            Self::Test(_, test) | Self::Computed(_, test) | Self::Path(_, Some(test)) => test.depends_on_time(),
            _ => false,
        }
    }
}

fn value_of(field: Field, table: &Table, row: u32, now: f64) -> Value {
    match field {
        Field::Name => Value { kind: Kind::Text, text: table.name(row).into(), number: 0.0 },
        // Server clocks may run ahead: the minimum age is 0.
        Field::Created => table.created(row).map_or_else(Value::missing, |created| Value::time(created.min(now))),
        Field::Column(column) => table.value(column, row).clone(),
    }
}

fn each(table: &Table, is: impl Fn(u32) -> bool) -> Vec<u8> {
    (0..).take(table.len()).map(|row| u8::from(is(row))).collect()
}
