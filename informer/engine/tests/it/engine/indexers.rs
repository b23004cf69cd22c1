//! Indexes by JSONPath, requested by pages.

use informer::transport::scripted::Reply;
use informer::{ErrorCode, ErrorReport};
use informer_engine::engine::LINGER;
use informer_engine::message::{FromEngine, InformerOptions, PROTOCOL_VERSION, Read, TextsByName, ToEngine};
use serde_json::{Value, json};

use super::Page;
use crate::harness::Feed;

fn pod(name: &str, version: u32, node: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"n","resourceVersion":"{version}"}},"spec":{{"nodeName":{node}}}}}"#
    )
}

/// Pods a and b on n1, c on n2, d nowhere.
fn synced() -> (Page, Feed) {
    let page = Page::new();
    let items = [pod("a", 1, r#""n1""#), pod("b", 2, r#""n1""#), pod("c", 3, r#""n2""#), pod("d", 4, "null")];
    let list = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{}]}}"#,
        items.join(",")
    );
    page.world.transport.reply(Reply::json(list));
    let feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    (page, feed)
}

fn add(page: &Page, indexers: &[(&str, &str)]) -> Result<Value, ErrorReport> {
    let owned = |(name, path): &(&str, &str)| ((*name).to_owned(), (*path).to_owned());
    let indexers: TextsByName = indexers.iter().map(owned).collect();
    page.request(ToEngine::AddIndexers { request: 9, informer: 1, indexers })
}

fn keys(page: &Page, index: &str, value: &str) -> Result<Value, ErrorReport> {
    page.read(Read::IndexKeys { index: index.into(), value: value.into() })
}

#[test]
fn shi_01_index_over_a_path_is_consistent_from_the_start() {
    let (page, feed) = synced();
    assert_eq!(add(&page, &[("node", "{.spec.nodeName}")]), Ok(Value::Null));
    assert_eq!(keys(&page, "node", "n1"), Ok(json!(["n/a", "n/b"])));
    let line = format!(r#"{{"type":"MODIFIED","object":{}}}"#, pod("b", 11, r#""n2""#));
    feed.unbounded_send(Ok(format!("{line}\n").into_bytes())).expect("open");
    page.received();
    assert_eq!(keys(&page, "node", "n1"), Ok(json!(["n/a"])));
    assert_eq!(keys(&page, "node", "n2"), Ok(json!(["n/b", "n/c"])));
    let objects = page.read(Read::ByIndex { index: "node".into(), value: "n2".into() }).expect("objects");
    assert_eq!(objects[0]["metadata"]["name"], "b");
    assert_eq!(
        page.read(Read::ListIndexFuncValues { index: "node".into() }),
        Ok(json!(["n1", "n2"])),
        "null is no value"
    );
}

#[test]
fn list_of_indexes_includes_the_built_in_one() {
    let (page, _feed) = synced();
    assert_eq!(page.read(Read::GetIndexers), Ok(json!({ "namespace": "{.metadata.namespace}" })));
    add(&page, &[("node", "{.spec.nodeName}")]).expect("added");
    let all = json!({ "namespace": "{.metadata.namespace}", "node": "{.spec.nodeName}" });
    assert_eq!(page.read(Read::GetIndexers), Ok(all));
}

#[test]
fn shi_02_the_same_name_with_another_path_adds_nothing() {
    let (page, _feed) = synced();
    add(&page, &[("node", "{.spec.nodeName}")]).expect("added");
    assert_eq!(add(&page, &[("node", "{.spec.nodeName}"), ("name", "{.metadata.name}")]), Ok(Value::Null), "as it is");
    for clash in [("node", "{.metadata.uid}"), ("node", "{['spec'].nodeName}"), ("namespace", "{.metadata.uid}")] {
        let error = add(&page, &[("a-new-one", "{.metadata.uid}"), clash]).expect_err("a clash");
        assert_eq!(error.code, ErrorCode::BadRequest);
        for word in [clash.0, clash.1, "already"] {
            assert!(error.message.contains(word), "{}", error.message);
        }
        assert_eq!(keys(&page, "a-new-one", "x").expect_err("not added").code, ErrorCode::BadRequest);
    }
    assert_eq!(keys(&page, "name", "a"), Ok(json!(["n/a"])));
}

#[test]
fn invalid_path_is_reported_with_its_position_alone() {
    let (page, _feed) = synced();
    for path in ["{.spec[", "spec.nodeName", "", "{.a}{"] {
        let error = add(&page, &[("good", "{.metadata.name}"), ("where", path)]).expect_err(path);
        assert_eq!(error.code, ErrorCode::BadRequest);
        for words in ["\"where\"", "at byte", &format!("{path:?}")] {
            assert!(error.message.contains(words), "{}", error.message);
        }
    }
    assert!(keys(&page, "good", "a").is_err(), "all or nothing");
    assert_eq!(page.read(Read::ListKeys), Ok(json!(["n/a", "n/b", "n/c", "n/d"])), "the informer goes on");
}

#[test]
fn index_belongs_to_the_shared_informer_and_ends_with_it() {
    let (mut page, _feed) = synced();
    add(&page, &[("node", "{.spec.nodeName}")]).expect("added");
    let first = page.session.take();
    page.reload();
    page.send(ToEngine::Connect { version: PROTOCOL_VERSION, server: "http://localhost".into(), persist: false });
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.received();
    assert_eq!(keys(&page, "node", "n2"), Ok(json!(["n/c"])), "the other page's index");
    assert_eq!(add(&page, &[("node", "{.spec.nodeName}")]), Ok(Value::Null), "it is there");
    assert_eq!(page.read(Read::GetIndexers).expect("paths")["node"], "{.spec.nodeName}");
    assert_eq!(add(&page, &[("node", "{.metadata.uid}")]).expect_err("a clash").code, ErrorCode::BadRequest);
    drop(first);
    page.received();
    assert_eq!(keys(&page, "node", "n2"), Ok(json!(["n/c"])), "as long as one of them is there");
    page.send(ToEngine::Stop { informer: 1 });
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    assert_eq!(keys(&page, "node", "n2"), Ok(json!(["n/c"])), "a page that returns at once finds it with its indexes");
    page.send(ToEngine::Stop { informer: 1 });
    page.world.pass(LINGER * 2);
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    assert!(keys(&page, "node", "n2").is_err(), "a new informer");
    assert_eq!(add(&page, &[("node", "{.metadata.uid}")]), Ok(Value::Null));
    page.send(ToEngine::Informer { informer: 2, resource: "v1/pods".into(), options: InformerOptions::default() });
    let indexers: TextsByName = [("node".to_owned(), "{.metadata.uid}".to_owned())].into_iter().collect();
    let added = page.request(ToEngine::AddIndexers { request: 9, informer: 2, indexers });
    assert_eq!(added, Ok(Value::Null), "the new informer's users share its indexes again");
}

#[test]
fn indexers_of_an_unknown_informer_are_rejected() {
    let page = Page::new();
    assert_eq!(add(&page, &[("node", "{.spec.nodeName}")]).expect_err("no informer").code, ErrorCode::Closed);
}

#[test]
fn shi_03_object_on_which_a_path_fails_is_omitted_from_the_index_and_reported() {
    let (page, feed) = synced();
    // Everything below everything below everything: more than a path may visit.
    let greedy = format!("{{{}}}", "..a".repeat(8));
    add(&page, &[("greedy", &greedy), ("node", "{.spec.nodeName}")]).expect("it is a path");
    let deep = format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60));
    let object = pod("deep", 11, r#""n2""#).replace("\"spec\"", &format!(r#""deep":{deep},"spec""#));
    let line = format!(r#"{{"type":"ADDED","object":{object}}}"#);
    feed.unbounded_send(Ok(format!("{line}\n").into_bytes())).expect("open");
    let left_out = |message| match message {
        FromEngine::Error { informer: 1, error } => Some(error.message),
        _ => None,
    };
    let deliveries: Vec<String> = page.received().into_iter().filter_map(left_out).collect();
    assert_eq!(deliveries.len(), 1);
    assert!(deliveries[0].contains("n/deep is missing from index \"greedy\""), "{}", deliveries[0]);
    assert!(!deliveries[0].contains("similar"), "it is the only one: {}", deliveries[0]);
    assert_eq!(keys(&page, "node", "n2"), Ok(json!(["n/c", "n/deep"])), "other indexes have it");
}

#[test]
fn rel_10_an_index_may_be_over_a_relation() {
    let (page, _feed) = synced();
    assert_eq!(add(&page, &[("on", "relation:node")]), Ok(Value::Null));
    assert_eq!(keys(&page, "on", "n1"), Ok(json!(["n/a", "n/b"])));
    let all = json!({ "namespace": "{.metadata.namespace}", "on": "relation:node" });
    assert_eq!(page.read(Read::GetIndexers), Ok(all));
    assert_eq!(add(&page, &[("on", "{.spec.nodeName}")]).map_err(|error| error.code), Err(ErrorCode::BadRequest));
    let error = add(&page, &[("of", "relation:friend")]).expect_err("no relation");
    assert_eq!(error.code, ErrorCode::BadRequest);
    assert!(error.message.contains("the relations are controller, involvedObject"), "{}", error.message);
}
