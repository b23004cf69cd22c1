//! Where a view's cells come from: the one place that reads objects for it.

use std::collections::BTreeMap;
use std::rc::Rc;

use informer_packing::{Json, Outline};

use crate::columns::{Cell, Column, ColumnHeader, Subject};
use crate::error::{InformerError, Result};
use crate::json_path::JsonPath;
use crate::object::Object;

/// The columns of a view.
pub(crate) enum Cells {
    /// Those of the resource's own table.
    Table(Vec<Rc<Column>>),
    /// The view's own.
    Paths(Vec<(String, JsonPath)>),
}

impl Cells {
    /// Columns of the view's own by name, each a path.
    ///
    /// # Errors
    /// [`ErrorCode::BadRequest`](crate::ErrorCode::BadRequest) when one is no path.
    pub(crate) fn of_paths(paths: &BTreeMap<String, String>) -> Result<Self> {
        let compile = |(name, text): (&String, &String)| match JsonPath::relaxed(text) {
            Ok(path) => Ok((name.clone(), path)),
            Err(error) => {
                let message = format!("the column {name:?}: {}", error.message());
                Err(InformerError::new(error.code(), message))
            }
        };
        paths.iter().map(compile).collect::<Result<_>>().map(Self::Paths)
    }

    pub(crate) fn headers(&self) -> Vec<ColumnHeader> {
        match self {
            Self::Table(columns) => columns.iter().map(|column| column.header()).collect(),
            Self::Paths(paths) => {
                let header = |(name, _): &(String, _)| ColumnHeader { name: name.clone(), wide: false, numeric: false };
                paths.iter().map(header).collect()
            }
        }
    }

    /// The cells of an object, one for each header. For the view's own columns the object is inflated.
    pub(crate) fn of(&self, object: &Object) -> Vec<Cell> {
        let json = object.json();
        match self {
            Self::Table(columns) => {
                let outline = Outline::of(Json::new(&json));
                let subject = Subject::of(&outline);
                columns.iter().map(|column| column.cell(&subject)).collect()
            }
            Self::Paths(paths) => paths
                .iter()
                // A path that fails at this object finds nothing in it: that costs a cell, not the row.
                .map(|(_, path)| match path.values(&json).unwrap_or_default().as_slice() {
                    [] => Cell::None,
                    values => Cell::Text(values.join(",")),
                })
                .collect(),
        }
    }
}
