//! Batches that are too large for one message.

use std::time::Duration;

use informer::transport::scripted::Reply;
use informer_engine::message::{ChangeMessage, EventHandlerOptions, FromEngine, InformerOptions, ToEngine};

use super::{Page, add_event_handler, told};
use crate::harness::{list, send};

/// `from..to` as `n/p7@1`, to be listed.
fn pods(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|i| format!("n/p{i}@{}", i + 1)).collect()
}

fn words(pods: &[String]) -> Vec<&str> {
    pods.iter().map(String::as_str).collect()
}

/// The messages for handler 2: their versions, whether they are of a relist, their changes.
fn messages(heard: Vec<FromEngine>) -> Vec<(String, bool, Vec<ChangeMessage>)> {
    let parts = |message| match message {
        FromEngine::Changes { handler: 2, resource_version, relist, changes } => {
            Some((resource_version, relist, changes))
        }
        _ => None,
    };
    heard.into_iter().filter_map(parts).collect()
}

fn synced(heard: &[FromEngine]) -> bool {
    heard.iter().any(|message| matches!(message, FromEngine::HandlerSynced { handler: 2 }))
}

#[test]
fn large_population_arrives_in_bounded_messages_at_the_pace_of_the_page() {
    let page = Page::new();
    let all = pods(0..3_200);
    let feed = page.pods(&words(&all));
    page.say(add_event_handler(1, 2));
    let heard = page.heard();
    assert!(!synced(&heard), "there is more to come");
    let mut parts = messages(heard);
    assert_eq!(
        parts.iter().map(|(.., changes)| changes.len()).collect::<Vec<_>>(),
        [500; 4],
        "no more than a few ahead"
    );
    // Later changes follow the initial objects.
    send(&feed, &["~n/p0@5001", "~n/p3199@5002"]);
    assert!(messages(page.heard()).is_empty());
    for _ in 0..2 {
        page.say(ToEngine::Ack { handler: 2 });
        let next = messages(page.heard());
        assert_eq!(next.len(), 1, "one for one");
        parts.extend(next);
    }
    page.say(ToEngine::Ack { handler: 2 });
    let heard = page.heard();
    assert!(!synced(&heard) && messages(heard.clone()).len() == 1);
    parts.extend(messages(heard));
    let mut is_synced = false;
    for _ in 0..6 {
        page.say(ToEngine::Ack { handler: 2 });
        let heard = page.heard();
        is_synced |= synced(&heard);
        parts.extend(messages(heard));
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
    page.heard();
    page.say(add_event_handler(1, 2));
    let heard = page.heard();
    let last_change = heard.iter().rposition(|m| matches!(m, FromEngine::Changes { .. })).expect("told");
    let synced = heard.iter().position(|m| matches!(m, FromEngine::HandlerSynced { .. })).expect("synced");
    assert!(last_change < synced);
    assert_eq!(messages(heard).iter().map(|(.., changes)| changes.len()).collect::<Vec<_>>(), [500, 500, 100]);
}

/// How many changes each message to the page has when these objects are listed.
fn sizes(items: &[String]) -> Vec<usize> {
    let page = Page::new();
    page.world.transport.reply(Reply::json(format!(
        r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{}]}}"#,
        items.join(",")
    )));
    let _feed = page.world.watch();
    page.say(ToEngine::Informer { informer: 1, resource: "v1/configmaps".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    page.say(add_event_handler(1, 2));
    messages(page.heard()).iter().map(|(.., changes)| changes.len()).collect()
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
    page.say(add_event_handler(1, 2));
    page.heard();
    page.say(ToEngine::Ack { handler: 2 });
    page.world.transport.reply(Reply::json(list(9_000, &words(&pods(5..1_205)))));
    let _feed = page.world.watch();
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(5));
    let parts = messages(page.heard());
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
    page.say(add_event_handler(1, 2));
    assert_eq!(messages(page.heard()).len(), 4);
    page.say(ToEngine::RemoveEventHandler { handler: 2 });
    page.say(ToEngine::Ack { handler: 2 });
    assert!(page.heard().is_empty());
}

#[test]
fn without_replay_no_initial_object_is_sent() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1", "n/b@2"]);
    let options = EventHandlerOptions { replay: false, ..EventHandlerOptions::default() };
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 2, options });
    let heard = page.heard();
    assert!(synced(&heard));
    assert!(messages(heard).is_empty());
    page.say(ToEngine::AddEventHandler { informer: 1, handler: 3, options });
    assert!(told(page.heard(), 3).is_empty(), "nor what is cached");
    send(&feed, &["~n/a@11", "+n/c@12"]);
    let heard = page.heard();
    for handler in [2, 3] {
        assert_eq!(told(heard.clone(), handler), ["Update n/a", "Add n/c"]);
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
    page.say(ToEngine::Informer { informer: 1, resource: "v1/configmaps".into(), options: InformerOptions::default() });
    page.say(ToEngine::Start);
    page.say(add_event_handler(1, 2));
    let sizes = |heard: Vec<FromEngine>| messages(heard).iter().map(|(.., of)| of.len()).collect::<Vec<_>>();
    assert_eq!(sizes(page.heard()), [4]);
    page.say(ToEngine::Ack { handler: 2 });
    page.world.transport.reply(list(20));
    let _next = page.world.watch();
    send(&feed, &["error@410"]);
    page.world.pass(Duration::from_secs(3));
    assert_eq!(sizes(page.heard()), [2, 2], "before and after");
}
