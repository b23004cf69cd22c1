//! Handlers of a page: what crosses, how much of it, and when.

use std::time::Duration;

use informer::message::{ChangeKind, ChangeMessage, EventHandlerOptions, FromEngine, InformerOptions, ToEngine};

use super::{Page, add_event_handler};
use crate::harness::{object, send};

#[test]
fn handlers_get_every_change_as_json() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(add_event_handler(1, 2));
    let kinds = |messages: Vec<FromEngine>| -> Vec<String> {
        let word = |message| match message {
            FromEngine::Changes { handler: 2, changes, resource_version, .. } => {
                Some(format!("{} changes at {resource_version}", changes.len()))
            }
            FromEngine::HandlerSynced { handler: 2 } => Some("synced".into()),
            _ => None,
        };
        messages.into_iter().filter_map(word).collect()
    };
    assert_eq!(kinds(page.heard()), ["1 changes at 10", "synced"]);
    send(&feed, &["~n/a@11", "-n/a@12"]);
    assert_eq!(kinds(page.heard()), ["2 changes at 12"]);
    page.say(ToEngine::RemoveEventHandler { handler: 2 });
    send(&feed, &["+n/b@13"]);
    assert!(kinds(page.heard()).is_empty());
}

#[test]
fn shi_24_a_page_that_is_slow_is_told_less_and_holds_up_nobody() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(add_event_handler(1, 2));
    page.say(add_event_handler(1, 3));
    let told = |messages: Vec<FromEngine>, of: u32| -> usize {
        messages.iter().filter(|m| matches!(m, FromEngine::Changes { handler, .. } if *handler == of)).count()
    };
    let (mut slow, mut fast) = (0, 0);
    for round in 1..200 {
        let words: Vec<String> = (0..10).map(|event| format!("~n/a@{}", round * 10 + event)).collect();
        send(&feed, &words.iter().map(String::as_str).collect::<Vec<_>>());
        let heard = page.heard();
        slow += told(heard.clone(), 2);
        for _ in 0..told(heard.clone(), 3) {
            fast += 1;
            page.say(ToEngine::Took { handler: 3 });
        }
    }
    assert_eq!((slow, fast), (4, 200), "each batch for the one, the first few for the other");
    // 1,024 changes may wait as they are; those beyond become one for each object.
    let (mut changes_told, mut last) = (0, String::new());
    for _ in 0..200 {
        page.say(ToEngine::Took { handler: 2 });
        for message in page.heard() {
            if let FromEngine::Changes { handler: 2, changes, resource_version, .. } = message {
                (changes_told, last) = (changes_told + changes.len(), resource_version);
            }
        }
    }
    assert!(changes_told < 1_100, "{changes_told} of some 2,000");
    assert_eq!(last, "1999");
}

#[test]
fn a_burst_over_many_keys_is_one_message() {
    let page = Page::new();
    let feed = page.pods(&[]);
    page.say(add_event_handler(1, 2));
    page.heard();
    let line = |i: u32| format!(r#"{{"type":"ADDED","object":{}}}"#, object(&format!("n/p{i}@{}", 11 + i)));
    let burst = (0..500).map(line).collect::<Vec<_>>().join("\n") + "\n";
    feed.unbounded_send(Ok(burst.into_bytes())).expect("open");
    let batches: Vec<usize> = page
        .heard()
        .into_iter()
        .filter_map(|message| match message {
            FromEngine::Changes { changes, resource_version, .. } => {
                assert_eq!(resource_version, "510");
                Some(changes.len())
            }
            _ => None,
        })
        .collect();
    assert_eq!(batches, [500]);
}

#[test]
fn a_status_is_never_older_than_the_changes_it_comes_with() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.say(add_event_handler(1, 2));
    page.heard();
    for version in 11..20 {
        send(&feed, &[&format!("~n/a@{version}")]);
        page.world.settle();
    }
    let mut known = String::new();
    for message in page.heard() {
        match message {
            FromEngine::Status { status, .. } => known = status.resource_version,
            FromEngine::Changes { resource_version, .. } => assert_eq!(known, resource_version),
            _ => {}
        }
    }
    assert_eq!(known, "19");
}

/// The changes for a handler, as `kind key`, with what an update was from: `=` where nothing changed.
fn told(messages: Vec<FromEngine>, of: u32) -> Vec<String> {
    let word = |change: ChangeMessage| {
        let same = change.kind == ChangeKind::Update && change.previous.is_none();
        format!("{:?} {}{}", change.kind, change.key, if same { " =" } else { "" })
    };
    let changes = |message| match message {
        FromEngine::Changes { handler, changes, .. } if handler == of => Some(changes),
        _ => None,
    };
    messages.into_iter().filter_map(changes).flatten().map(word).collect()
}

fn resynced_every(ms: u32) -> InformerOptions {
    InformerOptions { resync: Some(ms), ..InformerOptions::default() }
}

#[test]
fn rsy_15_a_resync_tells_what_is_cached_without_a_previous_state() {
    let page = Page::new();
    let feed = page.pods_with(resynced_every(10_000), &["n/a@1"]);
    page.say(add_event_handler(1, 2));
    assert_eq!(told(page.heard(), 2), ["Add n/a"]);
    let asked = page.world.asked().len();
    page.world.pass(Duration::from_secs(9));
    assert!(told(page.heard(), 2).is_empty(), "not yet");
    page.world.pass(Duration::from_secs(1));
    assert_eq!(told(page.heard(), 2), ["Update n/a ="]);
    assert_eq!(page.world.asked().len(), asked, "the server is not asked");
    send(&feed, &["~n/a@11"]);
    assert_eq!(told(page.heard(), 2), ["Update n/a"]);
}

#[test]
fn rsy_07_a_handler_is_resynced_as_it_asks_as_far_as_its_informer_looks() {
    let asks = |informer: Option<u32>, handler: Option<u32>| {
        let page = Page::new();
        let options = InformerOptions { resync: informer, ..InformerOptions::default() };
        let _feed = page.pods_with(options, &["n/a@1"]);
        page.heard();
        let options = EventHandlerOptions { resync_period: handler };
        page.say(ToEngine::AddEventHandler { informer: 1, handler: 2, options });
        page.heard();
        let mut resyncs = 0;
        for _ in 0..60 {
            page.world.pass(Duration::from_secs(1));
            resyncs += told(page.inbox.take(), 2).len();
            (0..resyncs).for_each(|_| page.say(ToEngine::Took { handler: 2 }));
        }
        resyncs
    };
    assert_eq!(asks(None, None), 0);
    assert_eq!(asks(None, Some(5_000)), 0, "an informer without a resync does not look");
    assert_eq!(asks(Some(0), Some(5_000)), 0);
    assert_eq!(asks(Some(10_000), Some(0)), 0, "the handler wants none");
    assert_eq!(asks(Some(10_000), None), 5);
    assert_eq!(asks(Some(10_000), Some(20_000)), 2);
    assert_eq!(asks(Some(10_000), Some(1_000)), 5, "not more often than the informer");
    assert!((58..=60).contains(&asks(Some(1), None)), "once a second at the most");
}

#[test]
fn a_resync_is_how_and_costs_no_second_watch() {
    let page = Page::new();
    let _feed = page.pods_with(resynced_every(10_000), &["n/a@1"]);
    page.heard();
    page.say(ToEngine::Informer { informer: 2, resource: "v1/pods".into(), options: resynced_every(2_000) });
    page.say(ToEngine::Start);
    page.say(add_event_handler(2, 3));
    page.heard();
    page.world.pass(Duration::from_secs(15));
    assert!(told(page.heard(), 3).is_empty(), "the first user has decided");
    page.world.pass(Duration::from_secs(5));
    assert_eq!(told(page.heard(), 3), ["Update n/a ="]);
    assert_eq!(page.world.asked().len(), 2, "one list, one watch");
}
