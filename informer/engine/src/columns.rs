//! Columns of `kubectl get` for each kind.
//!
//! Cells are computed from an object's outline with as few reads as possible, because they may be needed for every
//! object that arrives.

mod age;
mod batch;
mod column_type;
mod event;
mod metrics;
mod network;
mod node;
mod pod;
mod pod_resources;
mod pod_summary;
mod printer_columns;
mod projection;
mod quota;
mod rbac;
mod read;
mod scope;
mod selector;
mod storage;
mod subject;
mod table;

use std::borrow::Cow;
use std::rc::Rc;

use informer_packing::{Json, Outline};
use serde::{Deserialize, Serialize};

use informer::{GroupVersionResource, ReadCells};

pub use informer::Cell;

pub use age::age;
pub(crate) use column_type::ColumnType;
use printer_columns::PrinterColumn;
pub(crate) use printer_columns::printer_columns;
use projection::Projection;
pub use scope::is_cluster_scoped;
pub(crate) use subject::Subject;
use table::TABLE;

/// Header of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnHeader {
    /// Name, in title case as kubectl prints it.
    pub name: String,
    /// Whether kubectl shows it only with `-o wide`.
    pub wide: bool,
    /// Whether its cells are numbers, which are aligned right.
    pub numeric: bool,
}

/// Column: its header, and the source of its cells.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    name: Cow<'static, str>,
    wide: bool,
    source: Source,
}

/// Columns of a view.
pub(crate) type ViewColumns = Vec<Rc<Column>>;

/// Source of a column's cells.
#[derive(Clone, Debug)]
enum Source {
    /// Column of a built-in kind: its projection, the type of its cells, and the projection's arguments.
    BuiltIn(Projection, ColumnType, &'static str),
    /// Column of a custom resource, from its `CustomResourceDefinition`.
    Printer(PrinterColumn),
}

impl Column {
    pub(crate) fn header(&self) -> ColumnHeader {
        let numeric = self.column_type() == ColumnType::Number;
        ColumnHeader { name: self.name.clone().into_owned(), wide: self.wide, numeric }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of its cells.
    pub(crate) fn column_type(&self) -> ColumnType {
        match &self.source {
            Source::BuiltIn(_, column_type, _) => *column_type,
            Source::Printer(column) => column.column_type(),
        }
    }

    /// Whether its name identifies its content, as `Name` is the object's name: true for columns of built-in kinds, and
    /// for the `Age` column of custom resources.
    pub(crate) fn is_well_known(&self) -> bool {
        match &self.source {
            Source::BuiltIn(..) => true,
            Source::Printer(column) => self.name == "Age" && column.is_age(),
        }
    }

    /// Computes its cell for an object.
    pub(crate) fn cell(&self, object: &Subject<'_, '_>) -> Cell {
        match &self.source {
            Source::BuiltIn(projection, _, arguments) => projection(object, arguments),
            Source::Printer(column) => column.cell(object.outline()),
        }
    }

    /// Parses a line of the table, without its mark: `Ready: ratio /status/ready /spec/wanted`.
    fn parse(wide: bool, line: &'static str) -> Option<Self> {
        let (name, expression) = line.split_once(": ").unwrap_or((
            line,
            match line {
                "Namespace" => "text /metadata/namespace",
                "Name" => "text /metadata/name",
                "Age" => "time /metadata/creationTimestamp",
                _ => "",
            },
        ));
        let (word, arguments) = expression.split_once(' ').unwrap_or((expression, ""));
        let (projection, column_type) = projection::find(word)?;
        Some(Self { name: Cow::Borrowed(name), wide, source: Source::BuiltIn(projection, column_type, arguments) })
    }
}

/// Reader of the cells that are cached with an object. A type of its own, because both [`ReadCells`] and `Vec` belong
/// to other crates.
#[derive(Debug)]
struct CarriedCells(Vec<Rc<Column>>);

impl ReadCells for CarriedCells {
    fn cells(&self, object: &Outline<'_>) -> Vec<Cell> {
        let subject = Subject::of(object);
        self.0.iter().map(|column| column.cell(&subject)).collect()
    }
}

/// Returns the reader of the cells that are cached with each object of a resource: all columns but the namespace.
pub(crate) fn carried(resource: &GroupVersionResource) -> Box<dyn ReadCells> {
    Box::new(CarriedCells(columns_of(resource, false)))
}

/// Returns the columns of a resource in kubectl's order: namespace first if it has one; name and age for a kind that
/// kubectl does not know. Wide columns keep kubectl's position. `namespaced` says whether the resource has namespaces;
/// built-in cluster-scoped resources never do.
pub(crate) fn columns_of(resource: &GroupVersionResource, namespaced: bool) -> Vec<Rc<Column>> {
    let unknown = || lines(namespaced && !is_cluster_scoped(resource), " Name\n Age");
    well_known(resource, namespaced).unwrap_or_else(unknown)
}

/// Returns the columns of a built-in kind; `None` for other kinds.
pub(crate) fn well_known(resource: &GroupVersionResource, namespaced: bool) -> Option<Vec<Rc<Column>>> {
    let namespaced = namespaced && !is_cluster_scoped(resource);
    section(resource).map(|section| lines(namespaced, section))
}

/// Returns the computed columns of a built-in kind, which kubectl does not print.
pub(crate) fn computed_of(resource: &GroupVersionResource) -> Vec<Rc<Column>> {
    let is_column = |line: &&str| line.starts_with(MARKS);
    let lines = section(resource).into_iter().flat_map(|section| section.lines().take_while(is_column));
    lines.filter_map(|line| Column::parse(false, line.strip_prefix('-')?).map(Rc::new)).collect()
}

/// First characters of lines that define a column: printed, printed with `-o wide`, computed.
const MARKS: [char; 3] = [' ', '*', '-'];

/// Returns the table from the first column of a resource on; `None` if it is not a built-in kind.
fn section(resource: &GroupVersionResource) -> Option<&'static str> {
    let GroupVersionResource { group, resource, .. } = resource;
    let name = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
    let mut rest = TABLE;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.starts_with(MARKS) && line.split(' ').any(|known| known == name) {
            return Some(after);
        }
        rest = after;
    }
    None
}

/// Parses lines of the table into columns, up to the first line that is not a column that kubectl prints.
fn lines(namespaced: bool, lines: &'static str) -> Vec<Rc<Column>> {
    let mut columns = Vec::new();
    if namespaced {
        columns.extend(Column::parse(false, "Namespace").map(Rc::new));
    }
    for line in lines.lines() {
        let Some((mark @ (" " | "*"), line)) = line.split_at_checked(1) else { break };
        columns.extend(Column::parse(mark == "*", line).map(Rc::new));
    }
    columns
}

/// Columns of a resource, for printing objects without a view.
///
/// ```
/// use informer_engine::columns::{Cell, Columns};
///
/// let columns = Columns::of(&"v1/namespaces".parse()?, false);
/// let cells = columns.cells(r#"{"metadata":{"name":"shop"},"status":{"phase":"Active"}}"#);
/// assert_eq!(cells, [Cell::Text("shop".into()), Cell::Text("Active".into()), Cell::None]);
/// # Ok::<(), informer::InformerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Columns(Vec<Rc<Column>>);

impl Columns {
    /// Returns the columns that `kubectl get -o wide` prints for a resource: name and age if it is not a built-in one.
    /// The namespace comes first if the resource is `namespaced`, except for built-in cluster-scoped resources.
    pub fn of(resource: &GroupVersionResource, namespaced: bool) -> Self {
        Self(columns_of(resource, namespaced))
    }

    /// Returns the columns of a version of a custom resource, from the JSON of its `CustomResourceDefinition`: its
    /// `additionalPrinterColumns`, or name and age if it has none. `None` if the definition lacks this version.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_custom_resource(definition: &str, version: &str) -> Option<Self> {
        printer_columns(&Outline::of(Json::new(definition)), version).map(Self)
    }

    /// Returns the headers of the columns.
    pub fn headers(&self) -> Vec<ColumnHeader> {
        self.0.iter().map(|column| column.header()).collect()
    }

    /// Computes the cells of an object from its JSON, one for each column.
    pub fn cells(&self, object: &str) -> Vec<Cell> {
        let object = Outline::of(Json::new(object));
        let subject = Subject::of(&object);
        self.0.iter().map(|column| column.cell(&subject)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the column lines of the table, each with its resources.
    fn lines() -> Vec<(&'static str, &'static str)> {
        let mut resource = "";
        let mut lines = Vec::new();
        for line in TABLE.lines().skip(1) {
            match line.strip_prefix(MARKS) {
                Some(column) => lines.push((resource, column)),
                None => resource = line,
            }
        }
        lines
    }

    #[test]
    fn cluster_scoped_kind_has_no_namespace_column() {
        for (resource, first) in [
            ("v1/nodes", "Name"),
            ("v1/persistentvolumes", "Name"),
            ("apiextensions.k8s.io/v1/customresourcedefinitions", "Name"),
            ("admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", "Name"),
            ("v1/pods", "Namespace"),
            ("example.dev/v1/nodes", "Namespace"),
        ] {
            let columns = columns_of(&resource.parse().expect("a resource"), true);
            assert_eq!(columns[0].header().name, first, "{resource}");
        }
    }

    #[test]
    fn every_line_of_the_table_is_understood() {
        assert!(lines().len() > 200, "the table is read");
        for (resource, line) in lines() {
            let column = Column::parse(false, line).unwrap_or_else(|| panic!("{resource}: {line}"));
            let Source::BuiltIn(.., arguments) = column.source else { panic!("{line}") };
            assert!(!arguments.contains("  ") && !line.ends_with(' '), "{resource}: {line}");
        }
    }
}
