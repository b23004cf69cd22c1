//! What a view keeps of every object: a row of numbers that stand for its values.

use std::sync::Arc;

use informer_packing::{Slots, hash};

use super::cells::Cells;
use super::values::Values;
use crate::columns::ColumnHeader;
use crate::object::{Keyed, Object};
use crate::query::column_named;
use crate::value::Value;

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
    pub(super) objects: Vec<Option<Arc<Object>>>,
    rows: Slots,
    free: Vec<u32>,
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
        Self { cells, headers, fields, columns, objects: Vec::new(), rows: Slots::default(), free: Vec::new() }
    }

    pub(super) fn headers(&self) -> &[ColumnHeader] {
        &self.headers
    }

    pub(super) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// What a name of a column means, in any case.
    pub(super) fn field(&self, name: &str) -> Option<Field> {
        let headers = self.headers.iter().map(|header| header.name.as_str());
        if let Some(place) = column_named(headers, name) {
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
        self.objects.len()
    }

    pub(super) fn object(&self, row: u32) -> Option<&Arc<Object>> {
        self.objects.get(row as usize)?.as_ref()
    }

    /// The row of a key.
    pub(super) fn row_of(&self, key: &str) -> Option<u32> {
        let objects = &self.objects;
        self.rows.find(hash(key.as_bytes()), &mut |row| key_of(objects, row) == key)
    }

    /// Keeps an object in place of what was under its key: its row.
    pub(super) fn put(&mut self, object: &Arc<Object>) -> u32 {
        let row = match self.row_of(object.key()) {
            Some(row) => row,
            None => self.new_row(object),
        };
        self.objects[row as usize] = Some(Arc::clone(object));
        // Held before what was is released: most values are the same.
        self.set(NAMESPACE, row, Value::text(object.namespace()));
        for (place, cell) in self.cells.of(object).into_iter().enumerate() {
            if let Some(Field::Column(column @ 1..)) = self.fields.get(place).copied() {
                self.set(column, row, Value::of(cell));
            }
        }
        row
    }

    fn new_row(&mut self, object: &Arc<Object>) -> u32 {
        let row = self.free.pop().unwrap_or_else(|| number(self.objects.len()));
        if row as usize == self.objects.len() {
            self.objects.push(None);
            self.columns.iter_mut().for_each(|column| column.ids.push(super::values::MISSING));
        }
        self.objects[row as usize] = Some(Arc::clone(object));
        let objects = &self.objects;
        self.rows.insert(row, &mut |row| hash(key_of(objects, row).as_bytes()));
        row
    }

    fn set(&mut self, column: usize, row: u32, value: Value) {
        let Column { ids, values } = &mut self.columns[column];
        let number = values.hold(value);
        values.release(std::mem::replace(&mut ids[row as usize], number));
    }

    /// Forgets a row.
    pub(super) fn remove(&mut self, row: u32) {
        let objects = &self.objects;
        self.rows.remove(row, &mut |row| hash(key_of(objects, row).as_bytes()));
        self.objects[row as usize] = None;
        for Column { ids, values } in &mut self.columns {
            values.release(std::mem::replace(&mut ids[row as usize], super::values::MISSING));
        }
        self.free.push(row);
    }

    /// The numbers that are rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.objects.iter().zip(0..).filter(|(object, _)| object.is_some()).map(|(_, row)| row)
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

fn key_of(objects: &[Option<Arc<Object>>], row: u32) -> &str {
    objects.get(row as usize).and_then(Option::as_ref).map_or("", |object| object.key())
}

/// A place among rows or values as a number. More than four thousand million of them fit no machine that this runs on.
pub(super) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
