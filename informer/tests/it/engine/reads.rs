//! Reads of the cache, and answers to requests.

use std::time::Duration;

use informer::ErrorCode;
use informer::message::{FromEngine, Read, ToEngine};

use super::Page;
use crate::harness::send;

#[test]
fn reads_answer_from_the_cache() {
    let page = Page::new();
    let _feed = page.pods(&["a/x@1", "b/y@2"]);
    page.heard();
    let ask = |read: Read| {
        page.say(ToEngine::Read { request: 9, informer: 1, read });
        match page.heard().remove(0) {
            FromEngine::Reply { request: 9, json } => {
                Ok(serde_json::from_str::<serde_json::Value>(&json).expect("JSON"))
            }
            FromEngine::Failed { request: 9, error } => Err(error.code),
            other => panic!("{other:?}"),
        }
    };
    let index = || "namespace".to_owned();
    assert_eq!(ask(Read::ListKeys).expect("keys"), serde_json::json!(["a/x", "b/y"]));
    assert_eq!(ask(Read::GetByKey { key: "a/x".into() }).expect("object")["metadata"]["name"], "x");
    assert!(ask(Read::GetByKey { key: "a/z".into() }).expect("null").is_null());
    assert_eq!(ask(Read::List).expect("objects").as_array().map(Vec::len), Some(2));
    assert_eq!(ask(Read::ByIndex { index: index(), value: "b".into() }).expect("one")[0]["metadata"]["name"], "y");
    assert_eq!(ask(Read::IndexKeys { index: index(), value: "b".into() }).expect("one"), serde_json::json!(["b/y"]));
    assert_eq!(ask(Read::ListIndexFuncValues { index: index() }).expect("values"), serde_json::json!(["a", "b"]));
    assert_eq!(ask(Read::ListIndexFuncValues { index: "no".into() }), Err(ErrorCode::BadRequest));
}

#[test]
fn a_followed_object_comes_with_each_change_and_its_end() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(ToEngine::Follow { follow: 3, informer: 1, key: "n/a".into() });
    let followed = |messages: Vec<FromEngine>| -> Vec<Option<String>> {
        let json = |message| match message {
            FromEngine::Object { follow: 3, json } => Some(json),
            _ => None,
        };
        messages.into_iter().filter_map(json).collect()
    };
    assert!(followed(page.heard())[0].as_deref().is_some_and(|json| json.contains(r#""resourceVersion":"1""#)));
    send(&feed, &["~n/a@11"]);
    assert!(followed(page.heard())[0].as_deref().is_some_and(|json| json.contains(r#""resourceVersion":"11""#)));
    send(&feed, &["-n/a@12"]);
    assert_eq!(followed(page.heard()), [None]);
    page.say(ToEngine::Unfollow { follow: 3 });
    send(&feed, &["+n/a@13"]);
    assert!(followed(page.heard()).is_empty());
}

#[test]
fn discovery_that_is_not_answered_is_given_up() {
    let page = Page::new();
    page.say(ToEngine::Resources { request: 4 });
    assert!(page.heard().is_empty());
    page.world.pass(Duration::from_secs(31));
    match page.heard().pop() {
        Some(FromEngine::Failed { request: 4, error }) => assert_eq!(error.code, ErrorCode::Timeout),
        other => panic!("{other:?}"),
    }
}
