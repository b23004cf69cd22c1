//! Faults of streams, byte by byte.

use std::io::Read as _;
use std::time::Duration;

use apiserver::{Fault, FaultAction, Inside, Server};
use serde_json::Value;

use crate::raw::{End, MAPS, RawResponse, WATCH, create, get, send, server};

async fn open_with_fault(action: FaultAction, path: &str) -> (Server, RawResponse) {
    let server = server(Server::builder(), &["a", "b"]).await;
    server.fault(Fault::new(action).times(1));
    let response = get(&server, path).await;
    assert_eq!(response.status, 200);
    (server, response)
}

#[tokio::test]
async fn a_cut_after_a_number_of_bytes() {
    for path in [MAPS, WATCH] {
        let (server, mut response) = open_with_fault(FaultAction::Cut { bytes: 100, inside: None }, path).await;
        assert_eq!(response.end().await, End::Abrupt);
        assert_eq!(response.body().0.len(), 100);
        let mut whole = get(&server, MAPS).await;
        assert_eq!(whole.end().await, End::Clean);
    }
}

#[tokio::test]
async fn a_cut_inside_a_line_that_is_not_the_first() {
    let inside = Some(Inside::Line);
    let (_, mut first) = open_with_fault(FaultAction::Cut { bytes: 0, inside: None }, WATCH).await;
    assert_eq!((first.end().await, first.text()), (End::Abrupt, String::new()));
    let (_server, mut response) = open_with_fault(FaultAction::Cut { bytes: 300, inside }, WATCH).await;
    assert_eq!(response.end().await, End::Abrupt);
    let text = response.text();
    assert!(text.len() > 300 && text.contains('\n') && !text.ends_with('\n'), "{text}");
}

#[tokio::test]
async fn a_cut_inside_a_character() {
    for path in [MAPS, WATCH] {
        let (_server, mut response) =
            open_with_fault(FaultAction::Cut { bytes: 0, inside: Some(Inside::Utf8) }, path).await;
        assert_eq!(response.end().await, End::Abrupt);
        let body = response.body().0;
        assert!(body.ends_with(b"\"greeting\":\"Gr\xc3"), "{}", String::from_utf8_lossy(&body));
    }
}

#[tokio::test]
async fn a_stall_stays_open() {
    for path in [MAPS, WATCH] {
        let (server, mut response) = open_with_fault(FaultAction::Stall { bytes: 40 }, path).await;
        while response.body().0.len() < 40 {
            assert!(!response.is_silent().await);
        }
        create(&server, "c");
        assert!(response.is_silent().await);
        assert_eq!(response.body().0.len(), 40);
    }
}

#[tokio::test]
async fn closed_at_once_cleanly_and_abruptly() {
    for path in [MAPS, WATCH] {
        let (_server, mut response) = open_with_fault(FaultAction::Close, path).await;
        assert_eq!((response.end().await, response.text()), (End::Clean, String::new()));
        let (_server, mut response) = open_with_fault(FaultAction::Cut { bytes: 0, inside: None }, path).await;
        assert_eq!((response.end().await, response.text()), (End::Abrupt, String::new()));
    }
}

#[tokio::test]
async fn an_error_event_inside_the_stream() {
    let (_server, mut response) = open_with_fault(FaultAction::ErrorEvent { code: 410 }, WATCH).await;
    assert_eq!(response.end().await, End::Clean);
    let event: Value = serde_json::from_slice(&response.body().0).unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&"ERROR".into(), &410.into()));
}

#[tokio::test]
async fn a_slow_reader_is_cut_off_cleanly() {
    let (server, mut response) = open_with_fault(FaultAction::SlowReader { events: 2 }, WATCH).await;
    assert_eq!(response.end().await, End::Clean);
    assert_eq!(response.events(2).await, ["ADDED a", "ADDED b"]);
    server.fault(Fault::new(FaultAction::SlowReader { events: 0 }));
    let mut response = get(&server, WATCH).await;
    assert_eq!((response.end().await, response.text()), (End::Clean, String::new()));
}

#[tokio::test]
async fn a_silent_watch_behaves_like_one_from_a_future_version() {
    let builder = Server::builder().bookmark_every(Duration::from_millis(20));
    let server = server(builder, &["a"]).await;
    let mut future = get(&server, &format!("{WATCH}&resourceVersion=9999&timeoutSeconds=5")).await;
    server.fault(Fault::new(FaultAction::Silence).times(1));
    let mut silent = get(&server, &format!("{WATCH}&timeoutSeconds=5")).await;
    create(&server, "b");
    assert!(future.is_silent().await && silent.is_silent().await);
    for response in [&mut future, &mut silent] {
        assert_eq!((response.end().await, response.text()), (End::Clean, String::new()));
    }
}

#[tokio::test]
async fn every_flush_is_a_gzip_member_unless_identity_is_requested() {
    let server = server(Server::builder(), &["a", "b"]).await;
    server.fault(FaultAction::GzipMembers);
    let gzip = "Accept-Encoding: gzip, deflate";
    for query in
        ["", "&resourceVersion=0", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=3"]
    {
        let path = format!("{WATCH}{query}&timeoutSeconds=1");
        let mut response = send(&server, "GET", &path, &[gzip], "").await;
        assert!(response.head.contains("content-encoding: gzip\r\n"), "{}", response.head);
        assert_eq!(response.end().await, End::Clean);
        let body = response.body().0;
        // The text that a browser decodes, and the whole text.
        let (mut first, mut all) = (String::new(), String::new());
        flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut first).unwrap();
        flate2::read::MultiGzDecoder::new(body.as_slice()).read_to_string(&mut all).unwrap();
        assert_eq!((first.lines().count(), all.lines().count()), (1, 3), "{all}");
    }
    let from = format!("{WATCH}&resourceVersion={}", server.revision());
    let unasked: [(&str, &[&str]); 3] = [(WATCH, &[gzip, "Range: bytes=0-"]), (WATCH, &[]), (&from, &[gzip])];
    for (path, headers) in unasked {
        let response = send(&server, "GET", path, headers, "").await;
        assert!(!response.head.contains("content-encoding"), "{}", response.head);
    }
}

#[tokio::test]
async fn open_watches_are_cut_stalled_and_ended() {
    let server = server(Server::builder(), &[]).await;
    for (action, end) in [(FaultAction::CutOpen, End::Abrupt), (FaultAction::EndOpen, End::Clean)] {
        let mut response = get(&server, &format!("{MAPS}?watch=1")).await;
        let mut other = get(&server, "/api/v1/pods?watch=1").await;
        server.fault(Fault::new(action).on("configmaps"));
        assert_eq!(response.end().await, end);
        assert!(other.is_silent().await);
    }
    let mut response = get(&server, &format!("{MAPS}?watch=1")).await;
    server.fault(FaultAction::StallOpen);
    create(&server, "a");
    assert!(response.is_silent().await);
}
