//! Tests of aggregates: what a reader has after each patch, and the errors of invalid options.

mod computed;
mod model;

use std::collections::BTreeMap;

use super::*;
use crate::columns::columns_of;
use crate::message::{AggregateOp, AggregateValue, ValuesOptions, ViewRequest};
use informer::{ErrorCode, KubeObject};
use serde::Deserialize;
use serde_json::value::RawValue;

/// 2026-01-01T00:00:00Z.
const BEGINNING: f64 = 1_767_225_600_000.0;

/// Patch, with numbers as the engine wrote them.
#[derive(Deserialize)]
struct Patch {
    synced: bool,
    count: usize,
    total: Vec<Box<RawValue>>,
    gone: Vec<u32>,
    groups: Vec<Listed>,
    order: Option<Vec<u32>>,
}

#[derive(Deserialize)]
struct Listed {
    id: u32,
    key: Vec<String>,
    values: Vec<Box<RawValue>>,
}

/// Key and values of a group.
type Shown = (Vec<String>, Vec<String>);

/// A page, which applies patches.
#[derive(Default)]
struct Reader {
    groups: BTreeMap<u32, Shown>,
    order: Vec<u32>,
    total: Vec<String>,
    count: usize,
    synced: bool,
    /// Keys of the groups of the last patch.
    news: Vec<Vec<String>>,
}

fn texts(values: &[Box<RawValue>]) -> Vec<String> {
    values.iter().map(|value| value.get().to_owned()).collect()
}

impl Reader {
    /// Applies the next patch; false if there is none.
    fn receive(&mut self, aggregate: &mut Aggregate, now: f64) -> bool {
        let Some(patch) = aggregate.patch(true, now) else { return false };
        let patch: Patch = serde_json::from_str(&patch).expect(&patch);
        for id in &patch.gone {
            self.groups.remove(id).expect("a group that was sent");
        }
        self.news.clear();
        for Listed { id, key, values } in patch.groups {
            self.news.push(key.clone());
            self.groups.insert(id, (key, texts(&values)));
        }
        self.order = patch.order.unwrap_or_else(|| std::mem::take(&mut self.order));
        (self.total, self.count, self.synced) = (texts(&patch.total), patch.count, patch.synced);
        assert_eq!(self.order.len(), self.groups.len(), "every sent group has its place");
        true
    }

    fn shown(&self) -> Vec<Shown> {
        self.order.iter().map(|id| self.groups[id].clone()).collect()
    }

    /// The groups as `key=values`, in order.
    fn lines(&self) -> Vec<String> {
        let line = |(key, values): Shown| format!("{}={}", key.join("/"), values.join(" "));
        self.shown().into_iter().map(line).collect()
    }
}

fn object(json: &str) -> Arc<Object> {
    Arc::new(Object::from_json(json, None).expect(json))
}

/// A pod on a node; a version is a number of seconds after the beginning, at which it was created.
fn pod(key: &str, node: &str, restarts: u32, second: u32) -> Arc<Object> {
    let (namespace, name) = key.split_once('/').expect("namespaced");
    object(&format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}","resourceVersion":"1","creationTimestamp":"2026-01-01T00:00:{second:02}Z","labels":{{"app":"{name}"}}}},"spec":{{"nodeName":"{node}","containers":[{{"name":"c"}}]}},"status":{{"phase":"Running","containerStatuses":[{{"name":"c","restartCount":{restarts},"ready":true,"state":{{"running":{{}}}}}}]}}}}"#
    ))
}

fn add(object: &Arc<Object>) -> Change<Object> {
    Change::Add { object: Arc::clone(object), is_in_initial_list: false }
}

fn delete(object: &Arc<Object>) -> Change<Object> {
    Change::Delete { object: Arc::clone(object), final_state_unknown: false }
}

fn batch(changes: Vec<Change<Object>>) -> ChangeBatch<Object> {
    ChangeBatch { changes, resource_version: String::new(), relist: false }
}

fn cells(resource: &str) -> Cells {
    let resource = resource.parse().expect("a resource");
    Cells::of_table(columns_of(&resource, true), &resource)
}

fn paths(paths: &[(&str, &str)]) -> Cells {
    let paths = paths.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect();
    Cells::of_paths(&paths).expect("paths")
}

fn options(by: &[&str], of: &[(AggregateOp, &str)]) -> AggregateOptions {
    AggregateOptions {
        by: by.iter().map(|name| (*name).to_owned()).collect(),
        of: of.iter().map(|(op, column)| AggregateValue { op: *op, column: (*column).to_owned() }).collect(),
        ..AggregateOptions::default()
    }
}

fn of_pods(options: AggregateOptions) -> Aggregate {
    Aggregate::new(cells("v1/pods"), options, None).expect("valid")
}

#[test]
fn a_patch_has_only_the_groups_that_changed() {
    let mut aggregate = of_pods(options(&["Node"], &[]));
    let mut page = Reader::default();
    assert_eq!(aggregate.patch(false, BEGINNING), None, "no objects before the first list is complete is no news");
    assert!(page.receive(&mut aggregate, BEGINNING));
    assert_eq!((page.lines(), page.total.clone(), page.count), (vec![], vec!["0".to_owned()], 0));
    assert!(!page.receive(&mut aggregate, BEGINNING));

    let [a, b, c] = ["n/a", "n/b", "n/c"].map(|key| pod(key, "node-1", 0, 0));
    let d = pod("n/d", "node-2", 0, 0);
    aggregate.apply(&batch([&a, &b, &d].map(add).into()), BEGINNING);
    assert!(page.receive(&mut aggregate, BEGINNING));
    assert_eq!((page.lines(), page.count), (vec!["node-1=2".to_owned(), "node-2=1".to_owned()], 2));
    aggregate.apply(&batch(vec![add(&c)]), BEGINNING);
    assert!(page.receive(&mut aggregate, BEGINNING));
    assert_eq!(
        (page.news.clone(), &page.lines()[0], &page.total[0]),
        (vec![vec!["node-1".to_owned()]], &"node-1=3".to_owned(), &"4".to_owned())
    );

    // A resync, an update without a difference, and two changes that cancel each other out.
    aggregate.apply(&batch(vec![add(&c), add(&pod("n/a", "node-1", 3, 0)), delete(&b), add(&b)]), BEGINNING);
    assert!(!page.receive(&mut aggregate, BEGINNING));
    // Another node, whose group is new, and one that is empty.
    aggregate.apply(&batch(vec![add(&pod("n/d", "node-3", 0, 0))]), BEGINNING);
    assert!(page.receive(&mut aggregate, BEGINNING));
    assert_eq!((page.lines(), page.count), (vec!["node-1=3".to_owned(), "node-3=1".to_owned()], 2));
    // A deletion of an unknown object.
    aggregate.apply(&batch(vec![delete(&pod("n/x", "node-1", 0, 0))]), BEGINNING);
    assert!(!page.receive(&mut aggregate, BEGINNING));
}

#[test]
fn a_group_that_empties_and_fills_between_two_patches_stays_the_same() {
    let mut aggregate = of_pods(options(&["node"], &[]));
    let mut page = Reader::default();
    let a = pod("n/a", "node-1", 0, 0);
    aggregate.apply(&batch(vec![add(&a)]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    let order = page.order.clone();
    aggregate.apply(&batch(vec![delete(&a), add(&a)]), BEGINNING);
    assert!(!page.receive(&mut aggregate, BEGINNING));
    aggregate.apply(&batch(vec![delete(&a)]), BEGINNING);
    assert!(page.receive(&mut aggregate, BEGINNING));
    assert_eq!((page.lines(), page.count), (vec![], 0));
    aggregate.apply(&batch(vec![add(&pod("n/b", "node-2", 0, 0))]), BEGINNING);
    assert!(page.receive(&mut aggregate, BEGINNING));
    assert_eq!((page.lines(), page.order), (vec!["node-2=1".to_owned()], order), "the id is used again");
}

#[test]
fn the_largest_groups_are_sent_and_the_number_of_all() {
    let mut aggregate = of_pods(AggregateOptions { limit: 2, ..options(&["node"], &[]) });
    let mut page = Reader::default();
    let pods: Vec<_> = (0..6).map(|n| pod(&format!("n/p{n}"), ["b", "a", "a10", "a9", "b", "a"][n], 0, 0)).collect();
    aggregate.apply(&batch(pods.iter().map(add).collect()), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!((page.lines(), page.count, page.total.clone()), (vec!["a=2".into(), "b=2".into()], 4, vec!["6".into()]));
    aggregate.apply(&batch(vec![delete(&pods[1]), delete(&pods[5])]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!((page.lines(), page.count), (vec!["b=2".to_owned(), "a9=1".to_owned()], 3), "in natural order");
    // What leaves the list is sent again when it comes back.
    aggregate.apply(&batch(vec![add(&pods[1])]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["b=2", "a=1"]);
    aggregate.apply(&batch(vec![delete(&pods[1])]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!((page.lines(), page.news), (vec!["b=2".to_owned(), "a9=1".to_owned()], vec![vec!["a9".to_owned()]]));
}

#[test]
fn a_limit_is_a_thousand_by_default_and_ten_thousand_at_most() {
    for (limit, sent) in [(0, 1_000), (1, 1), (usize::MAX, 10_000)] {
        let mut aggregate = of_pods(AggregateOptions { limit, ..options(&["node"], &[]) });
        let pods = (0..10_001).map(|n| add(&pod(&format!("n/p{n}"), &format!("node-{n}"), 0, 0)));
        aggregate.apply(&batch(pods.collect()), BEGINNING);
        let mut page = Reader::default();
        page.receive(&mut aggregate, BEGINNING);
        assert_eq!((page.order.len(), page.count, page.total[0].as_str()), (sent, 10_001, "10001"));
    }
}

#[test]
fn without_a_column_to_group_by_there_is_the_total() {
    let of = [
        (AggregateOp::Count, ""),
        (AggregateOp::Sum, "restarts"),
        (AggregateOp::Min, "age"),
        (AggregateOp::Max, "AGE"),
    ];
    let mut aggregate = of_pods(options(&[], &of));
    let mut page = Reader::default();
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.total, ["0", "0", "null", "null"]);
    let [a, b] = [pod("n/a", "x", 2, 5), pod("n/b", "x", 3, 9)];
    aggregate.apply(&batch(vec![add(&a), add(&b)]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(
        (page.total.as_slice(), page.count),
        (&["2", "5", "1767225605000", "1767225609000"].map(str::to_owned)[..], 0)
    );
    aggregate.apply(&batch(vec![delete(&a)]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.total, ["1", "3", "1767225609000", "1767225609000"]);
}

#[test]
fn quantities_are_added_as_quantities_and_what_has_none_counts_as_an_object_only() {
    let of = [
        (AggregateOp::Count, ""),
        (AggregateOp::Sum, "cpu"),
        (AggregateOp::Min, "cpu"),
        (AggregateOp::Max, "cpu"),
        (AggregateOp::Min, "at"),
    ];
    let columns = paths(&[("cpu", "{.c[*].cpu}"), ("at", "{.at}"), ("kind", "{.kind}")]);
    let mut aggregate = Aggregate::new(columns, options(&["kind"], &of), None).expect("valid");
    let thing = |name: &str, rest: &str| {
        object(&format!(r#"{{"kind":"K","metadata":{{"name":"{name}","resourceVersion":"1"}}{rest}}}"#))
    };
    let things = [
        thing("a", r#","c":[{"cpu":"100m"},{"cpu":"0.2"},{}],"at":"2026-01-01T00:00:02Z""#),
        thing("b", r#","c":[{"cpu":1}],"at":"2026-01-01T00:00:01Z""#),
        thing("c", ""),
        thing("d", r#","c":[{"cpu":"much"}],"at":"never""#),
        thing("e", r#","c":[{"cpu":"100m"},{"cpu":"much"}]"#),
        thing("f", r#","c":[{"cpu":"1/2"}]"#),
        thing("g", r#","c":[{"cpu":"1n"}]"#),
    ];
    aggregate.apply(&batch(things.iter().map(add).collect()), BEGINNING);
    let mut page = Reader::default();
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["K=7 1.300000001 0.000000001 1 1767225601000"]);
    aggregate.apply(&batch(vec![delete(&things[1]), delete(&things[6])]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["K=5 0.3 0.3 0.3 1767225602000"]);
    aggregate.apply(&batch(vec![delete(&things[0])]), BEGINNING);
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["K=4 0 null null null"]);
}

#[test]
fn durations_are_those_that_have_ended_in_milliseconds() {
    let job = |name: &str, end: &str| {
        object(&format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"1"}},"status":{{"startTime":"2026-01-01T00:00:00Z"{end}}}}}"#
        ))
    };
    let jobs = [
        job("a", r#","completionTime":"2026-01-01T00:01:30Z""#),
        job("b", r#","completionTime":"2026-01-01T00:00:30Z""#),
        job("c", ""),
    ];
    let of = [(AggregateOp::Count, ""), (AggregateOp::Sum, "duration"), (AggregateOp::Max, "duration")];
    let mut aggregate = Aggregate::new(cells("batch/v1/jobs"), options(&["namespace"], &of), None).expect("valid");
    aggregate.apply(&batch(jobs.iter().map(add).collect()), BEGINNING);
    let mut page = Reader::default();
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.lines(), ["n=3 120000 90000"]);
}

#[test]
fn ages_pass_the_limit_of_a_filter_without_an_event() {
    let mut aggregate = of_pods(AggregateOptions { filter: "age<30s".into(), ..options(&["node"], &[]) });
    let mut page = Reader::default();
    aggregate.apply(&batch(vec![add(&pod("n/a", "x", 0, 0)), add(&pod("n/b", "x", 0, 10))]), BEGINNING + 10_000.0);
    page.receive(&mut aggregate, BEGINNING + 10_000.0);
    assert_eq!((page.lines(), aggregate.due_at()), (vec!["x=2".to_owned()], Some(BEGINNING + 30_000.0)));
    assert!(!page.receive(&mut aggregate, BEGINNING + 29_999.0));
    assert!(page.receive(&mut aggregate, BEGINNING + 30_000.0));
    assert_eq!((page.lines(), aggregate.due_at()), (vec!["x=1".to_owned()], Some(BEGINNING + 40_000.0)));
    assert!(page.receive(&mut aggregate, BEGINNING + 40_000.0));
    assert_eq!((page.lines(), page.total.clone(), aggregate.due_at()), (vec![], vec!["0".to_owned()], None));
    for second in 0..5_000 {
        aggregate.apply(&batch(vec![add(&pod("n/b", "x", 0, second % 50))]), BEGINNING);
        assert!(aggregate.retests.len() < 1_100, "outdated retests cost no memory");
    }
}

#[test]
fn namespaces_and_labels_restrict_it() {
    let options = AggregateOptions { namespaces: vec!["n".into(), "m".into()], ..options(&["namespace"], &[]) };
    let selector = "app in (a, b)".parse().expect("a selector");
    let mut aggregate = Aggregate::new(cells("v1/pods"), options, Some(selector)).expect("valid");
    let keys = ["n/a", "n/b", "n/c", "m/a", "o/a"];
    aggregate.apply(&batch(keys.map(|key| add(&pod(key, "x", 0, 0))).into()), BEGINNING);
    let mut page = Reader::default();
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!((page.lines(), page.total), (vec!["n=2".to_owned(), "m=1".to_owned()], vec!["3".to_owned()]));
    assert_eq!(aggregate.table.len(), 3, "others take no memory");
}

#[test]
fn invalid_options_say_why() {
    let of = |op, column| options(&["node"], &[(op, column)]);
    let filter = |filter: &str| AggregateOptions { filter: filter.into(), ..options(&[], &[]) };
    for (options, start, end, says) in [
        (filter("é=x"), 0, 1, "no column is named \"é\""),
        (filter("a (b"), 2, 3, "unclosed bracket"),
        (filter("restarts>x"), 0, 10, "is not a number"),
        (
            options(&["colour"], &[]),
            0,
            0,
            "cannot group by \"colour\": no such column. The columns are namespace, name",
        ),
        (options(&["name"], &[]), 0, 0, "cannot group by \"name\": nearly every object"),
        (options(&["Age"], &[]), 0, 0, "cannot group by \"Age\": nearly every object"),
        (options(&["node", "status", "namespace"], &[]), 0, 0, "at most 2 columns in `by`"),
        (options(&[], &[(AggregateOp::Count, ""); 17]), 0, 0, "16 values in `of`"),
        (of(AggregateOp::Sum, "colour"), 0, 0, "cannot compute the sum of \"colour\": no such column"),
        (of(AggregateOp::Sum, "age"), 0, 0, "cannot compute the sum of \"age\": its values are times"),
        (of(AggregateOp::Max, "ready"), 0, 0, "cannot compute the max of \"ready\": its values are ratios"),
        (of(AggregateOp::Min, "name"), 0, 0, "cannot compute the min of \"name\": names are texts"),
        (of(AggregateOp::Min, ""), 0, 0, "cannot compute the min of \"\": no such column"),
    ] {
        let rejection = Aggregate::new(cells("v1/pods"), options, None).err().expect(says);
        assert!(rejection.message.contains(says), "{}", rejection.message);
        assert_eq!((rejection.start, rejection.end), (start, end), "{says}");
    }
}

#[test]
fn it_has_no_rows() {
    let mut aggregate = of_pods(options(&[], &[]));
    aggregate.set_window(0, 9);
    aggregate.freeze_order(true);
    assert!(aggregate.headers().is_empty());
    let error = aggregate.change(&crate::view::ViewQuery::default(), BEGINNING).expect_err("rejected");
    assert!(error.message.contains("only a view can be changed"), "{}", error.message);
    let error = aggregate.respond(&ViewRequest::Values(ValuesOptions::default()), BEGINNING).expect_err("rejected");
    assert_eq!(error.code(), ErrorCode::BadRequest);
}

/// The `f64` of a column cannot hold them: the sum is that of the texts.
#[test]
fn large_integers_are_added_exactly() {
    let columns = paths(&[("size", "{.size}")]);
    let mut aggregate = Aggregate::new(columns, options(&[], &[(AggregateOp::Sum, "size")]), None).expect("valid");
    let thing = |name: &str, size: &str| {
        object(&format!(r#"{{"metadata":{{"name":"{name}","resourceVersion":"1"}},"size":{size}}}"#))
    };
    let things = [thing("a", "9007199254740993"), thing("b", r#""9007199254740993""#), thing("c", "1")];
    aggregate.apply(&batch(things.iter().map(add).collect()), BEGINNING);
    let mut page = Reader::default();
    page.receive(&mut aggregate, BEGINNING);
    assert_eq!(page.total, ["18014398509481987"]);
}
