//! WATCH over WebSocket, frame by frame.

use std::time::Duration;

use apiserver::{Fault, FaultAction, Inside, Server};
use futures::StreamExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::raw::{WATCH, create, server, summary};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn connect(server: &Server, path: &str) -> Result<Socket, tungstenite::Error> {
    let url = format!("ws://{}{path}", server.address());
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("origin", "http://elsewhere.example".parse().unwrap());
    connect_async(request).await.map(|(socket, _)| socket)
}

/// Status and body of a handshake that fails.
async fn rejection(server: &Server, path: &str) -> (u16, String) {
    match connect(server, path).await {
        Err(tungstenite::Error::Http(reply)) => {
            let body = reply.body().clone().unwrap_or_default();
            (reply.status().as_u16(), String::from_utf8(body).unwrap())
        }
        other => panic!("{other:?}"),
    }
}

async fn next(socket: &mut Socket) -> Option<Result<Message, tungstenite::Error>> {
    tokio::time::timeout(Duration::from_secs(60), socket.next()).await.unwrap()
}

async fn event(socket: &mut Socket) -> String {
    match next(socket).await.unwrap().unwrap() {
        Message::Text(text) => {
            assert_eq!(text.find('\n'), Some(text.len() - 1), "not one line: {text}");
            summary(text.as_bytes())
        }
        other => panic!("{other:?}"),
    }
}

async fn assert_closed_normally(socket: &mut Socket) {
    match next(socket).await {
        Some(Ok(Message::Close(Some(frame)))) => {
            assert_eq!((frame.code, frame.reason.as_str()), (CloseCode::Normal, ""));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_event_is_a_frame_and_the_timeout_closes_with_1000() {
    let server = server(Server::builder(), &["a"]).await;
    let mut socket = connect(&server, &format!("{WATCH}&timeoutSeconds=1")).await.unwrap();
    assert_eq!(event(&mut socket).await, "ADDED a");
    assert!(event(&mut socket).await.starts_with("BOOKMARK "));
    create(&server, "b");
    assert_eq!(event(&mut socket).await, "ADDED b");
    assert_eq!(server.open_watches(), 1);
    assert_closed_normally(&mut socket).await;
}

#[tokio::test]
async fn a_version_that_is_too_old_is_an_event_and_closes_with_1000() {
    let server = server(Server::builder(), &["a"]).await;
    let version = server.revision();
    server.compact();
    let mut socket = connect(&server, &format!("{WATCH}&resourceVersion={version}")).await.unwrap();
    let error = next(&mut socket).await.unwrap().unwrap().into_text().unwrap();
    assert!(error.starts_with("{\"type\":\"ERROR\"") && error.contains("\"code\":410"), "{error}");
    assert_closed_normally(&mut socket).await;
}

#[tokio::test]
async fn handshakes_fail_with_the_status_of_the_request() {
    let server = server(Server::builder(), &[]).await;
    let without_origin = connect_async(format!("ws://{}{WATCH}", server.address())).await;
    assert!(matches!(without_origin, Err(tungstenite::Error::Http(reply)) if reply.status() == 403));
    assert_eq!(rejection(&server, "/api/v1/configmaps").await.0, 500, "a list");
    assert_eq!(rejection(&server, &format!("{WATCH}&labelSelector=(")).await.0, 400);
    assert_eq!(rejection(&server, "/api/v1/surprises?watch=1").await.0, 404);
    server.fault(Fault::new(FaultAction::Error { code: 403, retry_after: 1 }).watches().times(1));
    assert_eq!(rejection(&server, WATCH).await.0, 403);
    server.fault(FaultAction::Restart { away_ms: 60_000 });
    let sentence = "error dialing backend: dial tcp 127.0.0.1:16443: connect: connection refused\n";
    assert_eq!(rejection(&server, WATCH).await, (500, sentence.to_owned()));
}

#[tokio::test]
async fn an_abrupt_end_has_no_close_frame() {
    let server = server(Server::builder(), &["a", "b"]).await;
    server.fault(Fault::new(FaultAction::Cut { bytes: 300, inside: Some(Inside::Line) }).times(1));
    let mut socket = connect(&server, WATCH).await.unwrap();
    assert_eq!(event(&mut socket).await, "ADDED a");
    assert!(matches!(next(&mut socket).await, Some(Err(_))), "half an event, or a close frame");
    let mut socket = connect(&server, WATCH).await.unwrap();
    assert_eq!(event(&mut socket).await, "ADDED a");
    server.cut_watches();
    loop {
        match next(&mut socket).await {
            Some(Ok(Message::Text(_))) => {}
            Some(Err(_)) => break,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn faults_of_watches_apply_to_websockets() {
    let server = server(Server::builder(), &["a"]).await;
    server.fault(Fault::new(FaultAction::Duplicate).times(1));
    server.fault(Fault::new(FaultAction::NoEndBookmark).times(1));
    // A WebSocket is never compressed.
    server.fault(FaultAction::GzipMembers);
    let mut socket = connect(&server, WATCH).await.unwrap();
    assert_eq!([event(&mut socket).await, event(&mut socket).await], ["ADDED a", "ADDED a"]);
    create(&server, "b");
    assert_eq!(event(&mut socket).await, "ADDED b");
    server.fault(FaultAction::StallOpen);
    create(&server, "c");
    assert!(tokio::time::timeout(crate::raw::QUIET, socket.next()).await.is_err());
}

#[tokio::test]
async fn a_reader_that_disconnects_closes_its_watch() {
    let server = server(Server::builder(), &[]).await;
    let mut socket = connect(&server, WATCH).await.unwrap();
    assert!(event(&mut socket).await.starts_with("BOOKMARK "));
    socket.close(None).await.unwrap();
    drop(socket);
    let gone = async {
        while server.open_watches() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.unwrap();
}
