//! Reads of the cache, and responses to requests.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, ErrorReport};
use informer_engine::message::{FromEngine, InformerOptions, Read, ToEngine, ViewOptions};
use serde_json::{Value, json};

use super::Page;
use crate::harness::{list, send};

#[test]
fn reads_return_cached_objects() {
    let page = Page::new();
    let _feed = page.pods(&["a/x@1", "b/y@2"]);
    page.received();
    let ask = |what: Read| page.read(what).map_err(|error| error.code);
    let index = || "namespace".to_owned();
    assert_eq!(ask(Read::ListKeys).expect("keys"), serde_json::json!(["a/x", "b/y"]));
    assert_eq!(ask(Read::GetByKey { key: "a/x".into() }).expect("object")["metadata"]["name"], "x");
    assert!(ask(Read::GetByKey { key: "a/z".into() }).expect("null").is_null());
    let all = Read::List { namespace: String::new(), label_selector: String::new() };
    assert_eq!(ask(all).expect("objects").as_array().map(Vec::len), Some(2));
    assert_eq!(ask(Read::ByIndex { index: index(), value: "b".into() }).expect("one")[0]["metadata"]["name"], "y");
    assert_eq!(ask(Read::IndexKeys { index: index(), value: "b".into() }).expect("one"), serde_json::json!(["b/y"]));
    assert_eq!(ask(Read::ListIndexFuncValues { index: index() }).expect("values"), serde_json::json!(["a", "b"]));
    assert_eq!(ask(Read::ListIndexFuncValues { index: "no".into() }), Err(ErrorCode::BadRequest));
}

#[test]
fn followed_object_is_sent_with_each_change_and_its_deletion() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.send(ToEngine::Follow { follow: 3, informer: 1, key: "n/a".into() });
    let followed = |messages: Vec<FromEngine>| -> Vec<Option<String>> {
        let json = |message| match message {
            FromEngine::Object { follow: 3, json } => Some(json),
            _ => None,
        };
        messages.into_iter().filter_map(json).collect()
    };
    assert!(followed(page.received())[0].as_deref().is_some_and(|json| json.contains(r#""resourceVersion":"1""#)));
    send(&feed, &["~n/a@11"]);
    assert!(followed(page.received())[0].as_deref().is_some_and(|json| json.contains(r#""resourceVersion":"11""#)));
    send(&feed, &["-n/a@12"]);
    assert_eq!(followed(page.received()), [None]);
    page.send(ToEngine::Unfollow { follow: 3 });
    send(&feed, &["+n/a@13"]);
    assert!(followed(page.received()).is_empty());
}

#[test]
fn unanswered_discovery_times_out() {
    let page = Page::new();
    page.send(ToEngine::Resources { request: 4 });
    assert!(page.received().is_empty());
    page.world.pass(Duration::from_secs(31));
    match page.received().pop() {
        Some(FromEngine::Failed { request: 4, error }) => assert_eq!(error.code, ErrorCode::Timeout),
        other => panic!("{other:?}"),
    }
}

#[test]
fn resources_are_json_with_the_columns_of_views() {
    let page = Page::new();
    let verbs = r#""verbs":["list","watch","get"]"#;
    let lists = [
        r#"{"kind":"APIVersions","versions":["v1"]}"#.to_owned(),
        format!(
            r#"{{"resources":[{{"name":"widgets","kind":"Widget","namespaced":false,"shortNames":["wd"],{verbs}}},{{"name":"widgets/scale"}},{{"name":"gadgets","kind":"Gadget","namespaced":true,{verbs}}}]}}"#
        ),
        r#"{"groups":[]}"#.to_owned(),
    ];
    for list in lists {
        page.world.transport.reply(Reply::json(list));
    }
    let resources = page.request(ToEngine::Resources { request: 9 }).expect("answered");
    let widgets = json!({
        "group": "", "version": "v1", "resource": "widgets", "kind": "Widget", "namespaced": false,
        "verbs": ["list", "watch", "get"], "shortNames": ["wd"], "scale": true,
    });
    assert_eq!((&resources[0], &resources[1]["namespaced"]), (&widgets, &json!(true)));
    assert_eq!(resources[1]["scale"], false);
    for (resource, is_namespaced) in [("v1/widgets", false), ("v1/gadgets", true)] {
        page.world.transport.reply(Reply::json(list(10, &[])));
        let _feed = page.world.watch();
        page.send(ToEngine::Informer { informer: 1, resource: resource.into(), options: InformerOptions::default() });
        page.send(ToEngine::Start);
        page.open_view(ViewOptions::default());
        let columns = page.received().into_iter().find_map(|message| match message {
            FromEngine::Columns { columns, .. } => Some(columns),
            _ => None,
        });
        let names: Vec<String> = columns.expect("told").into_iter().map(|column| column.name).collect();
        assert_eq!(names.contains(&"Namespace".to_owned()), is_namespaced, "{resource}: {names:?}");
        page.send(ToEngine::CloseView { view: 5 });
        page.send(ToEngine::Stop { informer: 1 });
    }
}

#[test]
fn lis_01_a_lister_selects_by_labels_and_namespace() {
    let page = Page::new();
    let item = |namespace: &str, name: &str, labels: &str| {
        format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}","resourceVersion":"1","labels":{labels}}}}}"#
        )
    };
    let items = [
        item("a", "web", r#"{"app":"web","tier":"front"}"#),
        item("b", "web", r#"{"app":"web"}"#),
        item("b", "db", r#"{"app":"db"}"#),
        item("b", "bare", "null"),
    ];
    let list = format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"9"}},"items":[{}]}}"#, items.join(","));
    page.world.transport.reply(Reply::json(list));
    let _feed = page.world.watch();
    page.send(ToEngine::Informer { informer: 1, resource: "v1/pods".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    let list = |namespace: &str, selector: &str| {
        let objects = page.read(Read::List { namespace: namespace.into(), label_selector: selector.into() })?;
        let meta = |object: &Value, field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        let key = |object: &Value| format!("{}/{}", meta(object, "namespace"), meta(object, "name"));
        let mut keys: Vec<String> = objects.as_array().expect("an array").iter().map(key).collect();
        keys.sort();
        Ok::<_, ErrorReport>(keys.join(" "))
    };
    let selects = |namespace, selector| list(namespace, selector).expect("a selector");
    assert_eq!(selects("", ""), "a/web b/bare b/db b/web");
    assert_eq!(selects("", "app=web"), "a/web b/web");
    assert_eq!(selects("b", "app"), "b/db b/web");
    assert_eq!(selects("b", "app in (web,db),!tier"), "b/db b/web");
    assert_eq!(selects("b", "app notin (web)"), "b/bare b/db");
    assert_eq!(selects("c", ""), "");
    for namespace in ["", "b"] {
        let error = list(namespace, "app in (web").expect_err("no selector");
        assert_eq!(error.code, ErrorCode::BadRequest);
        assert!(error.message.contains("app in (web"), "{}", error.message);
    }
}
