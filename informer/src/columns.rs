//! What a table shows of an object: the columns that `kubectl get` prints, per kind.
//!
//! Cells are taken from an object's JSON only when its row is in sight, so their cost does not grow with the cluster.

mod batch;
mod cluster;
mod pod;
mod workload;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resource::GroupVersionResource;

/// One value in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cell {
    /// Text, as it is; hostile text included, so it must stay text on the page.
    Text(String),
    /// A count.
    Number(f64),
    /// A moment, milliseconds since the Unix epoch; shown as an age that is computed when it is painted.
    Time(f64),
    /// A sum, and the moment of its last increase: kubectl's `3 (5m ago)`.
    Restarts(f64, Option<f64>),
    /// The object does not say.
    None,
}

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
pub(crate) struct Column {
    name: &'static str,
    wide: bool,
    numeric: bool,
    cell: fn(&Value) -> Cell,
}

impl Column {
    const fn text(name: &'static str, cell: fn(&Value) -> Cell) -> Self {
        Self { name, wide: false, numeric: false, cell }
    }

    const fn number(name: &'static str, cell: fn(&Value) -> Cell) -> Self {
        Self { name, wide: false, numeric: true, cell }
    }

    const fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    pub(crate) fn header(&self) -> ColumnHeader {
        ColumnHeader { name: self.name.to_owned(), wide: self.wide, numeric: self.numeric }
    }

    pub(crate) fn cell(&self, object: &Value) -> Cell {
        (self.cell)(object)
    }
}

const NAMESPACE: Column = Column::text("Namespace", |o| text(o, "/metadata/namespace"));
const NAME: Column = Column::text("Name", |o| text(o, "/metadata/name"));
const AGE: Column = Column::text("Age", |o| time(o, "/metadata/creationTimestamp"));

/// The columns of a resource: namespace (where it has one) and name first, age last but for the wide ones.
pub(crate) fn columns_of(resource: &GroupVersionResource, namespaced: bool) -> Vec<&'static Column> {
    static FIRST: [Column; 2] = [NAMESPACE, NAME];
    static LAST: [Column; 1] = [AGE];
    let own: &'static [Column] = match (resource.group.as_str(), resource.resource.as_str()) {
        ("", "pods") => &pod::COLUMNS,
        ("apps", "deployments") => &workload::DEPLOYMENT,
        ("apps", "replicasets") => &workload::REPLICA_SET,
        ("apps", "statefulsets") => &workload::STATEFUL_SET,
        ("apps", "daemonsets") => &workload::DAEMON_SET,
        ("batch", "jobs") => &batch::JOB,
        ("batch", "cronjobs") => &batch::CRON_JOB,
        ("", "nodes") => &cluster::NODE,
        ("", "namespaces") => &cluster::NAMESPACE,
        ("", "services") => &cluster::SERVICE,
        ("", "events") => &cluster::EVENT,
        ("", "configmaps") => &cluster::CONFIG_MAP,
        ("", "secrets") => &cluster::SECRET,
        _ => &[],
    };
    let first = if namespaced { &FIRST[..] } else { &FIRST[1..] };
    let narrow = own.iter().filter(|c| !c.wide);
    let wide = own.iter().filter(|c| c.wide);
    first.iter().chain(narrow).chain(&LAST).chain(wide).collect()
}

/// The text at a JSON pointer.
fn text(object: &Value, pointer: &str) -> Cell {
    match object.pointer(pointer) {
        Some(Value::String(text)) if !text.is_empty() => Cell::Text(text.clone()),
        Some(Value::Bool(value)) => Cell::Text(if *value { "True" } else { "False" }.to_owned()),
        Some(Value::Number(number)) => Cell::Text(number.to_string()),
        _ => Cell::None,
    }
}

/// The number at a JSON pointer; 0 where the field is left out, as Go's zero value.
fn number(object: &Value, pointer: &str) -> Cell {
    Cell::Number(object.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0))
}

/// The moment at a JSON pointer.
fn time(object: &Value, pointer: &str) -> Cell {
    object.pointer(pointer).and_then(Value::as_str).and_then(crate::time::parse_rfc3339).map_or(Cell::None, Cell::Time)
}

/// The array at a JSON pointer, empty where there is none.
fn items<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// How many keys the object at a field has.
fn entries(object: &Value, field: &str) -> usize {
    object.get(field).and_then(Value::as_object).map_or(0, serde_json::Map::len)
}

fn str_of<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn count(object: &Value, pointer: &str) -> u64 {
    object.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// `ready/wanted`, as kubectl prints it.
fn ratio(part: u64, whole: u64) -> Cell {
    Cell::Text(format!("{part}/{whole}"))
}

/// The status of a condition: `True`, `False`, `Unknown`, or nothing.
fn condition<'a>(object: &'a Value, kind: &str) -> &'a str {
    let of_kind = |c: &&Value| str_of(c, "/type") == kind;
    items(object, "/status/conditions").iter().find(of_kind).map_or("", |c| str_of(c, "/status"))
}

/// Joins what is there; nothing where nothing is.
fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> Cell {
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { Cell::None } else { Cell::Text(parts.join(",")) }
}
