//! Model of a view in a page: patches are applied, and the result must equal a sort of all objects.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use informer_engine::columns::Cell;
use informer_engine::message::{FromEngine, ViewOptions};

use crate::delivered::key_of;
use crate::pod_history::State;
use crate::store::{Key, Pod};

/// Index of the column that shows a pod's status, which names its version.
const STATUS_COLUMN: usize = 3;

/// Row of a page: key, uid, status.
type Row = (String, String, String);

pub(crate) struct ViewModel {
    pub(crate) informer: u8,
    pub(crate) options: ViewOptions,
    rows: BTreeMap<usize, Row>,
    total: Option<usize>,
    window: (usize, usize),
    revision: u64,
    columns: bool,
}

impl ViewModel {
    pub(crate) fn new(informer: u8, options: ViewOptions) -> Self {
        Self { informer, options, rows: BTreeMap::new(), total: None, window: (0, 0), revision: 0, columns: false }
    }

    /// Applies a message about this view.
    pub(crate) fn apply(&mut self, message: FromEngine) -> Result<(), String> {
        match message {
            FromEngine::Columns { columns, .. } => {
                let status = columns.get(STATUS_COLUMN).map(|column| column.name.clone());
                self.columns = true;
                if status.as_deref() == Some("Status") { Ok(()) } else { Err(format!("column {status:?}")) }
            }
            FromEngine::QueryResult { query_id: 1, rejection: None, .. } if self.columns && self.revision == 0 => {
                Ok(())
            }
            FromEngine::View { query_id: 1, revision, total, start, end, rows, .. } => {
                if !self.columns || revision != self.revision + 1 || start > end || end > total {
                    return Err(format!(
                        "revision {revision} after {}, window {start}..{end} of {total}",
                        self.revision
                    ));
                }
                (self.revision, self.total, self.window) = (revision, Some(total), (start, end));
                self.rows.retain(|index, _| (start..end).contains(index));
                for row in rows {
                    let Some(Cell::Text(status)) = row.cells.get(STATUS_COLUMN) else {
                        return Err(format!("the status of {} is {:?}", row.key, row.cells.get(STATUS_COLUMN)));
                    };
                    self.rows.insert(row.index, (row.key, row.uid, status.clone()));
                }
                if self.rows.keys().copied().eq(start..end) { Ok(()) } else { Err("rows are missing".to_owned()) }
            }
            other => Err(format!("not a message of a view: {other:?}")),
        }
    }

    /// Returns a difference between the page and these pods, which are all of the informer's.
    pub(crate) fn diverged<'a>(&self, pods: impl Iterator<Item = &'a Rc<Pod>>) -> Option<String> {
        let filter = self.options.filter.to_lowercase();
        let mut expected: Vec<&Rc<Pod>> = pods.filter(|pod| pod.key.to_string().contains(&filter)).collect();
        expected.sort_by(|a, b| self.compare(a, b));
        let total = expected.len();
        let (start, end) = (self.options.start.min(total), self.options.end.max(self.options.start).min(total));
        let shown = |pod: &Pod| (pod.key.to_string(), format!("u{}", pod.uid), format!("v{}", pod.version));
        let rows: BTreeMap<usize, Row> = (start..end).map(|index| (index, shown(expected[index]))).collect();
        if self.total == Some(total) && self.rows == rows {
            return None;
        }
        Some(format!("shows {:?} of {:?}, not {rows:?} of {total}", self.rows, self.total))
    }

    /// Returns the shown rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Key, State)> {
        self.rows.values().filter_map(|(key, uid, status)| {
            let (namespace, name) = key.split_once('/')?;
            let number = |text: &str| text.get(1..)?.parse::<u64>().ok();
            let state = State { uid: u32::try_from(number(uid)?).ok()?, version: number(status)? };
            Some((key_of(namespace, name)?, state))
        })
    }

    fn compare(&self, a: &Pod, b: &Pod) -> Ordering {
        let by_key = (a.key.namespace, a.key.number).cmp(&(b.key.namespace, b.key.number));
        let ordering = self.options.order_by.iter().fold(Ordering::Equal, |ordering, by| {
            let ordering_of = match by.column.as_str() {
                "Namespace" => a.key.namespace.cmp(&b.key.namespace),
                "Name" => a.key.number.cmp(&b.key.number),
                "Age" => b.created.cmp(&a.created),
                _ => Ordering::Equal,
            };
            ordering.then(if by.descending { ordering_of.reverse() } else { ordering_of })
        });
        ordering.then(by_key)
    }
}
