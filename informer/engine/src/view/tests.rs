//! Model test of views: a page that applies every patch shows the same rows as a full filter and sort.

mod computed;
mod counts;
mod decoded;
mod distinct;
mod extra;
mod filters;
mod frozen;
mod order;
mod scope;
mod values;

use std::collections::BTreeMap;

use super::naive::{self, Model};
use super::retests::SPARE_RETESTS;
use super::*;
use crate::columns::{Cell, columns_of, printer_columns};
use crate::message::Row;
use crate::value::natural;
use crate::value_counts::FacetValue;
use informer::{KubeObject, PackerOptions};
use informer_packing::{Json, Outline};
use proptest::prelude::*;

/// 2026-01-01T00:00:00Z.
const BEGINNING: f64 = 1_767_225_600_000.0;

#[derive(Clone, Debug)]
struct Pod {
    key: String,
    phase: &'static str,
    restarts: u8,
    /// Seconds after the beginning; none for some.
    created: Option<u8>,
    uid: u8,
}

fn object(pod: &Pod, version: u32) -> Arc<Object> {
    let (namespace, name) = pod.key.split_once('/').expect("namespaced");
    let created = pod
        .created
        .map_or(String::new(), |s| format!(r#","creationTimestamp":"2026-01-01T00:{:02}:{:02}Z""#, s / 60, s % 60));
    let (phase, restarts, uid) = (pod.phase, pod.restarts, pod.uid);
    let json = format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}","uid":"u{uid}","resourceVersion":"{version}"{created},"labels":{{"app":"{name}","phase":"{phase}"}}}},"spec":{{"nodeName":"node-{restarts}","containers":[{{"name":"c"}}]}},"status":{{"phase":"{phase}","containerStatuses":[{{"name":"c","restartCount":{restarts},"ready":{},"state":{{"running":{{}}}}}}]}}}}"#,
        restarts % 2 == 0
    );
    Arc::new(Object::from_json(&json, None).expect("valid"))
}

fn add(object: &Arc<Object>) -> Change<Object> {
    Change::Add { object: Arc::clone(object), is_in_initial_list: false }
}

fn batch(changes: Vec<Change<Object>>) -> ChangeBatch<Object> {
    ChangeBatch { changes, resource_version: String::new(), relist: false }
}

fn cells() -> Cells {
    let pods = "v1/pods".parse().expect("a resource");
    Cells::of_table(columns_of(&pods, true), &pods)
}

fn pod(key: &str) -> Pod {
    Pod { key: key.to_owned(), phase: "Running", restarts: 0, created: Some(0), uid: 1 }
}

fn seen(patch: &ViewPatch) -> Vec<(usize, &str)> {
    patch.rows.iter().map(|row| (row.index, row.key.as_str())).collect()
}

fn view_of(end: usize, keys: &[&str]) -> View {
    let mut view = View::new(cells(), false, None);
    view.set_window(0, end);
    view.apply(&batch(keys.iter().map(|key| add(&object(&pod(key), 1))).collect()), BEGINNING);
    view
}

fn view_query(filter: &str) -> ViewQuery {
    ViewQuery { filter: filter.to_owned(), ..ViewQuery::default() }
}

#[test]
fn a_patch_holds_only_what_changed_in_sight() {
    let mut view = view_of(2, &[]);
    assert_eq!(view.patch(false, BEGINNING), None, "having nothing before the first list is no news");
    assert_eq!(view.patch(true, BEGINNING).map(|patch| patch.total), Some(0), "an empty view says that it is empty");
    assert_eq!(view.patch(true, BEGINNING), None);
    let [b, c, d] = ["n/b", "n/c", "n/d"].map(|key| object(&pod(key), 1));
    view.apply(&batch(vec![add(&c), add(&b), add(&d)]), BEGINNING);
    let patch = view.patch(true, BEGINNING).expect("rows");
    assert_eq!((seen(&patch), patch.total, patch.of), (vec![(0, "n/b"), (1, "n/c")], 3, 3));
    view.apply(&batch(vec![Change::Update { old: d, new: object(&pod("n/d"), 2) }]), BEGINNING);
    assert_eq!(view.patch(true, BEGINNING), None, "out of sight");
    view.apply(&batch(vec![Change::Update { old: c, new: object(&pod("n/c"), 2) }]), BEGINNING);
    assert_eq!(seen(&view.patch(true, BEGINNING).expect("in sight")), [(1, "n/c")]);
    view.apply(&batch(vec![Change::Delete { object: b, final_state_unknown: false }]), BEGINNING);
    let patch = view.patch(true, BEGINNING).expect("moved");
    assert_eq!((seen(&patch), patch.total, patch.revision), (vec![(0, "n/c"), (1, "n/d")], 2, 4));
    view.set_window(1, 5);
    let patch = view.patch(true, BEGINNING);
    assert_eq!(patch.map(|patch| (patch.start, patch.end, patch.rows.len())), Some((1, 2, 0)));
}

#[test]
fn names_with_a_common_prefix_are_in_order() {
    let begin = ["a", "a1", "a10", "aa", "az", "b", "ba", "1", "1a", "10", "é"];
    let mut names: Vec<String> = (0..99).map(|n| format!("{}{}", begin[n % 11], "x9".repeat(n / 11))).collect();
    let keys: Vec<String> = names.iter().map(|name| format!("n/{name}")).collect();
    let view = view_of(0, &keys.iter().map(String::as_str).collect::<Vec<_>>());
    names.sort_by(|a, b| natural(a, b));
    let rows = view.ranked.rows();
    assert_eq!(rows.iter().map(|row| view.table.name(*row)).collect::<Vec<_>>(), names);
}

#[test]
fn rows_come_before_the_first_list_is_complete_and_say_so() {
    let mut view = view_of(5, &["n/a"]);
    assert_eq!(view.patch(false, BEGINNING).map(|patch| (patch.total, patch.synced)), Some((1, false)));
    view.freeze_order(true);
    view.apply(&batch(vec![add(&object(&pod("m/z"), 1))]), BEGINNING);
    assert_eq!(seen(&view.patch(false, BEGINNING).expect("nothing is frozen yet")), [(0, "m/z"), (1, "n/a")]);
    assert_eq!(view.patch(true, BEGINNING).map(|patch| (patch.rows.len(), patch.synced)), Some((0, true)));
}

#[test]
fn frozen_rows_keep_their_places_until_they_are_released() {
    let mut view = view_of(3, &["n/b", "n/c", "n/d"]);
    view.patch(true, BEGINNING);
    view.freeze_order(true);
    assert_eq!(view.patch(true, BEGINNING), None);
    let [b, c] = ["n/b", "n/c"].map(|key| object(&pod(key), 1));
    view.apply(
        &batch(vec![add(&object(&pod("n/a"), 1)), Change::Delete { object: b, final_state_unknown: false }]),
        BEGINNING,
    );
    view.apply(&batch(vec![Change::Update { old: c, new: object(&pod("n/c"), 2) }]), BEGINNING);
    let patch = view.patch(true, BEGINNING).expect("painted in place");
    let rows: Vec<(usize, &str, bool)> = patch.rows.iter().map(|row| (row.index, row.key.as_str(), row.gone)).collect();
    assert_eq!((rows, patch.total), (vec![(0, "n/b", true), (1, "n/c", false)], 3));
    view.apply(&batch(vec![add(&object(&pod("n/b"), 3))]), BEGINNING);
    let patch = view.patch(true, BEGINNING).expect("it is back");
    assert_eq!((patch.rows.len(), patch.rows[0].gone, patch.total), (1, false, 4));
    view.freeze_order(false);
    let patch = view.patch(true, BEGINNING).expect("unfrozen");
    assert_eq!(seen(&patch), [(0, "n/a"), (1, "n/b"), (2, "n/c")]);
}

#[test]
fn row_appears_when_its_age_passes_a_limit_without_an_event() {
    let mut view = view_of(5, &["n/a", "n/b"]);
    assert_eq!(view.retests.next(), None);
    view.change(&view_query("age<30s"), BEGINNING).expect("applied");
    assert_eq!(view.patch(true, BEGINNING).map(|patch| patch.total), Some(2));
    assert_eq!(view.retests.next(), Some(BEGINNING + 30_000.0));
    assert_eq!(view.patch(true, BEGINNING + 29_999.0), None);
    assert_eq!(view.patch(true, BEGINNING + 30_000.0).map(|patch| patch.total), Some(0));
    assert_eq!(view.retests.next(), None);
    // The same for rows that are added or recreated later.
    let later = Pod { created: Some(40), ..pod("n/c") };
    let anew = Pod { created: Some(50), ..pod("n/a") };
    let changes = vec![add(&object(&later, 1)), add(&object(&anew, 2))];
    view.apply(&batch(changes), BEGINNING + 50_000.0);
    assert_eq!(view.patch(true, BEGINNING + 50_000.0).map(|patch| patch.total), Some(2));
    assert_eq!(view.patch(true, BEGINNING + 70_000.0).map(|patch| patch.total), Some(1));
    assert_eq!(view.retests.next(), Some(BEGINNING + 80_000.0));
    assert_eq!(view.patch(true, BEGINNING + 80_000.0).map(|patch| patch.total), Some(0));
}

#[test]
fn rows_that_come_and_go_under_a_limit_of_days_cost_no_memory() {
    let mut view = view_of(5, &["n/a"]);
    view.change(&view_query("age<30d"), BEGINNING).expect("applied");
    for version in 0..5_000 {
        let pod = object(&Pod { created: Some((version % 90) as u8), ..pod("n/b") }, version);
        view.apply(&batch(vec![add(&pod)]), BEGINNING);
        assert!(view.retests.len() <= 2 * view.table.len() + SPARE_RETESTS, "{}", view.retests.len());
    }
    let days = 30.0 * 86_400_000.0;
    assert_eq!(view.retests.next(), Some(BEGINNING + days), "none that is of use was lost");
    assert_eq!(view.patch(true, BEGINNING + days).map(|patch| patch.total), Some(1));
}

#[test]
fn times_in_fields_pass_limits_too() {
    let mut view = view_of(5, &["n/a"]);
    view.change(&view_query("field=metadata.creationTimestamp<30s -field=spec.x>1m"), BEGINNING).expect("applied");
    assert_eq!(view.patch(true, BEGINNING).map(|patch| patch.total), Some(1));
    assert_eq!(view.retests.next(), Some(BEGINNING + 30_000.0));
    assert_eq!(view.patch(true, BEGINNING + 30_000.0).map(|patch| patch.total), Some(0));
}

/// A custom resource may name any column `Age` or `Name`.
#[test]
fn columns_of_a_custom_resource_are_what_their_paths_say() {
    let version = r#"{"name":"v1","additionalPrinterColumns":[
        {"name":"Name","type":"string","jsonPath":".spec.nodeName"},
        {"name":"Namespace","type":"string","jsonPath":".status.phase"},
        {"name":"Age","type":"integer","jsonPath":".status.containerStatuses[0].restartCount"},
        {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}]}"#;
    let definition = format!(r#"{{"spec":{{"scope":"Cluster","versions":[{version}]}}}}"#);
    let columns = printer_columns(&Outline::of(Json::new(&definition)), "v1").expect("its columns");
    let things = "example.dev/v1/things".parse().expect("a resource");
    let table = Table::new(Cells::of_table(columns, &things));
    // The first `Name` column, of the object itself, has the name.
    assert_eq!(table.field("name"), Some(Field::Name));
    assert_eq!(table.field("namespace"), Some(Field::Column(2)), "its phase");
    assert_eq!(table.field("age"), Some(Field::Column(3)), "its restarts");
    assert_eq!(table.columns.len(), 4, "the moment of creation needs no column");
}

#[test]
fn an_invalid_query_reports_the_reason_and_changes_nothing() {
    let mut view = view_of(5, &["n/a", "n/b"]);
    view.change(&view_query("name=a"), BEGINNING).expect("applied");
    let by = |column: &str| ViewQuery { order_by: vec![OrderBy::ascending(column)], ..ViewQuery::default() };
    let count = |column: &str| ViewQuery { facets: vec![column.to_owned()], ..ViewQuery::default() };
    for (view_query, start, end, says) in [
        (
            view_query("é😀=x"),
            0,
            3,
            "no column is named \"é😀\". The columns are namespace, name, ready, status, restarts, age",
        ),
        (view_query("ok (age=5m)"), 4, 10, "compare an age with a duration"),
        (view_query("a (b"), 2, 3, "unclosed bracket"),
        (by("colour"), 0, 0, "\"colour\": no such column"),
        (count("colour"), 0, 0, "no such column"),
        (count("Age"), 0, 0, "nearly every row"),
    ] {
        let rejection = view.change(&view_query, BEGINNING).expect_err("rejected");
        assert_eq!((rejection.start, rejection.end), (start, end), "{view_query:?}");
        assert!(rejection.message.contains(says), "{view_query:?}: {}", rejection.message);
        assert_eq!(view.ranked.shown(), 1);
    }
}

/// Cells cached with objects equal cells read from them.
#[test]
fn carried_cells_are_those_of_the_columns() {
    let pods = "v1/pods".parse().expect("a resource");
    informer::carry_cells(crate::columns::carried);
    let reads_pods = Object::packer(&pods, PackerOptions::default());
    let plain = object(&Pod { restarts: 2, ..pod("n/web") }, 1);
    let json = plain.json();
    let packed = Object::read(&Outline::of(Json::new(&json)), None, &reads_pods, &|_| None).expect("valid").into_arc();
    assert!(!packed.cells().is_empty() && plain.cells().is_empty());
    assert!(
        matches!(cells(), Cells::Table(table, _) if table.carried == Some(1)),
        "those of a pod, behind its namespace"
    );
    assert_eq!(cells().of(&packed), cells().of(&plain));
}

#[derive(Clone, Debug)]
enum Op {
    Put(Pod),
    Delete(String),
    Resync(String),
    Flood(u8, bool),
    Window(usize, usize),
    Freeze(bool),
    Change(ViewQuery),
    Pass(u8),
}

fn any_pod() -> impl Strategy<Value = Pod> {
    let phase = prop_oneof![Just("Running"), Just("Pending"), Just("Failed")];
    ("[ab]/p-(9|10|x|web)", phase, 0u8..3, prop::option::of(0u8..90), 0u8..2)
        .prop_map(|(key, phase, restarts, created, uid)| Pod { key, phase, restarts, created, uid })
}

fn any_view_query() -> impl Strategy<Value = ViewQuery> {
    const FILTERS: [&str; 20] = [
        "",
        "",
        "WEB",
        "P-1",
        "p-10",
        "p-10 age<40s",
        "b/",
        "run",
        "status=running",
        "status!=Failed,pending",
        "restarts>0",
        "age<40s",
        "-age<=1m",
        "age>=30s OR status=Failed",
        "name=p-* -node=node-1",
        "/^p-\\d+$/",
        "ready~^1 (x | web)",
        "label=app=web",
        "-label=\"phase in (Failed)\"",
        "field=spec.nodeName=node-2",
    ];
    const COLUMNS: [&str; 7] = ["namespace", "NAME", "Age", "status", "restarts", "Ready", "ip"];
    let order = (0..COLUMNS.len(), any::<bool>())
        .prop_map(|(at, descending)| OrderBy { column: COLUMNS[at].to_owned(), descending });
    let namespaces = prop_oneof![3 => Just(Vec::new()), 1 => Just(vec!["a".to_owned(), "zz".to_owned()])];
    let facets = prop_oneof![Just(Vec::new()), Just(vec!["status".to_owned(), "Namespace".to_owned()])];
    (0..FILTERS.len(), prop::collection::vec(order, 0..3), namespaces, facets).prop_map(
        |(at, order_by, namespaces, facets)| ViewQuery { filter: FILTERS[at].to_owned(), order_by, namespaces, facets },
    )
}

fn op() -> impl Strategy<Value = Op> {
    let key = || "[ab]/p-(9|10|x|web)";
    prop_oneof![
        12 => any_pod().prop_map(Op::Put),
        4 => key().prop_map(Op::Delete),
        1 => key().prop_map(Op::Resync),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(seed, remove)| Op::Flood(seed, remove)),
        2 => (0usize..4, 0usize..8).prop_map(|(start, end)| Op::Window(start, end)),
        3 => any::<bool>().prop_map(Op::Freeze),
        3 => any_view_query().prop_map(Op::Change),
        4 => (0u8..50).prop_map(Op::Pass),
    ]
}

/// Page under test, with the expected state.
struct World {
    view: View,
    cells: Cells,
    model: Model,
    view_query: ViewQuery,
    now: f64,
    version: u32,
    bounds: (usize, usize),
    frozen: bool,
    /// Keys of the frozen rows.
    frozen_keys: Option<Vec<String>>,
    page: BTreeMap<usize, Row>,
    totals: (usize, usize),
    facets: BTreeMap<String, Vec<FacetValue>>,
}

impl World {
    fn new() -> Self {
        Self {
            view: View::new(cells(), false, None),
            cells: cells(),
            model: Model::new(),
            view_query: ViewQuery::default(),
            now: BEGINNING + 60_000.0,
            version: 0,
            bounds: (0, 0),
            frozen: false,
            frozen_keys: None,
            page: BTreeMap::new(),
            totals: (0, 0),
            facets: BTreeMap::new(),
        }
    }

    fn put(&mut self, pod: &Pod) -> Change<Object> {
        self.version += 1;
        let new = object(pod, self.version);
        match self.model.insert(pod.key.clone(), Arc::clone(&new)) {
            Some(old) => Change::Update { old, new },
            None => add(&new),
        }
    }

    fn delete(&mut self, key: &str) -> Option<Change<Object>> {
        self.model.remove(key)?;
        // The object in a deletion may differ from the cached one, even in its sort fields.
        self.version += 1;
        let last = object(&Pod { restarts: 9, created: Some(89), ..pod(key) }, self.version);
        Some(Change::Delete { object: last, final_state_unknown: true })
    }

    fn perform(&mut self, op: Op, changes: &mut Vec<Change<Object>>) {
        match op {
            Op::Put(pod) => changes.push(self.put(&pod)),
            Op::Delete(key) => changes.extend(self.delete(&key)),
            Op::Resync(key) => {
                let same = |object: &Arc<Object>| Change::Update { old: Arc::clone(object), new: Arc::clone(object) };
                changes.extend(self.model.get(&key).map(same));
            }
            Op::Flood(seed, remove) => {
                for n in 0..70u8 {
                    let key = format!("c/p-{}", u16::from(n.wrapping_mul(7)) + u16::from(seed % 40));
                    if remove {
                        changes.extend(self.delete(&key));
                    } else {
                        let phase = ["Running", "Pending", "Failed"][usize::from(n % 3)];
                        let created = Some(n.wrapping_mul(seed) % 90);
                        changes.push(self.put(&Pod { key, phase, restarts: n % 4, created, uid: seed }));
                    }
                }
            }
            Op::Window(start, end) => {
                self.bounds = (start, end.max(start));
                self.frozen_keys = None;
                self.view.set_window(start, end);
            }
            Op::Freeze(frozen) => {
                self.frozen = frozen;
                let keys = || self.page.values().map(|row| row.key.clone()).collect::<Vec<_>>();
                self.frozen_keys = frozen.then(keys).filter(|keys| !keys.is_empty());
                self.view.freeze_order(frozen);
            }
            Op::Change(view_query) => {
                self.view.change(&view_query, self.now).expect("applied");
                (self.view_query, self.frozen_keys) = (view_query, None);
                self.facets.clear();
            }
            Op::Pass(seconds) => self.now += f64::from(seconds) * 1_000.0,
        }
    }

    /// Applies the view's next patch.
    fn receive(&mut self) {
        if let Some(patch) = self.view.patch(true, self.now) {
            self.totals = (patch.total, patch.of);
            self.page.retain(|index, _| (patch.start..patch.end).contains(index));
            self.page.extend(patch.rows.into_iter().map(|row| (row.index, row)));
        }
        for facet in self.view.facets(f64::MAX).into_iter().flatten() {
            self.facets.insert(facet.column, facet.values);
        }
        assert!(self.view.retests.next().is_none_or(|at| at > self.now));
        if self.frozen && self.frozen_keys.is_none() && !self.page.is_empty() {
            self.frozen_keys = Some(self.page.values().map(|row| row.key.clone()).collect());
        }
    }

    fn check(&self) {
        let (of, rows) = naive::rows(&self.model, &self.view_query, &self.cells, self.now);
        assert_eq!(self.totals, (rows.len(), of), "{:?}", self.view_query);
        let row = |(index, object): (usize, &Arc<Object>), gone| {
            let (key, uid) = (object.key().to_owned(), object.uid().to_owned());
            Row { index, key, uid, cells: self.cells.of(object), object: None, gone }
        };
        match &self.frozen_keys {
            None => {
                let (start, end) = (self.bounds.0.min(rows.len()), self.bounds.1.min(rows.len()));
                let expected: Vec<Row> = (start..end).map(|index| row((index, &rows[index]), false)).collect();
                assert_eq!(self.page.values().cloned().collect::<Vec<_>>(), expected, "{:?}", self.view_query);
            }
            Some(keys) => {
                assert_eq!(self.page.values().map(|row| &row.key).collect::<Vec<_>>(), keys.iter().collect::<Vec<_>>());
                for (index, shown) in &self.page {
                    match rows.iter().find(|object| object.key() == shown.key) {
                        Some(object) => assert_eq!(shown, &row((*index, object), false)),
                        None => assert!(shown.gone, "{shown:?}"),
                    }
                }
            }
        }
        for column in &self.view_query.facets {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for object in &rows {
                let value = naive::value(&self.cells, object, &column.to_lowercase());
                *counts.entry(value.text.to_string()).or_default() += 1;
            }
            let mut expected: Vec<FacetValue> =
                counts.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
            expected.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| natural(&a.value, &b.value)));
            assert_eq!(self.facets.get(column), Some(&expected), "{column}");
        }
    }
}

proptest! {
    #[test]
    fn patches_add_up_to_the_window(steps in prop::collection::vec(prop::collection::vec(op(), 0..5), 0..12)) {
        let mut world = World::new();
        for step in steps {
            let mut changes = Vec::new();
            for op in step {
                // Changes take effect at the end of a step: a view query is applied to the rows that the view has by
                // then.
                world.perform(op, &mut changes);
            }
            world.view.apply(&batch(changes), world.now);
            world.receive();
            world.check();
        }
        world.perform(Op::Freeze(false), &mut Vec::new());
        world.receive();
        world.check();
    }
}
