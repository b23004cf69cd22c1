//! What a table shows of an object: the columns that `kubectl get` prints, per kind.
//!
//! Cells are read from an object's outline, each with as few looks at it as may be: they may be wanted of every object
//! that comes in.

mod batch;
mod cluster;
mod pod;
mod workload;

use std::borrow::Cow;

use informer_packing::{Json, Outline};
use serde::{Deserialize, Serialize};

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
    cell: fn(&Outline<'_>) -> Cell,
}

impl Column {
    const fn text(name: &'static str, cell: fn(&Outline<'_>) -> Cell) -> Self {
        Self { name, wide: false, numeric: false, cell }
    }

    const fn number(name: &'static str, cell: fn(&Outline<'_>) -> Cell) -> Self {
        Self { name, wide: false, numeric: true, cell }
    }

    const fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    pub(crate) fn header(&self) -> ColumnHeader {
        ColumnHeader { name: self.name.to_owned(), wide: self.wide, numeric: self.numeric }
    }

    pub(crate) fn cell(&self, object: &Outline<'_>) -> Cell {
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
fn text(object: &Outline<'_>, pointer: &str) -> Cell {
    let Some(value) = object.pointer(pointer) else { return Cell::None };
    match (value.as_str(), value.as_bool(), value.as_f64()) {
        (Some(text), ..) if !text.is_empty() => Cell::Text(text.into_owned()),
        (_, Some(value), _) => Cell::Text(if value { "True" } else { "False" }.to_owned()),
        (.., Some(_)) => Cell::Text(value.text().to_owned()),
        _ => Cell::None,
    }
}

/// The number at a JSON pointer; 0 where the field is left out, as Go's zero value.
fn number(object: &Outline<'_>, pointer: &str) -> Cell {
    Cell::Number(object.pointer(pointer).and_then(Json::as_f64).unwrap_or(0.0))
}

/// The moment at a JSON pointer.
fn time(object: &Outline<'_>, pointer: &str) -> Cell {
    object.pointer(pointer).and_then(moment).map_or(Cell::None, Cell::Time)
}

fn moment(value: Json<'_>) -> Option<f64> {
    crate::time::parse_rfc3339(&value.as_str()?)
}

/// The elements at a JSON pointer, none where there is no array.
fn items<'j>(object: &Outline<'j>, pointer: &str) -> impl Iterator<Item = Json<'j>> {
    object.pointer(pointer).into_iter().flat_map(Json::items)
}

/// How many keys the object at a JSON pointer has.
fn entries(object: &Outline<'_>, pointer: &str) -> usize {
    object.pointer(pointer).map_or(0, |map| map.members().count())
}

/// The text at a JSON pointer, empty where there is none.
fn str_of<'j>(object: &Outline<'j>, pointer: &str) -> Cow<'j, str> {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

/// The same of what is in an object.
fn str_in<'j>(value: Json<'j>, pointer: &str) -> Cow<'j, str> {
    value.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

fn count(object: &Outline<'_>, pointer: &str) -> u64 {
    object.pointer(pointer).and_then(Json::as_u64).unwrap_or(0)
}

/// The same of what is in an object.
fn count_in(value: Json<'_>, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Json::as_u64).unwrap_or(0)
}

fn is_true(value: Json<'_>, field: &str) -> bool {
    value.get(field).and_then(Json::as_bool) == Some(true)
}

/// `ready/wanted`, as kubectl prints it.
fn ratio(part: u64, whole: u64) -> Cell {
    Cell::Text(format!("{part}/{whole}"))
}

/// A field of the condition of a type: its status is `True`, `False`, `Unknown`; nothing where there is none.
fn condition<'j>(object: &Outline<'j>, kind: &str, field: &str) -> Cow<'j, str> {
    items(object, "/status/conditions")
        .find(|c| str_in(*c, "/type") == kind)
        .map_or(Cow::Borrowed(""), |c| str_in(c, field))
}

/// Joins what is there; nothing where nothing is.
fn joined<'a>(parts: impl Iterator<Item = Cow<'a, str>>) -> Cell {
    let mut text = String::new();
    for part in parts.filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&part);
    }
    if text.is_empty() { Cell::None } else { Cell::Text(text) }
}
