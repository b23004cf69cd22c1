//! Faults of responses in protobuf: the same commands, in frames and items.

use std::ops::ControlFlow;
use std::time::Duration;

use apiserver::{Fault, FaultAction, Inside, Server};
use informer_protobuf::{ErrorKind, FrameDecoder, ListCutter, Unknown, WatchEvent};

use crate::raw::{End, MAPS, RawResponse, WATCH, create, send, server};

const ACCEPT: &str = "Accept: application/vnd.kubernetes.protobuf";

async fn open(server: &Server, path: &str) -> RawResponse {
    send(server, "GET", path, &[ACCEPT], "").await
}

/// Opens a watch with a fault for its second event, and reads it to its end.
async fn watched(action: FaultAction) -> Vec<u8> {
    let server = server(Server::builder(), &["a", "b", "c"]).await;
    server.fault(Fault::new(action).skipping(1).times(1));
    let mut response = open(&server, &format!("{MAPS}?watch=1&timeoutSeconds=1")).await;
    assert!(response.head.contains("content-type: application/vnd.kubernetes.protobuf;stream=watch"));
    assert_eq!(response.end().await, End::Clean);
    response.body().0
}

/// Type of each event, and kind and size of its object.
fn events(body: &[u8]) -> Result<Vec<(String, String, usize)>, ErrorKind> {
    let (mut decoder, mut events) = (FrameDecoder::new(1 << 20), Vec::new());
    let result = decoder.push(body, &mut |frame| {
        let event = WatchEvent::parse(frame).unwrap();
        events.push((event.event_type.to_owned(), event.object.type_meta.kind.to_owned(), frame.len()));
    });
    result.map_err(|error| error.kind)?;
    assert_eq!(decoder.unfinished(), 0);
    Ok(events)
}

fn names(events: &[(String, String, usize)]) -> Vec<(&str, &str)> {
    events.iter().map(|(event, kind, _)| (event.as_str(), kind.as_str())).collect()
}

#[tokio::test]
async fn one_event_of_another_type_or_kind_or_size() {
    let map = ("ADDED", "ConfigMap");
    for (action, expected) in [
        (FaultAction::UnknownType, [map, ("SURPRISE", "ConfigMap"), map].to_vec()),
        (FaultAction::WrongKind, [map, ("ADDED", "Surprise"), map].to_vec()),
        (FaultAction::Duplicate, [map; 4].to_vec()),
        (FaultAction::Oversized { bytes: 300_000 }, [map; 3].to_vec()),
    ] {
        let seen = events(&watched(action.clone()).await).unwrap();
        assert_eq!(names(&seen), expected, "{action:?}");
        let long = seen.iter().filter(|(.., bytes)| *bytes > 300_000).count();
        assert_eq!(long, usize::from(matches!(action, FaultAction::Oversized { .. })));
    }
}

#[tokio::test]
async fn garbage_is_read_as_a_length() {
    assert_eq!(events(&watched(FaultAction::Garbage).await), Err(ErrorKind::TooLong));
}

#[tokio::test]
async fn an_error_event_and_bookmarks() {
    let server = server(Server::builder().bookmark_every(Duration::from_millis(50)), &["a"]).await;
    server.fault(Fault::new(FaultAction::ErrorEvent { code: 410 }).times(1));
    let mut response = open(&server, WATCH).await;
    assert_eq!(response.end().await, End::Clean);
    assert_eq!(names(&events(&response.body().0).unwrap()), [("ERROR", "Status")]);
    server.fault(FaultAction::DropBookmarks);
    server.fault(FaultAction::NoEndBookmark);
    let initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    let mut response = open(&server, &format!("{WATCH}&{initial}")).await;
    assert_eq!(response.end().await, End::Clean);
    assert_eq!(names(&events(&response.body().0).unwrap()), [("ADDED", "ConfigMap")]);
}

#[tokio::test]
async fn a_drained_server_sends_bookmarks_of_the_last_version_only() {
    let server = server(Server::builder().bookmark_every(Duration::from_millis(50)), &["a"]).await;
    let mut response = open(&server, WATCH).await;
    server.fault(FaultAction::Drain { ms: 500 });
    create(&server, "b");
    assert_eq!(response.end().await, End::Clean);
    let seen = events(&response.body().0).unwrap();
    assert_eq!(seen.iter().filter(|(event, ..)| event == "ADDED").count(), 1);
    assert!(seen.iter().any(|(event, ..)| event == "BOOKMARK"), "{seen:?}");
}

#[tokio::test]
async fn a_cut_inside_a_frame_and_inside_an_item() {
    for path in [MAPS, WATCH] {
        let server = server(Server::builder(), &["a", "b"]).await;
        server.fault(Fault::new(FaultAction::Cut { bytes: 100, inside: Some(Inside::Line) }).times(1));
        let mut response = open(&server, path).await;
        assert_eq!(response.end().await, End::Abrupt);
        let body = response.body().0;
        if path == MAPS {
            let mut cutter = ListCutter::new(1 << 20);
            cutter.push(&body, &mut |_| ControlFlow::Continue(())).unwrap();
            assert!(body.len() > 100 && !cutter.is_complete());
        } else {
            let mut decoder = FrameDecoder::new(1 << 20);
            decoder.push(&body, &mut |_| {}).unwrap();
            assert!(decoder.unfinished() > 0);
        }
    }
}

#[tokio::test]
async fn errors_on_command_are_negotiated() {
    let server = server(Server::builder(), &[]).await;
    server.fault(Fault::new(FaultAction::Error { code: 410, retry_after: 1 }).times(1));
    let mut response = open(&server, MAPS).await;
    assert_eq!((response.end().await, response.status), (End::Clean, 410));
    let body = response.body().0;
    assert_eq!(Unknown::parse(&body).unwrap().type_meta.kind, "Status");
}
