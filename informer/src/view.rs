//! A sorted, filtered read of a cache, of which only a window is looked at.

mod natural;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use crate::columns::Column;
use crate::controller::{Change, ChangeBatch};
use crate::message::{OrderBy, OrderColumn, Row, ViewOptions};
use crate::object::{Keyed, Object};

/// Beyond this many changes at once sorting everything is cheaper than placing one by one.
const SORT_WHOLE: usize = 512;

/// The rows of a view, kept in order as the cache changes, and what its reader has seen of them.
///
/// Placing a change is a binary search and a move of pointers: O(log n) comparisons. Cells are made for rows in sight
/// only.
pub(crate) struct View {
    filter: String,
    order: OrderBy,
    window: (usize, usize),
    rows: Vec<Arc<Object>>,
    columns: Vec<&'static Column>,
    revision: u64,
    /// What the reader holds, by row index. An object that did not change is the same instance, also after a relist.
    sent: HashMap<usize, Arc<Object>>,
    sent_total: Option<usize>,
    sent_window: (usize, usize),
}

/// What changed in a window: see [`crate::message::FromEngine::View`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewPatch {
    pub(crate) revision: u64,
    pub(crate) total: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rows: Vec<Row>,
}

impl View {
    pub(crate) fn new(options: &ViewOptions, columns: Vec<&'static Column>) -> Self {
        Self {
            filter: options.filter.to_lowercase(),
            order: options.order_by,
            window: (options.start, options.end.max(options.start)),
            rows: Vec::new(),
            columns,
            revision: 0,
            sent: HashMap::new(),
            sent_total: None,
            sent_window: (0, 0),
        }
    }

    pub(crate) fn set_window(&mut self, start: usize, end: usize) {
        self.window = (start, end.max(start));
    }

    /// Follows a batch of changes.
    pub(crate) fn apply(&mut self, batch: &ChangeBatch<Object>) {
        if batch.changes.len() > SORT_WHOLE {
            return self.apply_whole(batch);
        }
        for change in &batch.changes {
            match change {
                Change::Add { object, .. } => self.insert(object),
                Change::Update { old, new } => {
                    self.remove(old);
                    self.insert(new);
                }
                Change::Delete { object, .. } => self.remove(object),
            }
        }
    }

    /// The same for many changes: drop what they touch, add what is left of them, sort once.
    fn apply_whole(&mut self, batch: &ChangeBatch<Object>) {
        let mut last: HashMap<&str, Option<&Arc<Object>>> = HashMap::with_capacity(batch.changes.len());
        for change in &batch.changes {
            let object = change.object();
            last.insert(object.key(), (!matches!(change, Change::Delete { .. })).then_some(object));
        }
        self.rows.retain(|row| !last.contains_key(row.key()));
        let present = last.into_values().flatten().filter(|object| matches(&self.filter, object)).cloned();
        self.rows.extend(present);
        let order = self.order;
        self.rows.sort_unstable_by(|a, b| compare(order, a, b));
    }

    fn insert(&mut self, object: &Arc<Object>) {
        if matches(&self.filter, object)
            && let Err(place) = self.place(object)
        {
            self.rows.insert(place, Arc::clone(object));
        }
    }

    /// The deletion carries the object's state at its end, which nearly always sorts where it was. One that was recreated
    /// unseen has another creation time: it is found by its key, O(n).
    fn remove(&mut self, object: &Arc<Object>) {
        if !matches(&self.filter, object) {
            return;
        }
        let by_key = || self.rows.iter().position(|row| row.key() == object.key());
        if let Some(place) = self.place(object).ok().or_else(by_key) {
            self.rows.remove(place);
        }
    }

    fn place(&self, object: &Object) -> Result<usize, usize> {
        self.rows.binary_search_by(|row| compare(self.order, row, object))
    }

    /// What the reader has not seen; `None` when it has seen everything.
    pub(crate) fn patch(&mut self) -> Option<ViewPatch> {
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
        if rows.is_empty() && self.sent_total == Some(total) && self.sent_window == (start, end) {
            return None;
        }
        (self.sent_total, self.sent_window) = (Some(total), (start, end));
        self.revision += 1;
        Some(ViewPatch { revision: self.revision, total, start, end, rows })
    }

    fn row(&self, index: usize, object: &Object) -> Row {
        // The body was read as JSON when it came, so this cannot fail but for a bug, which must not cost the row.
        let body: serde_json::Value = serde_json::from_str(&object.json()).unwrap_or_default();
        let cells = self.columns.iter().map(|column| column.cell(&body)).collect();
        Row { index, key: object.key().to_owned(), uid: object.uid().to_owned(), cells }
    }
}

fn matches(filter: &str, object: &Object) -> bool {
    filter.is_empty() || object.key().to_lowercase().contains(filter)
}

fn compare(order: OrderBy, a: &Object, b: &Object) -> Ordering {
    let by_key = || a.namespace().cmp(b.namespace()).then_with(|| natural::compare(a.name(), b.name()));
    let first = match order.column {
        OrderColumn::Namespace => Ordering::Equal,
        OrderColumn::Name => natural::compare(a.name(), b.name()),
        OrderColumn::Age => b.created().total_cmp(&a.created()),
    };
    let ordering = first.then_with(by_key);
    if order.descending { ordering.reverse() } else { ordering }
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
        View::new(options, Vec::new())
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
        assert_eq!(view.patch().map(|patch| patch.total), Some(0), "an empty view says that it is empty");
        assert_eq!(view.patch(), None);
        let [b, c, d] = ["n/b", "n/c", "n/d"].map(|key| object(key, 1, 0));
        view.apply(&batch(vec![add(&c), add(&b), add(&d)]));
        let patch = view.patch().expect("rows");
        assert_eq!((seen(&patch), patch.total), (vec![(0, "n/b"), (1, "n/c")], 3));
        view.apply(&batch(vec![Change::Update { old: Arc::clone(&d), new: object("n/d", 2, 0) }]));
        assert_eq!(view.patch(), None, "out of sight");
        view.apply(&batch(vec![Change::Update { old: Arc::clone(&c), new: object("n/c", 2, 0) }]));
        assert_eq!(seen(&view.patch().expect("in sight")), [(1, "n/c")]);
        view.apply(&batch(vec![Change::Delete { object: b, final_state_unknown: false }]));
        let patch = view.patch().expect("moved");
        assert_eq!((seen(&patch), patch.total, patch.revision), (vec![(0, "n/c"), (1, "n/d")], 2, 4));
        view.set_window(1, 5);
        assert_eq!(view.patch().map(|patch| (patch.start, patch.end, patch.rows.len())), Some((1, 2, 0)));
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

    fn column() -> impl Strategy<Value = OrderColumn> {
        prop_oneof![Just(OrderColumn::Namespace), Just(OrderColumn::Name), Just(OrderColumn::Age)]
    }

    proptest! {
        /// A page that applies every patch holds what sorting and filtering everything anew would show.
        #[test]
        fn patches_add_up_to_the_window(
            ops in prop::collection::vec(prop::collection::vec(op(), 0..5), 0..20),
            column in column(), descending in any::<bool>(), filter in "(|P-1|b/)", whole in any::<bool>(),
        ) {
            let order_by = OrderBy { column, descending };
            let mut view = view(&ViewOptions { filter: filter.clone(), order_by, start: 0, end: 3 });
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
                if whole { view.apply_whole(&batch(changes)) } else { view.apply(&batch(changes)) }
                if let Some(patch) = view.patch() {
                    total = patch.total;
                    page.retain(|index, _| (patch.start..patch.end).contains(index));
                    for row in patch.rows {
                        let version = model[&row.key].resource_version().to_owned();
                        page.insert(row.index, (row.key, version));
                    }
                }
                let mut expected: Vec<&Arc<Object>> =
                    model.values().filter(|o| o.key().to_lowercase().contains(&filter.to_lowercase())).collect();
                expected.sort_by(|a, b| compare(order_by, a, b));
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
