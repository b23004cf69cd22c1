//! Cell source of a view: the only place where a view reads objects.

use std::rc::Rc;

use informer_packing::{Json, Outline};

use crate::columns::{Cell, Column, ColumnHeader, ColumnType, Subject, columns_of, computed_of};
use crate::message::TextsByName;
use informer::{GroupVersionResource, InformerError, JsonPath, Keyed, Object, Result};

/// Columns of a view.
pub(crate) enum Cells {
    /// Columns of the resource's table, and those that the view adds to them.
    Table(TableColumns, Vec<PathColumn>),
    /// Columns that the view defines, each by a path.
    Paths(Vec<PathColumn>),
}

/// Columns of a resource's table.
pub(crate) struct TableColumns {
    columns: Vec<Rc<Column>>,
    /// How many columns precede those that are cached with objects, if any are.
    pub(super) carried: Option<usize>,
    /// Computed columns.
    computed: Vec<Rc<Column>>,
}

/// Name and path of a column that a view defines.
type PathColumn = (String, JsonPath);

impl Cells {
    /// Creates the columns of a resource's table. Objects have the cells of built-in columns cached, except the
    /// namespace. Columns of custom resources are not cached.
    pub(crate) fn of_table(columns: Vec<Rc<Column>>, resource: &GroupVersionResource) -> Self {
        Self::Table(TableColumns::new(columns, resource), Vec::new())
    }

    /// Adds further columns after those of a table: by name, each a path.
    ///
    /// # Errors
    /// As [`of_paths`](Self::of_paths).
    pub(crate) fn with_extra(self, paths: &TextsByName) -> Result<Self> {
        let further = path_columns(paths)?;
        Ok(match self {
            Self::Table(table, extra) => Self::Table(table, extra.into_iter().chain(further).collect()),
            Self::Paths(paths) => Self::Paths(paths.into_iter().chain(further).collect()),
        })
    }

    /// Columns of the view's own by name, each a path.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](informer::ErrorCode::BadRequest) when one is no path.
    pub(crate) fn of_paths(paths: &TextsByName) -> Result<Self> {
        path_columns(paths).map(Self::Paths)
    }

    pub(crate) fn headers(&self) -> Vec<ColumnHeader> {
        let (table, paths) = self.parts();
        let header = |(name, _): &PathColumn| ColumnHeader { name: name.clone(), wide: false, numeric: false };
        table.iter().map(|column| column.header()).chain(paths.iter().map(header)).collect()
    }

    /// Returns the columns of the table, and those that are paths, which follow.
    fn parts(&self) -> (&[Rc<Column>], &[PathColumn]) {
        match self {
            Self::Table(TableColumns { columns, .. }, extra) => (columns, extra),
            Self::Paths(paths) => (&[], paths),
        }
    }

    /// Returns the type of a column.
    pub(crate) fn column_type(&self, index: usize) -> ColumnType {
        self.parts().0.get(index).map_or(ColumnType::Text, |column| column.column_type())
    }

    /// Whether a column comes from the resource's table, whose "Name" is the object's name. A view's own column may
    /// have that name and show anything.
    pub(crate) fn is_well_known(&self, index: usize) -> bool {
        self.parts().0.get(index).is_some_and(|column| column.is_well_known())
    }

    /// Returns the computed columns: without headers, and read by name.
    pub(super) fn computed(&self) -> &[Rc<Column>] {
        match self {
            Self::Table(TableColumns { computed, .. }, _) => computed,
            Self::Paths(_) => &[],
        }
    }

    /// Computes the cells of the computed columns. Decompresses the object.
    pub(super) fn of_computed(&self, object: &Object) -> Vec<Cell> {
        cells(self.computed(), &object.json())
    }

    /// Computes the cells of an object, one for each header. The view's own columns decompress the object.
    pub(crate) fn of(&self, object: &Object) -> Vec<Cell> {
        let carried = match self {
            Self::Table(table, _) => table.carried(object),
            Self::Paths(_) => None,
        };
        let (columns, paths) = self.parts();
        match carried {
            Some(carried) if paths.is_empty() => carried,
            carried => {
                let json = object.json();
                let mut row = carried.unwrap_or_else(|| cells(columns, &json));
                row.extend(paths.iter().map(|(_, path)| path_cell(path, &json)));
                row
            }
        }
    }
}

impl TableColumns {
    fn new(columns: Vec<Rc<Column>>, resource: &GroupVersionResource) -> Self {
        let carried = columns_of(resource, false);
        let before = columns.len().checked_sub(carried.len());
        let same = |before: &usize| columns.iter().skip(*before).zip(&carried).all(|(a, b)| a.header() == b.header());
        let carried = before.filter(|before| *before <= 1).filter(same);
        Self { columns, carried, computed: computed_of(resource) }
    }

    /// Returns the cells that are cached with an object, with its namespace before them.
    fn carried(&self, object: &Object) -> Option<Vec<Cell>> {
        let before = self.carried?;
        let mut carried = object.cells();
        if carried.is_empty() {
            return None;
        }
        let namespace = || match object.namespace() {
            "" => Cell::None,
            namespace => Cell::Text(namespace.to_owned()),
        };
        for _ in 0..before {
            carried.insert(0, namespace());
        }
        carried.resize(self.columns.len(), Cell::None);
        Some(carried)
    }
}

fn path_columns(paths: &TextsByName) -> Result<Vec<PathColumn>> {
    let compile = |(name, text): &(String, String)| match JsonPath::relaxed(text) {
        Ok(path) => Ok((name.clone(), path)),
        Err(error) => {
            let message = format!("column {name:?}: {}", error.message());
            Err(InformerError::new(error.code(), message))
        }
    };
    paths.iter().map(compile).collect()
}

/// A path that fails for this object gives an empty cell; the row stays.
fn path_cell(path: &JsonPath, json: &str) -> Cell {
    match path.values(json).unwrap_or_default().as_slice() {
        [] => Cell::None,
        values => Cell::Text(values.join(",")),
    }
}

fn cells(columns: &[Rc<Column>], json: &str) -> Vec<Cell> {
    let outline = Outline::of(Json::new(json));
    let subject = Subject::of(&outline);
    columns.iter().map(|column| column.cell(&subject)).collect()
}
