//! Messages to a page: which are sent, which are not repeated, and which end with their subscription.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer::{ErrorCode, Freshness, InformerError, InformerStatus, Phase};
use informer_engine::message::{FromEngine, InformerOptions, ToEngine, ViewOptions};
use serde_json::Value;

use super::{Page, add_event_handler, patches};
use crate::harness::{list, send};

fn statuses(messages: &[FromEngine], of: u32) -> Vec<InformerStatus> {
    let status = |message: &FromEngine| match message {
        FromEngine::Status { informer, status } if *informer == of => Some(status.clone()),
        _ => None,
    };
    messages.iter().filter_map(status).collect()
}

fn objects(messages: &[FromEngine]) -> Vec<(u32, Option<String>)> {
    let version = |json: &String| {
        let object: Value = serde_json::from_str(json).expect("JSON");
        object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned()
    };
    let object = |message: &FromEngine| match message {
        FromEngine::Object { follow, json } => Some((*follow, json.as_ref().map(version))),
        _ => None,
    };
    messages.iter().filter_map(object).collect()
}

#[test]
fn rejected_session_is_closed_and_receives_nothing_more() {
    let page = Page::new();
    let session = page.session.as_ref().expect("open");
    assert!(!session.is_closed());
    session.refuse(&InformerError::new(ErrorCode::BadRequest, "no message"));
    assert!(session.is_closed());
    let received = page.received();
    assert!(matches!(&received[..], [FromEngine::Refused { error }] if error.message == "no message"), "{received:?}");
    page.send(ToEngine::Resources { request: 9 });
    assert_eq!(page.received(), []);
}

#[test]
fn informer_of_an_invalid_resource_is_failed_and_stale_with_a_reason() {
    let page = Page::new();
    page.send(ToEngine::Informer { informer: 1, resource: "pods".into(), options: InformerOptions::default() });
    let received = page.received();
    let status = statuses(&received, 1).pop().expect("a status");
    assert_eq!((status.phase, status.freshness), (Phase::Failed, Freshness::Stale));
    let error = status.last_error.expect("an error");
    assert!(received.contains(&FromEngine::Error { informer: 1, error: error.clone() }), "{error:?}");
}

#[test]
fn unchanged_status_is_not_sent_again_and_a_changed_one_is_sent_at_once() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.world.pass(Duration::from_secs(2));
    page.received();
    // A view and a handler cause flushes, without a change of the informer.
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    page.send(add_event_handler(1, 2));
    assert_eq!(statuses(&page.received(), 1), []);
    // Counters are sent four times a second at most.
    let mut sent = Vec::new();
    for version in 0..50 {
        send(&feed, &[&format!("~n/a@{}", 11 + version)]);
        page.world.pass(Duration::from_millis(20));
        sent.extend(statuses(&page.received_now(), 1));
    }
    assert!((3..=7).contains(&sent.len()), "{} in a second", sent.len());
    // A phase change is sent at once.
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_millis(20));
    let [status] = &statuses(&page.received_now(), 1)[..] else { panic!("one status") };
    assert_ne!(Some(status.phase), sent.last().map(|status| status.phase));
}

#[test]
fn followed_object_is_sent_only_when_it_changes() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2"]);
    page.send(ToEngine::Follow { follow: 7, informer: 1, key: "n/a".into() });
    assert_eq!(objects(&page.received()), [(7, Some("1".into()))]);
    send(&feed, &["~n/b@11"]);
    assert_eq!(objects(&page.received()), []);
    send(&feed, &["~n/a@12"]);
    assert_eq!(objects(&page.received()), [(7, Some("12".into()))]);
    // Stopping informer 2 does not remove subscriptions of informer 1.
    page.world.transport.reply(Reply::json(list(10, &[])));
    let _services = page.world.watch();
    page.send(ToEngine::Informer { informer: 2, resource: "v1/services".into(), options: InformerOptions::default() });
    page.send(ToEngine::Start);
    page.received();
    page.send(ToEngine::Follow { follow: 8, informer: 2, key: "n/x".into() });
    assert_eq!(objects(&page.received()), [(8, None)]);
    page.send(ToEngine::Stop { informer: 2 });
    send(&feed, &["-n/a@13"]);
    assert_eq!(objects(&page.received()), [(7, None)]);
    page.send(ToEngine::Stop { informer: 1 });
    send(&feed, &["+n/a@14"]);
    assert_eq!(objects(&page.received()), []);
}

#[test]
fn closed_view_is_not_computed() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.open_view(ViewOptions { end: 5, ..ViewOptions::default() });
    assert_eq!(patches(page.received()).len(), 1);
    let handlers = || {
        let inspection = page.request(ToEngine::Inspect { request: 9, informer: 1 }).expect("an inspection");
        inspection["metrics"]["handlers"].as_array().expect("a list").len()
    };
    assert_eq!(handlers(), 1);
    page.send(ToEngine::CloseView { view: 5 });
    send(&feed, &["~n/a@11"]);
    assert_eq!((patches(page.received()), handlers()), (vec![], 0));
}

/// The messages of informer 1's errors.
fn errors(messages: Vec<FromEngine>) -> Vec<String> {
    let error = |message| match message {
        FromEngine::Error { informer: 1, error } => Some(error.message),
        _ => None,
    };
    messages.into_iter().filter_map(error).collect()
}

#[test]
fn errors_of_one_kind_are_one_error_with_a_count() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.received();
    // Finds too many values in deeply nested objects.
    let indexers = [("greedy".to_owned(), "{..a..a..a..a..a..a..a..a}".to_owned())].into();
    page.send(ToEngine::AddIndexers { request: 9, informer: 1, indexers });
    assert_eq!(errors(page.received()), Vec::<String>::new(), "an object that is not nested");
    let deep = format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60));
    let event = |version: u32| {
        let metadata = format!(r#"{{"namespace":"n","name":"deep-{version}","resourceVersion":"{version}"}}"#);
        format!(r#"{{"type":"ADDED","object":{{"metadata":{metadata},"deep":{deep}}}}}"#) + "\n"
    };
    let events: String = (11..14).map(event).collect();
    feed.unbounded_send(Ok(events.into_bytes())).expect("open");
    let [error] = &errors(page.received())[..] else { panic!("one error") };
    assert!(error.contains("n/deep-11 is missing from index \"greedy\""), "{error}");
    assert!(error.ends_with("(and 2 similar errors)"), "{error}");
}

#[test]
fn rejected_label_selector_sends_no_view() {
    let page = Page::new();
    let _feed = page.pods(&["n/a@1"]);
    page.received();
    page.open_view(ViewOptions { label_selector: Some("((".into()), ..ViewOptions::default() });
    let received = page.received();
    assert!(received.iter().all(|message| !matches!(message, FromEngine::View { .. })), "{received:?}");
}
