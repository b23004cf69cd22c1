//! Table of a view: for every object a row of value ids.

use std::cell::RefCell;
use std::sync::Arc;

use super::cells::Cells;
use super::prefilter::CharacterSet;
use super::values::{MISSING, Values};
use crate::columns::{Cell, ColumnHeader, ColumnType};
use crate::query::column_named;
use crate::value::Value;
use informer::rows::{Rows, reserve_one};
use informer::{Keyed, Object};

/// Field of a row that can be filtered and sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The name. Nearly every row has its own, so it is read from the key.
    Name,
    /// The creation time, read from the object.
    Created,
    /// A column: an index into [`Table::columns`].
    Column(usize),
}

/// Index of the namespace column.
pub(super) const NAMESPACE: usize = 0;

/// Column: the value id of each row; none if it is not kept.
pub(super) struct Column {
    pub(super) ids: Vec<u32>,
    pub(super) values: Values,
    is_kept: bool,
}

/// Table of an informer's objects, one row each. Row ids are reused.
pub(crate) struct Table {
    cells: Cells,
    headers: Vec<ColumnHeader>,
    /// Field of each header.
    fields: Vec<Field>,
    pub(super) columns: Vec<Column>,
    objects: Rows<Object>,
    /// Characters of each row's key.
    characters: Vec<CharacterSet>,
    /// Values of the computed columns of the object that was read last: a filter and sums read several of one object.
    computed: RefCell<Option<(Arc<Object>, Vec<Value>)>>,
}

impl Table {
    pub(crate) fn new(cells: Cells) -> Self {
        let headers = cells.headers();
        let mut next = NAMESPACE;
        let field = |(index, header): (usize, &ColumnHeader)| match header.name.as_str() {
            "Namespace" if cells.is_well_known(index) => Field::Column(NAMESPACE),
            "Name" if cells.is_well_known(index) => Field::Name,
            "Age" if cells.is_well_known(index) => Field::Created,
            _ => {
                next += 1;
                Field::Column(next)
            }
        };
        let fields: Vec<Field> = headers.iter().enumerate().map(field).collect();
        let columns = (0..=next).map(|_| Column { ids: Vec::new(), values: Values::new(), is_kept: true }).collect();
        let (objects, characters, computed) = (Rows::default(), Vec::new(), RefCell::default());
        Self { cells, headers, fields, columns, objects, characters, computed }
    }

    pub(super) fn headers(&self) -> &[ColumnHeader] {
        &self.headers
    }

    pub(super) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Returns the index of a header by name, case-insensitive.
    fn index_of(&self, name: &str) -> Option<usize> {
        column_named(self.headers.iter().map(|header| header.name.as_str()), name)
    }

    /// Returns the type of a column.
    pub(crate) fn column_type(&self, name: &str) -> ColumnType {
        self.index_of(name).map_or(ColumnType::Text, |index| self.cells.column_type(index))
    }

    /// Returns the number and the type of a computed column by name, case-insensitive.
    pub(crate) fn computed_named(&self, name: &str) -> Option<(usize, ColumnType)> {
        let computed = self.cells.computed();
        let index = column_named(computed.iter().map(|column| column.name()), name)?;
        Some((index, computed.get(index)?.column_type()))
    }

    /// Returns the value of a row in a computed column. Decompresses the object, unless it was read last.
    pub(crate) fn computed(&self, column: usize, row: u32) -> Value {
        let Some(object) = self.object(row) else { return Value::missing() };
        let mut last = self.computed.borrow_mut();
        let known = last.take().filter(|(known, _)| Arc::ptr_eq(known, object));
        let values = || self.cells.of_computed(object).iter().map(Value::of).collect();
        let (_, values) = last.insert(known.unwrap_or_else(|| (Arc::clone(object), values())));
        values.get(column).cloned().unwrap_or_else(Value::missing)
    }

    /// Returns the field of a column's name, case-insensitive.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        if let Some(index) = self.index_of(name) {
            return self.fields.get(index).copied();
        }
        let always = [Field::Column(NAMESPACE), Field::Name, Field::Created];
        column_named(["namespace", "name", "age"].into_iter(), name).and_then(|index| always.get(index).copied())
    }

    /// Returns the names of all columns that can be filtered by and summed, as typed in a filter.
    pub(crate) fn all_names(&self) -> String {
        let computed = self.cells.computed().iter().map(|column| typed(column.name()));
        std::iter::once(self.names()).chain(computed).collect::<Vec<_>>().join(", ")
    }

    /// Returns the names of the columns, as typed in a filter.
    pub(crate) fn names(&self) -> String {
        let mut names: Vec<String> = self.headers.iter().map(|header| typed(&header.name)).collect();
        for always in ["age", "name", "namespace"] {
            if !names.iter().any(|name| name == always) {
                names.insert(0, always.to_owned());
            }
        }
        names.join(", ")
    }

    /// Keeps only the columns that `is_read` selects, and the namespace: an unread column costs no memory. Called while
    /// the table is empty; afterwards no other column may be read.
    pub(crate) fn keep_columns(&mut self, is_read: impl Fn(usize) -> bool) {
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.is_kept = index == NAMESPACE || is_read(index);
        }
    }

    /// Number of row ids, including unused ones.
    pub(crate) fn len(&self) -> usize {
        self.objects.row_bound()
    }

    pub(crate) fn object(&self, row: u32) -> Option<&Arc<Object>> {
        self.objects.get(row)
    }

    /// Reserves memory for rows in an empty table, so that it is allocated once.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.objects = Rows::with_capacity(rows);
        self.characters.reserve_exact(rows);
        self.kept_columns().for_each(|column| column.ids.reserve_exact(rows));
    }

    /// Returns the characters of a row's key.
    pub(super) fn characters(&self, row: u32) -> CharacterSet {
        self.characters.get(row as usize).copied().unwrap_or_default()
    }

    /// Returns the row of a key.
    pub(crate) fn row_of(&self, key: &str) -> Option<u32> {
        self.objects.find(key)
    }

    /// Inserts or replaces an object. Returns its row and its cells.
    pub(crate) fn put(&mut self, object: &Arc<Object>) -> (u32, Vec<Cell>) {
        let (row, before) = self.objects.put(Arc::clone(object));
        if before.is_none() {
            if row as usize == self.characters.len() {
                reserve_one(&mut self.characters);
                self.characters.push(CharacterSet::default());
                for Column { ids, .. } in self.kept_columns() {
                    reserve_one(ids);
                    ids.push(MISSING);
                }
            }
            self.characters[row as usize] = CharacterSet::of(object.key());
        }
        // Set before the old value is released, because most values are unchanged.
        self.set(NAMESPACE, row, Value::text(object.namespace()));
        let cells = self.cells.of(object);
        for (index, cell) in cells.iter().enumerate() {
            if let Some(Field::Column(column @ 1..)) = self.fields.get(index).copied()
                && self.columns[column].is_kept
            {
                self.set(column, row, Value::of(cell));
            }
        }
        (row, cells)
    }

    fn kept_columns(&mut self) -> impl Iterator<Item = &mut Column> {
        self.columns.iter_mut().filter(|column| column.is_kept)
    }

    fn set(&mut self, column: usize, row: u32, value: Value) {
        let Column { ids, values, .. } = &mut self.columns[column];
        let number = values.acquire(value);
        values.release(std::mem::replace(&mut ids[row as usize], number));
    }

    /// Removes a row.
    pub(crate) fn remove(&mut self, row: u32) {
        self.objects.remove(row);
        for Column { ids, values, .. } in self.kept_columns() {
            values.release(std::mem::replace(&mut ids[row as usize], MISSING));
        }
    }

    /// Returns the ids of all rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.objects.iter().map(|(row, _)| row)
    }

    /// Returns the value of a row in a column.
    pub(crate) fn value(&self, column: usize, row: u32) -> &Value {
        let Column { ids, values, .. } = &self.columns[column];
        values.get(ids[row as usize])
    }

    pub(super) fn name(&self, row: u32) -> &str {
        self.object(row).map_or("", |object| object.name())
    }

    /// Returns the creation time of an object; `None` if it has none.
    pub(crate) fn created(&self, row: u32) -> Option<f64> {
        self.object(row).map(|object| object.created()).filter(|created| *created != 0.0)
    }
}

/// Name of a column as typed in a filter.
fn typed(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}
