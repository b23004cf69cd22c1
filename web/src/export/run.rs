//! Run of an export: reads the rows, then the objects if the format needs them, and writes the file.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::file::File;
use super::rows::Portion;
use super::{MAX_ROWS, csv, objects, rows};
use crate::clipboard;
use crate::cluster::Informer;
use crate::loading::ColumnTools;
use crate::rows::Row;
use crate::yaml::{Printing, Yaml, is_secret, masked, to_text};

/// Format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Json,
    Yaml,
    Names,
}

impl Format {
    pub(super) const ALL: [Self; 4] = [Self::Csv, Self::Json, Self::Yaml, Self::Names];

    /// Label of the format.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Csv => "CSV: the shown columns",
            Self::Json => "JSON: a list of the objects",
            Self::Yaml => "YAML: the objects",
            Self::Names => "Names: kind/name, one a line",
        }
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Names => "txt",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv;charset=utf-8",
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Names => "text/plain;charset=utf-8",
        }
    }

    fn has_objects(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }
}

/// Destination of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    File,
    Clipboard,
}

/// State of an export.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExportState {
    Idle,
    /// Number of rows that are done, and of all rows.
    Running(usize, usize),
    Cancelled,
    Done(usize, Target),
    Failed(String),
}

/// Read in progress. Dropping it ends the read.
#[derive(Default)]
enum ReadStep {
    #[default]
    None,
    Rows(#[expect(dead_code, reason = "dropped when the step ends")] rows::RowReader),
    Objects(#[expect(dead_code, reason = "dropped when the step ends")] objects::ObjectReader),
}

/// Export of a dialog. Copies share their state; it ends with the dialog.
#[derive(Clone, Copy)]
pub(super) struct ExportJob {
    tools: ColumnTools,
    state: RwSignal<ExportState>,
    step: StoredValue<ReadStep, LocalStorage>,
}

/// An export that runs.
struct RunningExport {
    informer: Informer,
    format: Format,
    target: Target,
    file: File,
    /// Keys of the rows.
    keys: RefCell<Vec<String>>,
    /// Index of each shown column's cell.
    cells: Vec<usize>,
    /// Plural of the kind and its group, as `kubectl` names it.
    resource: String,
    is_secret: bool,
    name: String,
}

impl ExportJob {
    pub(super) fn new(tools: ColumnTools) -> Self {
        Self { tools, state: RwSignal::new(ExportState::Idle), step: StoredValue::new_local(ReadStep::None) }
    }

    pub(super) fn state(self) -> ExportState {
        self.state.get()
    }

    pub(super) fn is_running(self) -> bool {
        self.state.with(|state| matches!(state, ExportState::Running(..)))
    }

    /// Ends the export.
    pub(super) fn cancel(self) {
        self.step.set_value(ReadStep::None);
        self.state.set(ExportState::Cancelled);
    }

    /// Starts an export of these keys, or of all rows that match.
    pub(super) fn start(self, marked: Option<Vec<String>>, format: Format, target: Target) {
        let Some(informer) = self.tools.source.informer.get_untracked() else { return };
        let resource = self.tools.navigator.resource.get_untracked();
        let group = if resource.group.is_empty() { String::new() } else { [".", &resource.group].concat() };
        let (headers, cells) = self.tools.shown.with_untracked(|shown| {
            let header = |column: &crate::table::columns::ShownColumn| (column.header.name.clone(), column.cell);
            shown.columns.iter().filter(|column| column.usage.is_none()).map(header).unzip::<_, _, Vec<_>, Vec<_>>()
        });
        let name = format!("{}.{}", resource.resource, format.extension());
        let is_secret = is_secret(&resource);
        let resource = [&*resource.resource, &group].concat();
        let run = RunningExport {
            informer,
            format,
            target,
            file: File::new(),
            keys: RefCell::default(),
            cells,
            resource,
            is_secret,
            name,
        };
        match format {
            Format::Csv => run.file.push(&csv::record(headers.into_iter())),
            Format::Json => run.file.push("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{},\"items\":["),
            Format::Yaml | Format::Names => {}
        }
        let run = Rc::new(run);
        let total = marked.as_ref().map_or_else(
            || self.tools.state.totals.with_untracked(|totals| totals.map_or(0, |totals| totals.total)),
            Vec::len,
        );
        self.state.set(ExportState::Running(0, total.min(MAX_ROWS)));
        match marked {
            // The cells are those of a view.
            Some(keys) if format == Format::Csv => self.read_rows(run, Some(keys)),
            Some(keys) => {
                run.keys.replace(keys);
                self.after_rows(&run);
            }
            None => self.read_rows(run, None),
        }
    }

    fn read_rows(self, run: Rc<RunningExport>, only: Option<Vec<String>>) {
        // A marked row may match the filter no more.
        let mut query = self.tools.model.query();
        if only.is_some() {
            query.filter.clear();
            query.namespaces.clear();
        }
        let (informer, limit) = (run.informer.clone(), if only.is_some() { usize::MAX } else { MAX_ROWS });
        let reader = rows::read(&informer, &query, limit, move |portion| match portion {
            Portion::Rows(mut rows, total) => {
                if let Some(keys) = &only {
                    rows.retain(|row| keys.binary_search(&row.key).is_ok());
                }
                run.write_rows(&rows);
                let done = run.keys.borrow().len();
                self.state.set(ExportState::Running(done, only.as_ref().map_or(total.min(MAX_ROWS), Vec::len)));
            }
            Portion::End => self.after_rows(&run),
            Portion::Invalid => {
                self.state.set(ExportState::Failed("The filter is invalid. Correct it, then export again.".to_owned()));
            }
        });
        self.step.set_value(ReadStep::Rows(reader));
    }

    /// Reads the objects if the format has any.
    fn after_rows(self, run: &Rc<RunningExport>) {
        if run.format.has_objects() {
            self.read_objects(run, 0, 0);
        } else {
            if run.format == Format::Names {
                run.write_names();
            }
            self.finish(run, run.keys.borrow().len());
        }
    }

    /// Reads a portion of the objects, then the next one. `written` is the number of objects written before.
    fn read_objects(self, run: &Rc<RunningExport>, from: usize, written: usize) {
        let keys = run.keys.borrow();
        let portion = &keys[from..(from + objects::PORTION).min(keys.len())];
        self.state.set(ExportState::Running(from, keys.len()));
        if portion.is_empty() {
            if run.format == Format::Json {
                run.file.push("]}\n");
            }
            drop(keys);
            return self.finish(run, written);
        }
        let (next, running) = (from + portion.len(), Rc::clone(run));
        let reader = objects::read(&run.informer, portion, move |texts| {
            running.write_objects(&texts, written);
            let written = written + texts.len();
            // Not at once: this step is being ended.
            spawn_local(async move {
                if self.state.try_with_untracked(|state| matches!(state, ExportState::Running(..))) == Some(true) {
                    self.read_objects(&running, next, written);
                }
            });
        });
        drop(keys);
        self.step.set_value(ReadStep::Objects(reader));
    }

    fn finish(self, run: &Rc<RunningExport>, count: usize) {
        let run = Rc::clone(run);
        spawn_local(async move {
            let result = match run.target {
                Target::File => run
                    .file
                    .save(&run.name, run.format.media_type())
                    .map_err(|_| "The browser did not save the file.".to_owned()),
                Target::Clipboard => match run.file.text().await {
                    Ok(text) if clipboard::write(&text).await => Ok(()),
                    Ok(_) => Err(clipboard::FAILED.to_owned()),
                    Err(error) => Err(error),
                },
            };
            self.step.try_set_value(ReadStep::None);
            self.state.try_set(result.map_or_else(ExportState::Failed, |()| ExportState::Done(count, run.target)));
        });
    }
}

impl RunningExport {
    /// Writes rows, or keeps their keys for later.
    fn write_rows(&self, rows: &[Row]) {
        self.keys.borrow_mut().extend(rows.iter().map(|row| row.key.clone()));
        if self.format == Format::Csv {
            let now = js_sys::Date::now();
            let record = |row: &Row| csv::record(self.cells.iter().map(|at| csv::text_of(row.cells.get(*at), now)));
            self.file.push(&rows.iter().map(record).collect::<String>());
        }
    }

    /// `pods/web -n shop`, which can be pasted after a command of kubectl.
    fn write_names(&self) {
        let line = |key: &String| match key.split_once('/') {
            Some((namespace, name)) => format!("{}/{name} -n {namespace}\n", self.resource),
            None => format!("{}/{key}\n", self.resource),
        };
        self.file.push(&self.keys.borrow().iter().map(line).collect::<String>());
    }

    fn write_objects(&self, texts: &[String], before: usize) {
        let printing = Printing { is_secret: self.is_secret, ..Printing::default() };
        let mut part = String::new();
        for (at, text) in texts.iter().enumerate() {
            if self.format == Format::Yaml {
                part.push_str("---\n");
                // The engine delivers valid JSON only.
                part.push_str(
                    &Yaml::of(text, &printing).map_or_else(|error| format!("# {error}\n"), |yaml| to_text(&yaml.body)),
                );
            } else {
                part.push_str(if before + at == 0 { "\n" } else { ",\n" });
                if self.is_secret { part.push_str(&masked(text)) } else { part.push_str(text) }
            }
        }
        self.file.push(&part);
    }
}
