//! Columns: what `kubectl get` prints of an object, per kind.
//!
//! Cells are computed from an object's outline with as few reads as possible, because they may be needed for every object that
//! arrives.

mod age;
mod batch;
mod event;
mod measure;
mod metrics;
mod network;
mod node;
mod pod;
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
pub(crate) use measure::Measure;
use printer_columns::PrinterColumn;
pub(crate) use printer_columns::printer_columns;
use projection::Projection;
pub use scope::is_cluster_scoped;
pub(crate) use subject::Subject;
use table::TABLE;

/// The head of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnHeader {
    /// As kubectl prints it, in title case.
    pub name: String,
    /// Whether kubectl shows it only with `-o wide`.
    pub wide: bool,
    /// Whether its cells are numbers, and so line up at their end.
    pub numeric: bool,
}

/// A column: its head, and how to take its cell from an object.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    name: Cow<'static, str>,
    wide: bool,
    source: Source,
}

/// The columns of a view.
pub(crate) type ViewColumns = Vec<Rc<Column>>;

/// Where cells come from.
#[derive(Clone, Debug)]
enum Source {
    /// The table of the well-known kinds: what a word of it does and gives, and its arguments.
    Known(Projection, Measure, &'static str),
    /// What a custom resource says of itself.
    Printer(PrinterColumn),
}

impl Column {
    pub(crate) fn header(&self) -> ColumnHeader {
        let numeric = self.measure() == Measure::Number;
        ColumnHeader { name: self.name.clone().into_owned(), wide: self.wide, numeric }
    }

    /// What its cells are.
    pub(crate) fn measure(&self) -> Measure {
        match &self.source {
            Source::Known(_, measure, _) => *measure,
            Source::Printer(column) => column.measure(),
        }
    }

    /// Whether it shows what its name says: all of the well-known kinds do; of what a custom resource says of itself, the
    /// age that nearly all have.
    pub(crate) fn is_ours(&self) -> bool {
        match &self.source {
            Source::Known(..) => true,
            Source::Printer(column) => self.name == "Age" && column.is_age(),
        }
    }

    /// Its cell of an object.
    pub(crate) fn cell(&self, object: &Subject<'_, '_>) -> Cell {
        match &self.source {
            Source::Known(projection, _, arguments) => projection(object, arguments),
            Source::Printer(column) => column.cell(object.outline()),
        }
    }

    /// A line of the table after its mark: `Ready: ratio /status/ready /spec/wanted`.
    fn parse(wide: bool, line: &'static str) -> Option<Self> {
        let (name, does) = line.split_once(": ").unwrap_or((
            line,
            match line {
                "Namespace" => "text /metadata/namespace",
                "Name" => "text /metadata/name",
                "Age" => "time /metadata/creationTimestamp",
                _ => "",
            },
        ));
        let (word, arguments) = does.split_once(' ').unwrap_or((does, ""));
        let (projection, measure) = projection::find(word)?;
        Some(Self { name: Cow::Borrowed(name), wide, source: Source::Known(projection, measure, arguments) })
    }
}

/// The cells that objects carry. A type of its own, as both [`ReadCells`] and `Vec` belong to other crates.
#[derive(Debug)]
struct CarriedCells(Vec<Rc<Column>>);

impl ReadCells for CarriedCells {
    fn cells(&self, object: &Outline<'_>) -> Vec<Cell> {
        let subject = Subject::of(object);
        self.0.iter().map(|column| column.cell(&subject)).collect()
    }
}

/// What objects of a resource carry: the cells of its columns, but for the namespace, which they have anyhow.
pub(crate) fn carried(resource: &GroupVersionResource) -> Box<dyn ReadCells> {
    Box::new(CarriedCells(columns_of(resource, false)))
}

/// The columns of a resource, in kubectl's order: namespace (where it has one) first, and of a kind that kubectl does not
/// know, name and age. What is wide stands among the others where kubectl has it so. `namespaced` is what is known of a
/// resource; those of Kubernetes that are in no namespace never have one.
pub(crate) fn columns_of(resource: &GroupVersionResource, namespaced: bool) -> Vec<Rc<Column>> {
    let unknown = || lines(namespaced && !is_cluster_scoped(resource), " Name\n Age");
    well_known(resource, namespaced).unwrap_or_else(unknown)
}

/// The same of a kind that kubectl knows; `None` of others.
pub(crate) fn well_known(resource: &GroupVersionResource, namespaced: bool) -> Option<Vec<Rc<Column>>> {
    let namespaced = namespaced && !is_cluster_scoped(resource);
    let GroupVersionResource { group, resource, .. } = resource;
    let name = if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") };
    let is_column = |line: &str| line.starts_with([' ', '*']);
    let mut rest = TABLE;
    while let Some((line, after)) = rest.split_once('\n') {
        if !is_column(line) && line.split(' ').any(|known| known == name) {
            return Some(lines(namespaced, after));
        }
        rest = after;
    }
    None
}

/// The columns of some lines of the table, up to one that is none.
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

/// The columns of a resource, for who prints objects without a view of them.
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
    /// What `kubectl get -o wide` prints of a resource; of one that is not among the well-known ones name and age. Before
    /// them stands the namespace if the resource is `namespaced`, unless it is one of Kubernetes that is in none.
    pub fn of(resource: &GroupVersionResource, namespaced: bool) -> Self {
        Self(columns_of(resource, namespaced))
    }

    /// The columns of a version of a custom resource, by the JSON of its `CustomResourceDefinition`: the
    /// `additionalPrinterColumns`, else name and age. `None` when it has no such version.
    pub fn of_custom_resource(definition: &str, version: &str) -> Option<Self> {
        printer_columns(&Outline::of(Json::new(definition)), version).map(Self)
    }

    /// The heads of the columns.
    pub fn headers(&self) -> Vec<ColumnHeader> {
        self.0.iter().map(|column| column.header()).collect()
    }

    /// The cells of an object, by its JSON; one for each column.
    pub fn cells(&self, object: &str) -> Vec<Cell> {
        let object = Outline::of(Json::new(object));
        let subject = Subject::of(&object);
        self.0.iter().map(|column| column.cell(&subject)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line of the table that is a column, with the resources that it belongs to.
    fn lines() -> Vec<(&'static str, &'static str)> {
        let mut resource = "";
        let mut lines = Vec::new();
        for line in TABLE.lines().skip(1) {
            match line.strip_prefix([' ', '*']) {
                Some(column) => lines.push((resource, column)),
                None => resource = line,
            }
        }
        lines
    }

    #[test]
    fn what_is_in_no_namespace_has_no_column_of_it_whatever_is_said() {
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
            let Source::Known(.., arguments) = column.source else { panic!("{line}") };
            assert!(!arguments.contains("  ") && !line.ends_with(' '), "{resource}: {line}");
        }
    }
}
