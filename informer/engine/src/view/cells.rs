//! Cell source of a view: the only place where a view reads objects.

use std::rc::Rc;

use informer_packing::{Json, Outline};

use crate::columns::{Cell, Column, ColumnHeader, Measure, Subject, columns_of, computed_of};
use crate::message::TextsByName;
use informer::{GroupVersionResource, InformerError, JsonPath, Keyed, Object, Result};

/// Columns of a view.
pub(crate) enum Cells {
    /// Columns of the resource's table, how many of them precede those that are cached with objects, if any are, and its
    /// computed columns.
    Table(Vec<Rc<Column>>, Option<usize>, Vec<Rc<Column>>),
    /// Columns that the view defines, each by a path.
    Paths(Vec<(String, JsonPath)>),
}

impl Cells {
    /// Creates the columns of a resource's table. Objects have the cells of built-in columns cached, except the
    /// namespace. Columns of custom resources are not cached.
    pub(crate) fn of_table(columns: Vec<Rc<Column>>, resource: &GroupVersionResource) -> Self {
        let carried = columns_of(resource, false);
        let before = columns.len().checked_sub(carried.len());
        let same = |before: &usize| columns.iter().skip(*before).zip(&carried).all(|(a, b)| a.header() == b.header());
        let carried = before.filter(|before| *before <= 1).filter(same);
        Self::Table(columns, carried, computed_of(resource))
    }

    /// Columns of the view's own by name, each a path.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](informer::ErrorCode::BadRequest) when one is no path.
    pub(crate) fn of_paths(paths: &TextsByName) -> Result<Self> {
        let compile = |(name, text): &(String, String)| match JsonPath::relaxed(text) {
            Ok(path) => Ok((name.clone(), path)),
            Err(error) => {
                let message = format!("column {name:?}: {}", error.message());
                Err(InformerError::new(error.code(), message))
            }
        };
        paths.iter().map(compile).collect::<Result<_>>().map(Self::Paths)
    }

    pub(crate) fn headers(&self) -> Vec<ColumnHeader> {
        match self {
            Self::Table(columns, ..) => columns.iter().map(|column| column.header()).collect(),
            Self::Paths(paths) => {
                let header = |(name, _): &(String, _)| ColumnHeader { name: name.clone(), wide: false, numeric: false };
                paths.iter().map(header).collect()
            }
        }
    }

    /// Returns the measure of a column.
    pub(crate) fn measure(&self, place: usize) -> Measure {
        match self {
            Self::Table(columns, ..) => columns.get(place).map_or(Measure::Text, |column| column.measure()),
            Self::Paths(_) => Measure::Text,
        }
    }

    /// Whether a column comes from the resource's table, whose "Name" is the object's name. A view's own column may
    /// have that name and show anything.
    pub(crate) fn is_ours(&self, place: usize) -> bool {
        match self {
            Self::Table(columns, ..) => columns.get(place).is_some_and(|column| column.is_ours()),
            Self::Paths(_) => false,
        }
    }

    /// Returns the computed columns: without headers, and read by name.
    pub(super) fn computed(&self) -> &[Rc<Column>] {
        match self {
            Self::Table(.., computed) => computed,
            Self::Paths(_) => &[],
        }
    }

    /// Computes the cells of the computed columns. Decompresses the object.
    pub(super) fn of_computed(&self, object: &Object) -> Vec<Cell> {
        cells(self.computed(), &object.json())
    }

    /// Computes the cells of an object, one for each header. The view's own columns decompress the object.
    pub(crate) fn of(&self, object: &Object) -> Vec<Cell> {
        if let Self::Table(columns, Some(before), _) = self
            && let mut carried = object.cells()
            && !carried.is_empty()
        {
            let namespace = || match object.namespace() {
                "" => Cell::None,
                namespace => Cell::Text(namespace.to_owned()),
            };
            for _ in 0..*before {
                carried.insert(0, namespace());
            }
            carried.resize(columns.len(), Cell::None);
            return carried;
        }
        let json = object.json();
        match self {
            Self::Table(columns, ..) => cells(columns, &json),
            Self::Paths(paths) => paths
                .iter()
                // A path that fails for this object gives an empty cell; the row stays.
                .map(|(_, path)| match path.values(&json).unwrap_or_default().as_slice() {
                    [] => Cell::None,
                    values => Cell::Text(values.join(",")),
                })
                .collect(),
        }
    }
}

fn cells(columns: &[Rc<Column>], json: &str) -> Vec<Cell> {
    let outline = Outline::of(Json::new(json));
    let subject = Subject::of(&outline);
    columns.iter().map(|column| column.cell(&subject)).collect()
}
