//! Faults of single events, also of open watches.

use std::time::{Duration, Instant};

use apiserver::{Fault, FaultAction, Server};
use serde_json::Value;

use crate::raw::{MAPS, RawResponse, WATCH, create, get, server, summary};

/// Opens a watch, which delivers `a`, then activates a fault for one event.
async fn open_then(action: FaultAction) -> (Server, RawResponse) {
    let server = server(Server::builder(), &["a"]).await;
    let mut response = get(&server, &format!("{MAPS}?watch=1")).await;
    assert_eq!(response.events(1).await, ["ADDED a"]);
    server.fault(Fault::new(action).times(1));
    create(&server, "b");
    create(&server, "c");
    (server, response)
}

#[tokio::test]
async fn a_duplicate() {
    let (_server, mut response) = open_then(FaultAction::Duplicate).await;
    assert_eq!(response.events(4).await, ["ADDED a", "ADDED b", "ADDED b", "ADDED c"]);
}

#[tokio::test]
async fn garbage_between_events() {
    let (_server, mut response) = open_then(FaultAction::Garbage).await;
    let lines = response.lines(4).await;
    assert!(std::str::from_utf8(&lines[1]).is_err(), "it is UTF-8");
    assert_eq!((summary(&lines[2]), summary(&lines[3])), ("ADDED b".to_owned(), "ADDED c".to_owned()));
}

#[tokio::test]
async fn an_oversized_line() {
    let (_server, mut response) = open_then(FaultAction::Oversized { bytes: 300_000 }).await;
    let lines = response.lines(3).await;
    assert!(lines[1].len() > 300_000 && lines[2].len() < 1000);
    assert_eq!((summary(&lines[1]), summary(&lines[2])), ("ADDED b".to_owned(), "ADDED c".to_owned()));
}

#[tokio::test]
async fn unknown_event_type() {
    let (_server, mut response) = open_then(FaultAction::UnknownType).await;
    assert_eq!(response.events(3).await, ["ADDED a", "SURPRISE b", "ADDED c"]);
}

#[tokio::test]
async fn a_wrong_kind() {
    let (_server, mut response) = open_then(FaultAction::WrongKind).await;
    let lines = response.lines(3).await;
    let kind = |line: &[u8]| serde_json::from_slice::<Value>(line).unwrap()["object"]["kind"].clone();
    assert_eq!([kind(&lines[1]), kind(&lines[2])], ["Surprise", "ConfigMap"]);
}

#[tokio::test]
async fn a_late_event() {
    let start = Instant::now();
    let (_server, mut response) = open_then(FaultAction::DelayEvents { ms: 200 }).await;
    assert_eq!(response.events(3).await, ["ADDED a", "ADDED b", "ADDED c"]);
    assert!(start.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn bookmarks_are_dropped() {
    let server = server(Server::builder().bookmark_every(Duration::from_millis(10)), &["a"]).await;
    server.fault(Fault::new(FaultAction::DropBookmarks).on("configmaps"));
    let mut response = get(&server, WATCH).await;
    let events = response.events(2).await;
    assert!(events[1].starts_with("BOOKMARK "), "the end of the initial events is no such bookmark: {events:?}");
    assert!(response.is_silent().await);
    server.clear_faults();
    assert_eq!(response.events(3).await[2], events[1]);
}

#[tokio::test]
async fn the_end_bookmark_is_dropped() {
    let server = server(Server::builder().bookmark_every(Duration::from_millis(200)), &["a"]).await;
    server.fault(FaultAction::NoEndBookmark);
    let watch_list = format!("{WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    for path in [WATCH, &watch_list] {
        let mut response = get(&server, path).await;
        let text = String::from_utf8(response.lines(2).await.concat()).unwrap();
        assert!(text.contains("BOOKMARK") && !text.contains("initial-events-end"), "{text}");
    }
}
