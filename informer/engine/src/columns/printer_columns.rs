//! Columns of custom resources, from `additionalPrinterColumns`.

use std::borrow::Cow;
use std::rc::Rc;

use informer_packing::{Json, Outline};

use super::read::{integer, items, moment, scalar, string};
use super::{Cell, Column, ColumnType, Source};
use informer::JsonPath;

/// 2^53 - 1: up to here a number represents every integer exactly.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Column of a custom resource.
#[derive(Clone, Debug)]
pub(super) struct PrinterColumn {
    kind: Kind,
    path: JsonPath,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Boolean,
    String,
    Date,
}

impl PrinterColumn {
    pub(super) fn column_type(&self) -> ColumnType {
        match self.kind {
            Kind::Integer | Kind::Number => ColumnType::Number,
            Kind::Date => ColumnType::Time,
            Kind::Boolean | Kind::String => ColumnType::Text,
        }
    }

    /// Whether it shows the creation time.
    pub(super) fn is_age(&self) -> bool {
        self.kind == Kind::Date && self.path.text().trim_matches(['{', '}']) == ".metadata.creationTimestamp"
    }

    /// Computes the cell: the first value at the path, if it has the column's type.
    pub(super) fn cell(&self, object: &Outline<'_>) -> Cell {
        // A path that is too expensive for this object, such as one with many "..", gives an empty cell.
        let Ok(Some(value)) = self.path.first(object.root().text()).map(|found| found.map(Json::new)) else {
            return Cell::None;
        };
        match self.kind {
            Kind::Integer => value.as_f64().map_or(Cell::None, |number| number_cell(number.trunc(), value.text())),
            Kind::Number => value.as_f64().map_or(Cell::None, |number| number_cell(number, value.text())),
            Kind::Boolean => value.as_bool().map_or(Cell::None, |value| Cell::Text(value.to_string())),
            Kind::Date if value.as_str().is_none() => Cell::None,
            Kind::Date => moment(Some(value)).map_or_else(|| Cell::Text("<invalid>".to_owned()), Cell::Time),
            Kind::String if value.text().starts_with(['{', '[']) => Cell::Text(value.text().to_owned()),
            Kind::String => scalar(value).map_or(Cell::None, |text| Cell::Text(text.into_owned())),
        }
    }
}

/// Reads a number. An integer that would be rounded stays text, as the server wrote it.
fn number_cell(number: f64, text: &str) -> Cell {
    let is_exact = number.abs() <= MAX_SAFE_INTEGER || text.contains(['.', 'e', 'E']);
    if is_exact { Cell::Number(number) } else { Cell::Text(text.to_owned()) }
}

/// Returns the columns of a version of a custom resource: those of its definition, or name and age. `None` if the
/// definition lacks this version.
pub(crate) fn printer_columns(definition: &Outline<'_>, version: &str) -> Option<Vec<Rc<Column>>> {
    let namespaced = string(definition.pointer("/spec/scope")) != "Cluster";
    let version = items(definition.pointer("/spec/versions")).find(|one| string(one.get("name")) == version)?;
    let mut columns = Vec::new();
    let mut push = |column: Option<Column>| columns.extend(column.map(Rc::new));
    if namespaced {
        push(Column::parse(false, "Namespace"));
    }
    push(Column::parse(false, "Name"));
    let mut own = items(version.get("additionalPrinterColumns")).peekable();
    if own.peek().is_none() {
        push(Column::parse(false, "Age"));
    }
    own.for_each(|one| push(printer_column(one)));
    Some(columns)
}

/// Parses one column; `None` if kubectl does not understand its path.
fn printer_column(column: Json<'_>) -> Option<Column> {
    let path = JsonPath::relaxed(&string(column.get("jsonPath"))).ok()?;
    let kind = match &*string(column.get("type")) {
        "integer" => Kind::Integer,
        "number" => Kind::Number,
        "boolean" => Kind::Boolean,
        "date" => Kind::Date,
        _ => Kind::String,
    };
    Some(Column {
        name: Cow::Owned(string(column.get("name")).into_owned()),
        wide: integer(column.get("priority")) != 0,
        source: Source::Printer(PrinterColumn { kind, path }),
    })
}
