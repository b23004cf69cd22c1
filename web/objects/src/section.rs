//! Sections of a summary, as plain data.

use serde_json::Value;

use crate::field::Fields;
use crate::link::Link;

/// Tone of a value. A UI shows it by a mark and weight besides colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Ok,
    /// In progress, or worth attention.
    Warn,
    /// Broken.
    Bad,
    /// Done, or switched off.
    Idle,
}

/// Value: text, with its tone, time and link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The text. It contains unchanged text of the cluster: display it with invisible characters escaped.
    pub text: String,
    /// Tone, if the value is a state.
    pub tone: Option<Tone>,
    /// The object that it names.
    pub link: Option<Link>,
    /// A moment that the UI shows as an age, after the text; in milliseconds since 1970.
    pub time: Option<f64>,
}

impl Cell {
    /// A text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A text with a tone.
    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone: Some(tone), ..Self::default() }
    }

    /// The name of another object.
    pub(crate) fn link(link: Link) -> Self {
        Self { text: link.name.clone(), link: Some(link), ..Self::default() }
    }

    /// Kind and name of another object: `Deployment web`.
    pub(crate) fn kind_link(link: Link) -> Self {
        Self { text: format!("{} {}", link.kind, link.name), link: Some(link), ..Self::default() }
    }

    /// A moment; no text if it is missing.
    pub(crate) fn time(moment: Option<f64>) -> Self {
        Self { time: moment, ..Self::default() }
    }

    /// The same with a moment.
    pub(crate) fn at(self, moment: Option<f64>) -> Self {
        Self { time: moment, ..self }
    }

    /// The same with a tone, if there is one.
    pub(crate) fn with_tone(self, tone: Option<Tone>) -> Self {
        Self { tone, ..self }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.time.is_none()
    }
}

/// A label and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The label: `Service account`.
    pub label: String,
    /// One value, or several.
    pub values: Vec<Cell>,
}

/// Content of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Labels and values.
    Facts(Vec<Fact>),
    /// A table.
    Table {
        /// Column headings.
        columns: Vec<&'static str>,
        /// Rows, each with a cell for each column.
        rows: Vec<Vec<Cell>>,
    },
}

/// A part of a summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// Contents. Never empty.
    pub body: Body,
}

/// Builder of facts, without those that have no value.
#[derive(Default)]
pub(crate) struct Facts(Vec<Fact>);

impl Facts {
    /// A text, unless it is empty.
    pub(crate) fn text(&mut self, label: &str, text: impl Into<String>) {
        self.cell(label, Cell::text(text));
    }

    /// Adds the text, number or boolean of a field, if it exists.
    pub(crate) fn field(&mut self, label: &str, object: &Value, path: &str) {
        self.text(label, scalar(object.at(path)));
    }

    /// A value, unless it is empty.
    pub(crate) fn cell(&mut self, label: &str, cell: Cell) {
        self.cells(label, vec![cell]);
    }

    /// Several values, unless all are empty.
    pub(crate) fn cells(&mut self, label: &str, values: impl IntoIterator<Item = Cell>) {
        let values: Vec<Cell> = values.into_iter().filter(|cell| !cell.is_empty()).collect();
        if !values.is_empty() {
            self.0.push(Fact { label: label.to_owned(), values });
        }
    }

    /// Adds a time, if it exists.
    pub(crate) fn time(&mut self, label: &str, object: &Value, path: &str) {
        self.cell(label, Cell::time(object.moment(path)));
    }
}

/// Builder of sections, without empty ones.
#[derive(Default)]
pub(crate) struct Sections(pub(crate) Vec<Section>);

impl Sections {
    /// Facts, unless there are none.
    pub(crate) fn facts(&mut self, title: &str, facts: Facts) {
        if !facts.0.is_empty() {
            self.0.push(Section { title: title.to_owned(), body: Body::Facts(facts.0) });
        }
    }

    /// A table, unless it has no rows.
    pub(crate) fn table(&mut self, title: &str, columns: &[&'static str], rows: Vec<Vec<Cell>>) {
        debug_assert!(rows.iter().all(|row| row.len() == columns.len()), "{title}: a cell for each column");
        if !rows.is_empty() {
            self.0.push(Section { title: title.to_owned(), body: Body::Table { columns: columns.to_vec(), rows } });
        }
    }
}

/// A scalar as text; empty for lists, objects and null.
pub(crate) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => String::new(),
    }
}
