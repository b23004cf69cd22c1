//! A sorted, filtered read of a cache, of which only a window is looked at.

mod natural;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use informer_packing::{Json, Outline};

use crate::columns::Column;
use crate::controller::{Change, ChangeBatch};
use crate::message::{OrderBy, Row, ViewOptions};
use crate::object::{Keyed, Object};

/// Beyond this many changes at once sorting everything is cheaper than placing one by one.
const SORT_WHOLE: usize = 512;

/// The rows of a view, kept in order as the cache changes, and what its reader has seen of them.
///
/// Placing a change is a binary search and a move of pointers: O(log n) comparisons. Cells are made for rows in sight
/// only.
pub(crate) struct View {
    filter: String,
    order: Vec<OrderBy>,
    namespaces: Vec<String>,
    window: (usize, usize),
    /// Everything that the informer holds.
    objects: HashMap<String, Arc<Object>>,
    of: usize,
    rows: Vec<Arc<Object>>,
    columns: Vec<Rc<Column>>,
    revision: u64,
    /// What the reader holds, by row index. An object that did not change is the same instance, also after a relist.
    sent: HashMap<usize, Arc<Object>>,
    sent_totals: Option<(usize, usize, bool)>,
    sent_window: (usize, usize),
}

/// What changed in a window: see [`crate::message::FromEngine::View`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewPatch {
    pub(crate) revision: u64,
    pub(crate) total: usize,
    pub(crate) of: usize,
    pub(crate) synced: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rows: Vec<Row>,
}

impl View {
    pub(crate) fn new(options: ViewOptions, columns: Vec<Rc<Column>>) -> Self {
        Self {
            filter: options.filter.to_lowercase(),
            order: options.order_by,
            namespaces: options.namespaces,
            window: (options.start, options.end.max(options.start)),
            objects: HashMap::new(),
            of: 0,
            rows: Vec::new(),
            columns,
            revision: 0,
            sent: HashMap::new(),
            sent_totals: None,
            sent_window: (0, 0),
        }
    }

    pub(crate) fn set_window(&mut self, start: usize, end: usize) {
        self.window = (start, end.max(start));
    }

    /// Takes another filter, order and namespaces. O(n log n).
    pub(crate) fn change(&mut self, filter: &str, order: Vec<OrderBy>, namespaces: Vec<String>) {
        (self.filter, self.order, self.namespaces) = (filter.to_lowercase(), order, namespaces);
        self.sort_whole();
    }

    /// Follows a batch of changes.
    pub(crate) fn apply(&mut self, batch: &ChangeBatch<Object>) {
        let whole = batch.changes.len() > SORT_WHOLE;
        for change in &batch.changes {
            let object = change.object();
            let before = match change {
                Change::Delete { .. } => self.objects.remove(object.key()),
                _ => self.objects.insert(object.key().to_owned(), Arc::clone(object)),
            };
            if whole {
                continue;
            }
            if let Some(before) = before {
                self.remove(&before);
            }
            if !matches!(change, Change::Delete { .. }) {
                self.insert(object);
            }
        }
        if whole {
            self.sort_whole();
        }
    }

    fn sort_whole(&mut self) {
        let in_scope = || self.objects.values().filter(|object| in_namespaces(&self.namespaces, object));
        self.of = in_scope().count();
        self.rows = in_scope().filter(|object| matches(&self.filter, object)).cloned().collect();
        self.rows.sort_unstable_by(|a, b| compare(&self.order, a, b));
    }

    fn insert(&mut self, object: &Arc<Object>) {
        if in_namespaces(&self.namespaces, object) {
            self.of += 1;
            if matches(&self.filter, object)
                && let Err(place) = self.place(object)
            {
                self.rows.insert(place, Arc::clone(object));
            }
        }
    }

    fn remove(&mut self, object: &Object) {
        if in_namespaces(&self.namespaces, object) {
            self.of -= 1;
            if let Ok(place) = self.place(object) {
                self.rows.remove(place);
            }
        }
    }

    fn place(&self, object: &Object) -> Result<usize, usize> {
        self.rows.binary_search_by(|row| compare(&self.order, row, object))
    }

    /// What the reader has not seen; `None` when it has seen everything. Before the first list is complete, having nothing
    /// is not news.
    pub(crate) fn patch(&mut self, synced: bool) -> Option<ViewPatch> {
        if !synced && self.of == 0 {
            return None;
        }
        let total = self.rows.len();
        let (start, end) = (self.window.0.min(total), self.window.1.min(total));
        self.sent.retain(|index, _| (start..end).contains(index));
        let mut rows = Vec::new();
        for index in start..end {
            let object = &self.rows[index];
            if self.sent.get(&index).is_some_and(|seen| Arc::ptr_eq(seen, object)) {
                continue;
            }
            self.sent.insert(index, Arc::clone(object));
            rows.push(self.row(index, object));
        }
        let totals = (total, self.of, synced);
        if rows.is_empty() && self.sent_totals == Some(totals) && self.sent_window == (start, end) {
            return None;
        }
        (self.sent_totals, self.sent_window) = (Some(totals), (start, end));
        self.revision += 1;
        Some(ViewPatch { revision: self.revision, total, of: self.of, synced, start, end, rows })
    }

    fn row(&self, index: usize, object: &Object) -> Row {
        let json = object.json();
        let body = Outline::of(Json::new(&json));
        let cells = self.columns.iter().map(|column| column.cell(&body)).collect();
        Row { index, key: object.key().to_owned(), uid: object.uid().to_owned(), cells, gone: false }
    }
}

fn in_namespaces(namespaces: &[String], object: &Object) -> bool {
    namespaces.is_empty() || namespaces.iter().any(|namespace| namespace == object.namespace())
}

fn matches(filter: &str, object: &Object) -> bool {
    filter.is_empty() || object.key().to_lowercase().contains(filter)
}

fn compare(order: &[OrderBy], a: &Object, b: &Object) -> Ordering {
    let by_name = || natural::compare(a.name(), b.name());
    for OrderBy { column, descending } in order {
        let ordering = match column.to_ascii_lowercase().as_str() {
            "namespace" => natural::compare(a.namespace(), b.namespace()),
            "name" => by_name(),
            "age" => b.created().total_cmp(&a.created()),
            _ => Ordering::Equal,
        };
        if ordering != Ordering::Equal {
            return if *descending { ordering.reverse() } else { ordering };
        }
    }
    natural::compare(a.namespace(), b.namespace()).then_with(by_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::KubeObject;
    use proptest::prelude::*;

    fn object(key: &str, version: u32, created: u32) -> Arc<Object> {
        let (namespace, name) = key.split_once('/').expect("namespaced");
        let json = format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}","resourceVersion":"{version}","creationTimestamp":"2026-01-01T00:00:{created:02}Z"}}}}"#
        );
        Arc::new(Object::from_json(&json, None).expect("valid"))
    }

    fn add(object: &Arc<Object>) -> Change<Object> {
        Change::Add { object: Arc::clone(object), is_in_initial_list: false }
    }

    fn batch(changes: Vec<Change<Object>>) -> ChangeBatch<Object> {
        ChangeBatch { changes, resource_version: String::new(), relist: false }
    }

    fn view(options: &ViewOptions) -> View {
        View::new(options.clone(), Vec::new())
    }

    fn window(start: usize, end: usize) -> ViewOptions {
        ViewOptions { start, end, ..ViewOptions::default() }
    }

    fn seen(patch: &ViewPatch) -> Vec<(usize, &str)> {
        patch.rows.iter().map(|row| (row.index, row.key.as_str())).collect()
    }

    #[test]
    fn a_patch_holds_only_what_changed_in_sight() {
        let mut view = view(&window(0, 2));
        assert_eq!(view.patch(true).map(|patch| patch.total), Some(0), "an empty view says that it is empty");
        assert_eq!(view.patch(true), None);
        let [b, c, d] = ["n/b", "n/c", "n/d"].map(|key| object(key, 1, 0));
        view.apply(&batch(vec![add(&c), add(&b), add(&d)]));
        let patch = view.patch(true).expect("rows");
        assert_eq!((seen(&patch), patch.total), (vec![(0, "n/b"), (1, "n/c")], 3));
        view.apply(&batch(vec![Change::Update { old: Arc::clone(&d), new: object("n/d", 2, 0) }]));
        assert_eq!(view.patch(true), None, "out of sight");
        view.apply(&batch(vec![Change::Update { old: Arc::clone(&c), new: object("n/c", 2, 0) }]));
        assert_eq!(seen(&view.patch(true).expect("in sight")), [(1, "n/c")]);
        view.apply(&batch(vec![Change::Delete { object: b, final_state_unknown: false }]));
        let patch = view.patch(true).expect("moved");
        assert_eq!((seen(&patch), patch.total, patch.revision), (vec![(0, "n/c"), (1, "n/d")], 2, 4));
        view.set_window(1, 5);
        assert_eq!(view.patch(true).map(|patch| (patch.start, patch.end, patch.rows.len())), Some((1, 2, 0)));
    }

    #[derive(Clone, Debug)]
    enum Op {
        Put(String, u32),
        Delete(String),
        Window(usize, usize),
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            6 => ("[ab]/p-(9|10|x)", 0u32..3).prop_map(|(key, created)| Op::Put(key, created)),
            2 => "[ab]/p-(9|10|x)".prop_map(Op::Delete),
            1 => (0usize..4, 0usize..6).prop_map(|(start, end)| Op::Window(start, end)),
        ]
    }

    fn column() -> impl Strategy<Value = &'static str> {
        prop_oneof![Just("Namespace"), Just("Name"), Just("age")]
    }

    proptest! {
        /// A page that applies every patch holds what sorting and filtering everything anew would show.
        #[test]
        fn patches_add_up_to_the_window(
            ops in prop::collection::vec(prop::collection::vec(op(), 0..5), 0..20),
            column in column(), descending in any::<bool>(), filter in "(|P-1|b/)",
        ) {
            let order_by = vec![OrderBy { column: column.into(), descending }];
            let mut view = view(&ViewOptions { filter: filter.clone(), order_by: order_by.clone(), end: 3, ..ViewOptions::default() });
            let mut model: HashMap<String, Arc<Object>> = HashMap::new();
            let mut page: HashMap<usize, (String, String)> = HashMap::new();
            let (mut version, mut bounds, mut total) = (0, (0, 3), 0);
            for step in ops {
                let mut changes = Vec::new();
                for op in step {
                    version += 1;
                    match op {
                        Op::Put(key, created) => {
                            let new = object(&key, version, created);
                            changes.push(match model.insert(key, Arc::clone(&new)) {
                                Some(old) => Change::Update { old, new },
                                None => add(&new),
                            });
                        }
                        Op::Delete(key) => {
                            if model.remove(&key).is_some() {
                                // The state in a deletion may differ from the cached one, even in what rows are sorted by.
                                let last = object(&key, version, version % 3);
                                changes.push(Change::Delete { object: last, final_state_unknown: false });
                            }
                        }
                        Op::Window(start, end) => {
                            bounds = (start, end.max(start));
                            view.set_window(start, end);
                        }
                    }
                }
                view.apply(&batch(changes));
                if let Some(patch) = view.patch(true) {
                    total = patch.total;
                    page.retain(|index, _| (patch.start..patch.end).contains(index));
                    for row in patch.rows {
                        let version = model[&row.key].resource_version().to_owned();
                        page.insert(row.index, (row.key, version));
                    }
                }
                let mut expected: Vec<&Arc<Object>> =
                    model.values().filter(|o| o.key().to_lowercase().contains(&filter.to_lowercase())).collect();
                expected.sort_by(|a, b| compare(&order_by, a, b));
                let matching = expected.len();
                let (start, end) = (bounds.0.min(matching), bounds.1.min(matching));
                let expected: HashMap<usize, (String, String)> = (start..end)
                    .map(|i| (i, (expected[i].key().to_owned(), expected[i].resource_version().to_owned())))
                    .collect();
                prop_assert_eq!(&page, &expected);
                prop_assert_eq!(total, matching);
            }
        }
    }
}
