//! Batches that are too large for one message.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer_engine::message::{ChangeMessage, EventHandlerOptions, FromEngine, InformerOptions, ToEngine};

use super::{Page, add_event_handler, deliveries};
use crate::harness::{list, send};

/// `from..to` as `n/p7@1`, to be listed.
fn pods(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|i| format!("n/p{i}@{}", i + 1)).collect()
}

fn words(pods: &[String]) -> Vec<&str> {
    pods.iter().map(String::as_str).collect()
}

/// The messages for handler 2: their versions, whether they are of a relist, their changes.
fn messages(received: Vec<FromEngine>) -> Vec<(String, bool, Vec<ChangeMessage>)> {
    let parts = |message| match message {
        FromEngine::Changes { handler: 2, resource_version, relist, changes } => {
            Some((resource_version, relist, changes))
        }
        _ => None,
    };
    received.into_iter().filter_map(parts).collect()
}

fn synced(received: &[FromEngine]) -> bool {
    received.iter().any(|message| matches!(message, FromEngine::HandlerSynced { handler: 2 }))
}

#[test]
fn large_population_arrives_in_bounded_messages_at_the_pace_of_the_page() {
    let page = Page::new();
    let all = pods(0..3_200);
    let feed = page.pods(&words(&all));
    page.send(add_event_handler(1, 2));
    let received = page.received();
    assert!(!synced(&received), "there is more to come");
    let mut parts = messages(received);
    assert_eq!(
        parts.iter().map(|(.., changes)| changes.len()).collect::<Vec<_>>(),
        [500; 4],
        "no more than a few ahead"
    );
    // Later changes follow the initial objects.
    send(&feed, &["~n/p0@5001", "~n/p3199@5002"]);
    assert!(messages(page.received()).is_empty());
    for _ in 0..2 {
        page.send(ToEngine::Ack { handler: 2 });
        let next = messages(page.received());
        assert_eq!(next.len(), 1, "one for one");
        parts.extend(next);
    }
    page.send(ToEngine::Ack { handler: 2 });
    let received = page.received();
    assert!(!synced(&received) && messages(received.clone()).len() == 1);
    parts.extend(messages(received));
    let mut is_synced = false;
    for _ in 0..6 {
        page.send(ToEngine::Ack { handler: 2 });
        let received = page.received();
        is_synced |= synced(&received);
        parts.extend(messages(received));
    }
    assert!(is_synced);
    let (initial, later): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(_, relist, _)| *relist);
    assert_eq!(
        initial.iter().map(|(.., changes)| changes.len()).collect::<Vec<_>>(),
        [500, 500, 500, 500, 500, 500, 200]
    );
    assert!(initial.iter().all(|(version, ..)| version == "10"));
    let mut keys: Vec<&str> = initial.iter().flat_map(|(.., changes)| changes).map(|c| c.key.as_str()).collect();
    assert!(initial.iter().flat_map(|(.., changes)| changes).all(|change| change.is_in_initial_list));
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 3_200);
    let later: Vec<_> =
        later.iter().flat_map(|(.., changes)| changes).map(|c| (c.key.as_str(), c.previous.is_some())).collect();
    assert_eq!(later, [("n/p0", true), ("n/p3199", true)]);
}

#[test]
fn shi_20_a_late_handler_is_sent_the_cache_in_parts_and_is_synced_after_the_last() {
    let page = Page::new();
    let all = pods(0..1_100);
    let _feed = page.pods(&words(&all));
    page.received();
    page.send(add_event_handler(1, 2));
    let received = page.received();
    let last_change = received.iter().rposition(|m| matches!(m, FromEngine::Changes { .. })).expect("told");
    let synced = received.iter().position(|m| matches!(m, FromEngine::HandlerSynced { .. })).expect("synced");
    assert!(last_change < synced);
    assert_eq!(messages(received).iter().map(|(.., changes)| changes.len()).collect::<Vec<_>>(), [500, 500, 100]);
}

/// Starts an informer of config maps with a handler.
fn start_config_maps(page: &Page) {
    page.send(ToEngine::Informer {
        informer: 1,
        resource: "v1/configmaps".into(),
        options: InformerOptions::default(),
    });
    page.send(ToEngine::Start);
    page.send(add_event_handler(1, 2));
}

/// How many changes each message to the page has when these objects are listed.
fn sizes(items: &[String]) -> Vec<usize> {
    let page = Page::new();
    page.world.transport.reply(Reply::json(format!(
        r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{}]}}"#,
        items.join(",")
    )));
    let _feed = page.world.watch();
    start_config_maps(&page);
    messages(page.received()).iter().map(|(.., changes)| changes.len()).collect()
}

#[test]
fn large_objects_arrive_few_per_message() {
    let object = |i: u32| {
        let data = "x".repeat(1_500_000);
        format!(r#"{{"metadata":{{"name":"m{i}","namespace":"n","resourceVersion":"1"}},"data":{{"x":"{data}"}}}}"#)
    };
    let items: Vec<String> = (0..5).map(object).collect();
    assert_eq!(sizes(&items), [2, 2, 1]);
}

#[test]
fn a_message_may_be_as_large_as_its_limit() {
    let object = |i: u32, data: &str| {
        format!(
            r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"m{i}","namespace":"n","resourceVersion":"1"}},"data":{{"x":"{data}"}}}}"#
        )
    };
    // Two of them are four mebibytes.
    let data = "x".repeat((2 << 20) - object(0, "").len());
    let items: Vec<String> = (0..4).map(|i| object(i, &data)).collect();
    assert_eq!(sizes(&items), [2, 2]);
}

#[test]
fn all_parts_of_a_large_relist_are_marked_as_a_relist() {
    let page = Page::new();
    let feed = page.pods(&words(&pods(0..10)));
    page.send(add_event_handler(1, 2));
    page.received();
    page.send(ToEngine::Ack { handler: 2 });
    page.world.transport.reply(Reply::json(list(9_000, &words(&pods(5..1_205)))));
    let _feed = page.world.watch();
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(5));
    let parts = messages(page.received());
    assert_eq!(parts.iter().map(|(.., changes)| changes.len()).collect::<Vec<_>>(), [500, 500, 200]);
    assert!(parts.iter().all(|(version, relist, _)| *relist && version == "9000"));
    let gone = parts[0].2.iter().filter(|change| change.final_state_unknown).count();
    assert_eq!(gone, 5, "deletions first");
}

#[test]
fn removed_handler_receives_no_further_parts() {
    let page = Page::new();
    let all = pods(0..3_000);
    let _feed = page.pods(&words(&all));
    page.send(add_event_handler(1, 2));
    assert_eq!(messages(page.received()).len(), 4);
    page.send(ToEngine::RemoveEventHandler { handler: 2 });
    page.send(ToEngine::Ack { handler: 2 });
    assert!(page.received().is_empty());
}

#[test]
fn without_replay_no_initial_object_is_sent() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2"]);
    let options = EventHandlerOptions { replay: false, ..EventHandlerOptions::default() };
    page.send(ToEngine::AddEventHandler { informer: 1, handler: 2, options });
    let received = page.received();
    assert!(synced(&received));
    assert!(messages(received).is_empty());
    page.send(ToEngine::AddEventHandler { informer: 1, handler: 3, options });
    assert!(deliveries(page.received(), 3).is_empty(), "nor what is cached");
    send(&feed, &["~n/a@11", "+n/c@12"]);
    let received = page.received();
    for handler in [2, 3] {
        assert_eq!(deliveries(received.clone(), handler), ["Update n/a", "Add n/c"]);
    }
}

#[test]
fn size_of_an_update_includes_both_states() {
    let page = Page::new();
    let list = |version: u32| {
        let object = |i: u32| {
            let data = "x".repeat(900_000);
            format!(
                r#"{{"metadata":{{"name":"m{i}","namespace":"n","uid":"u{i}","resourceVersion":"{version}"}},"data":{{"x":"{data}"}}}}"#
            )
        };
        let items: Vec<String> = (0..4).map(object).collect();
        let items = items.join(",");
        Reply::json(format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"}},"items":[{items}]}}"#
        ))
    };
    page.world.transport.reply(list(9));
    let feed = page.world.watch();
    start_config_maps(&page);
    let sizes = |received: Vec<FromEngine>| messages(received).iter().map(|(.., of)| of.len()).collect::<Vec<_>>();
    assert_eq!(sizes(page.received()), [4]);
    page.send(ToEngine::Ack { handler: 2 });
    page.world.transport.reply(list(20));
    let _next = page.world.watch();
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(3));
    assert_eq!(sizes(page.received()), [2, 2], "before and after");
}
