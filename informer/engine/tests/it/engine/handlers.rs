//! Handlers of a page: which messages are sent, how large, and when.

use informer_engine::message::{FromEngine, ToEngine};

use super::{Page, add_event_handler};
use crate::harness::{object, send};

#[test]
fn handlers_receive_every_change_as_json() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.send(add_event_handler(1, 2));
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
    assert_eq!(kinds(page.received()), ["1 changes at 10", "synced"]);
    send(&feed, &["~n/a@11", "-n/a@12"]);
    assert_eq!(kinds(page.received()), ["2 changes at 12"]);
    page.send(ToEngine::RemoveEventHandler { handler: 2 });
    send(&feed, &["+n/b@13"]);
    assert!(kinds(page.received()).is_empty());
}

#[test]
fn shi_24_slow_page_receives_merged_changes_and_delays_no_other() {
    let page = Page::new();
    let feed = page.pods(&["n/a@1"]);
    page.send(add_event_handler(1, 2));
    page.send(add_event_handler(1, 3));
    let deliveries = |messages: Vec<FromEngine>, of: u32| -> usize {
        messages.iter().filter(|m| matches!(m, FromEngine::Changes { handler, .. } if *handler == of)).count()
    };
    let (mut slow, mut fast) = (0, 0);
    for round in 1..200 {
        let words: Vec<String> = (0..10).map(|event| format!("~n/a@{}", round * 10 + event)).collect();
        send(&feed, &words.iter().map(String::as_str).collect::<Vec<_>>());
        let received = page.received();
        slow += deliveries(received.clone(), 2);
        for _ in 0..deliveries(received.clone(), 3) {
            fast += 1;
            page.send(ToEngine::Ack { handler: 3 });
        }
    }
    assert_eq!((slow, fast), (4, 200), "each batch for the one, the first few for the other");
    // 1,024 changes may wait as they are; those beyond become one for each object.
    let (mut changes_told, mut last) = (0, String::new());
    for _ in 0..200 {
        page.send(ToEngine::Ack { handler: 2 });
        for message in page.received() {
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
    page.send(add_event_handler(1, 2));
    page.received();
    let line = |i: u32| format!(r#"{{"type":"ADDED","object":{}}}"#, object(&format!("n/p{i}@{}", 11 + i)));
    let burst = (0..500).map(line).collect::<Vec<_>>().join("\n") + "\n";
    feed.unbounded_send(Ok(burst.into_bytes())).expect("open");
    let batches: Vec<usize> = page
        .received()
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
    page.send(add_event_handler(1, 2));
    page.received();
    for version in 11..20 {
        send(&feed, &[&format!("~n/a@{version}")]);
        page.world.settle();
    }
    let mut known = String::new();
    for message in page.received() {
        match message {
            FromEngine::Status { status, .. } => known = status.resource_version,
            FromEngine::Changes { resource_version, .. } => assert_eq!(known, resource_version),
            _ => {}
        }
    }
    assert_eq!(known, "19");
}
