//! Table of a view: for every object a row of value ids.

use std::sync::Arc;

use super::cells::Cells;
use super::letters::Letters;
use super::values::{MISSING, Values};
use crate::columns::{ColumnHeader, Measure};
use crate::query::column_named;
use crate::value::Value;
use informer::rows::{Rows, make_room};
use informer::{Keyed, Object};

/// Something of a row that can be filtered and ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// The name: nearly every row has its own, so it is read from the key.
    Name,
    /// The time of creation, likewise.
    Created,
    /// One of [`Table::columns`].
    Column(usize),
}

/// The column of namespaces.
pub(super) const NAMESPACE: usize = 0;

/// A column: of each row the number of its value.
pub(super) struct Column {
    pub(super) ids: Vec<u32>,
    pub(super) values: Values,
}

/// All objects of an informer as rows. A row's number is used again when its object is gone.
pub(super) struct Table {
    cells: Cells,
    headers: Vec<ColumnHeader>,
    /// What each header stands for.
    fields: Vec<Field>,
    pub(super) columns: Vec<Column>,
    objects: Rows<Object>,
    /// Of each row those of its key.
    letters: Vec<Letters>,
}

impl Table {
    pub(super) fn new(cells: Cells) -> Self {
        let headers = cells.headers();
        let mut next = NAMESPACE;
        let field = |(place, header): (usize, &ColumnHeader)| match header.name.as_str() {
            "Namespace" if cells.is_ours(place) => Field::Column(NAMESPACE),
            "Name" if cells.is_ours(place) => Field::Name,
            "Age" if cells.is_ours(place) => Field::Created,
            _ => {
                next += 1;
                Field::Column(next)
            }
        };
        let fields: Vec<Field> = headers.iter().enumerate().map(field).collect();
        let columns = (0..=next).map(|_| Column { ids: Vec::new(), values: Values::new() }).collect();
        Self { cells, headers, fields, columns, objects: Rows::default(), letters: Vec::new() }
    }

    pub(super) fn headers(&self) -> &[ColumnHeader] {
        &self.headers
    }

    pub(super) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The place of the header of this name, in any case.
    fn place(&self, name: &str) -> Option<usize> {
        column_named(self.headers.iter().map(|header| header.name.as_str()), name)
    }

    /// What the cells of a column are.
    pub(super) fn measure(&self, name: &str) -> Measure {
        self.place(name).map_or(Measure::Text, |place| self.cells.measure(place))
    }

    /// What a name of a column means, in any case.
    pub(super) fn field(&self, name: &str) -> Option<Field> {
        if let Some(place) = self.place(name) {
            return self.fields.get(place).copied();
        }
        let always = [Field::Column(NAMESPACE), Field::Name, Field::Created];
        column_named(["namespace", "name", "age"].into_iter(), name).and_then(|place| always.get(place).copied())
    }

    /// The names of the columns, as they are written in a filter.
    pub(super) fn names(&self) -> String {
        let mut names: Vec<String> =
            self.headers.iter().map(|header| header.name.to_lowercase().replace(' ', "-")).collect();
        for always in ["age", "name", "namespace"] {
            if !names.iter().any(|name| name == always) {
                names.insert(0, always.to_owned());
            }
        }
        names.join(", ")
    }

    /// Rows, and numbers that are no rows at the moment.
    pub(super) fn len(&self) -> usize {
        self.objects.numbers()
    }

    pub(super) fn object(&self, row: u32) -> Option<&Arc<Object>> {
        self.objects.get(row)
    }

    /// Makes room for so many rows in a table without any, so that no memory is taken for fewer first.
    pub(super) fn make_room(&mut self, rows: usize) {
        self.objects = Rows::with_capacity(rows);
        self.letters.reserve_exact(rows);
        self.columns.iter_mut().for_each(|column| column.ids.reserve_exact(rows));
    }

    /// The letters of a row's key.
    pub(super) fn letters(&self, row: u32) -> Letters {
        self.letters.get(row as usize).copied().unwrap_or_default()
    }

    /// The row of a key.
    pub(super) fn row_of(&self, key: &str) -> Option<u32> {
        self.objects.find(key)
    }

    /// Keeps an object in place of what was under its key: its row.
    pub(super) fn put(&mut self, object: &Arc<Object>) -> u32 {
        let (row, before) = self.objects.put(Arc::clone(object));
        if before.is_none() {
            if row as usize == self.letters.len() {
                make_room(&mut self.letters);
                self.letters.push(Letters::default());
                for Column { ids, .. } in &mut self.columns {
                    make_room(ids);
                    ids.push(MISSING);
                }
            }
            self.letters[row as usize] = Letters::of(object.key());
        }
        // Held before what was is released: most values are the same.
        self.set(NAMESPACE, row, Value::text(object.namespace()));
        for (place, cell) in self.cells.of(object).into_iter().enumerate() {
            if let Some(Field::Column(column @ 1..)) = self.fields.get(place).copied() {
                self.set(column, row, Value::of(cell));
            }
        }
        row
    }

    fn set(&mut self, column: usize, row: u32, value: Value) {
        let Column { ids, values } = &mut self.columns[column];
        let number = values.hold(value);
        values.release(std::mem::replace(&mut ids[row as usize], number));
    }

    /// Forgets a row.
    pub(super) fn remove(&mut self, row: u32) {
        self.objects.remove(row);
        for Column { ids, values } in &mut self.columns {
            values.release(std::mem::replace(&mut ids[row as usize], MISSING));
        }
    }

    /// The numbers that are rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.objects.iter().map(|(row, _)| row)
    }

    /// The value of a row in a column.
    pub(super) fn value(&self, column: usize, row: u32) -> &Value {
        let Column { ids, values } = &self.columns[column];
        values.get(ids[row as usize])
    }

    pub(super) fn name(&self, row: u32) -> &str {
        self.object(row).map_or("", |object| object.name())
    }

    /// When the object was created; `None` where it does not say.
    pub(super) fn created(&self, row: u32) -> Option<f64> {
        self.object(row).map(|object| object.created()).filter(|created| *created != 0.0)
    }
}
