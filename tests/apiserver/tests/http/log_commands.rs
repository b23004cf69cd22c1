//! Logs on command: pace, styles, long and binary lines, the end of a container, a dropped stream; and over WebSocket.

use std::time::Duration;

use apiserver::{LogAction, LogCommand, LogStyle, Server};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt as _;
use serde_json::json;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::{Api, TIMEOUT};

const LOG: &str = "/api/v1/namespaces/default/pods/p/log";

/// A server with a running pod `p` that writes every minute or two.
async fn quiet() -> Api {
    let api = Api::with(Server::builder().log_every(Duration::from_secs(60))).await;
    let pod = json!({
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "c", "restartCount": 0, "ready": true, "state": {"running": {"startedAt": now()}}},
        ]},
    });
    api.server.create("pods", "default", pod).unwrap();
    api
}

fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

fn order(api: &Api, action: LogAction) {
    api.server.log(LogCommand::new(action).on("default", "p").container("c"));
}

async fn log(api: &Api, query: &str) -> Vec<u8> {
    let response = api.http.get(format!("{}{LOG}?{query}", api.server.url())).send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap().to_vec()
}

async fn follow(api: &Api, query: &str) -> reqwest::Response {
    api.http.get(format!("{}{LOG}?follow=true&{query}", api.server.url())).send().await.unwrap()
}

async fn chunk(response: &mut reqwest::Response) -> Result<Option<bytes::Bytes>, reqwest::Error> {
    timeout(TIMEOUT, response.chunk()).await.unwrap()
}

#[tokio::test]
async fn lines_on_command_reach_readers_and_followers() {
    let api = quiet().await;
    let mut following = follow(&api, "tailLines=0").await;
    order(&api, LogAction::Line { text: "hello".to_owned() });
    assert_eq!(chunk(&mut following).await.unwrap().unwrap(), "hello\n");
    order(&api, LogAction::Bytes { base64: STANDARD.encode(b"\xff\0\x1b") });
    assert_eq!(chunk(&mut following).await.unwrap().unwrap(), &b"\xff\0\x1b\n"[..]);
    order(&api, LogAction::LongLine { bytes: 10_485_760 });
    let mut bytes = 0;
    while bytes < 10_485_761 {
        bytes += chunk(&mut following).await.unwrap().unwrap().len();
    }
    assert_eq!(bytes, 10_485_761);
    let all = log(&api, "tailLines=3").await;
    assert!(all.starts_with(b"hello\n\xff\0\x1b\nabcdef") && all.ends_with(b"\n"));
    assert_eq!(log(&api, "tailLines=1&limitBytes=5").await, b"abcde");
}

#[tokio::test]
async fn a_pace_is_kept_and_adds_its_backlog() {
    let api = quiet().await;
    order(&api, LogAction::Pace { per_second: 50_000, style: Some(LogStyle::Json), backlog: 100_000 });
    let backlog = log(&api, "").await;
    let lines = backlog.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{\"ts\":")).count();
    assert!(lines >= 100_000, "{lines}");
    let mut following = follow(&api, "tailLines=0").await;
    let mut lines = 0;
    while lines < 20_000 {
        lines += chunk(&mut following).await.unwrap().unwrap().split(|byte| *byte == b'\n').count() - 1;
    }
    order(&api, LogAction::Pace { per_second: 0, style: None, backlog: 0 });
    let (one, two) = (log(&api, "tailLines=2").await, log(&api, "tailLines=2").await);
    assert!(one == two && !one.is_empty());
}

#[tokio::test]
async fn a_follower_of_a_container_that_ends_gets_its_last_line() {
    let api = quiet().await;
    order(&api, LogAction::Pace { per_second: 100, style: None, backlog: 0 });
    let mut following = follow(&api, "").await;
    order(&api, LogAction::End { exit_code: 3 });
    let mut followed = Vec::new();
    while let Some(chunk) = chunk(&mut following).await.unwrap() {
        followed.extend_from_slice(&chunk);
    }
    assert!(!followed.is_empty());
    assert_eq!(String::from_utf8(followed).unwrap(), String::from_utf8(log(&api, "").await).unwrap());
    let (_, pod) = api.get("/api/v1/namespaces/default/pods/p").await;
    let ended = &pod["status"]["containerStatuses"][0]["state"]["terminated"];
    assert_eq!((ended["exitCode"].as_i64(), ended["reason"].as_str()), (Some(3), Some("Error")));
}

#[tokio::test]
async fn a_stream_drops_on_command_and_resumes_after_its_last_line() {
    let api = quiet().await;
    order(&api, LogAction::Pace { per_second: 50, style: None, backlog: 500 });
    let mut following = follow(&api, "timestamps=true&tailLines=5").await;
    let mut seen = chunk(&mut following).await.unwrap().unwrap().to_vec();
    order(&api, LogAction::Drop);
    let dropped = loop {
        match chunk(&mut following).await {
            Ok(Some(chunk)) => seen.extend_from_slice(&chunk),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert!(dropped, "a clean end");
    let seen = String::from_utf8(seen).unwrap();
    let last = seen.lines().last().unwrap();
    let since = &last[..19];
    let again = String::from_utf8(log(&api, &format!("timestamps=true&sinceTime={since}Z")).await).unwrap();
    // Since a whole second: the last line is in it, and so is all of its second.
    assert!(again.lines().any(|line| line == last) && again.lines().all(|line| line[..19] >= *since));
}

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

async fn socket(api: &Api, query: &str, protocol: Option<&str>) -> Result<(Socket, String), u16> {
    let mut request = format!("ws://{}{LOG}?{query}", api.server.address()).into_client_request().unwrap();
    if let Some(protocol) = protocol {
        request.headers_mut().insert("sec-websocket-protocol", protocol.parse().unwrap());
    }
    match connect_async(request).await {
        Ok((socket, reply)) => {
            let chosen = reply.headers()["sec-websocket-protocol"].to_str().unwrap().to_owned();
            Ok((socket, chosen))
        }
        Err(tungstenite::Error::Http(reply)) => Err(reply.status().as_u16()),
        Err(other) => panic!("{other:?}"),
    }
}

async fn frame(socket: &mut Socket) -> Message {
    timeout(TIMEOUT, socket.next()).await.unwrap().unwrap().unwrap()
}

#[tokio::test]
async fn frames_begin_with_an_empty_one_and_have_2048_bytes_at_most() {
    let api = quiet().await;
    order(&api, LogAction::LongLine { bytes: 5000 });
    let (mut binary, chosen) = socket(&api, "tailLines=1", Some("v9, binary.k8s.io")).await.unwrap();
    assert_eq!(chosen, "binary.k8s.io");
    let mut sizes = Vec::new();
    loop {
        match frame(&mut binary).await {
            Message::Binary(bytes) => sizes.push(bytes.len()),
            Message::Close(frame) => break assert_eq!(u16::from(frame.unwrap().code), 1000),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(sizes, [0, 2048, 2048, 905]);
    let (mut base64, _) = socket(&api, "tailLines=1&follow=true", Some("base64.binary.k8s.io")).await.unwrap();
    assert_eq!(frame(&mut base64).await, Message::text(""));
    let text = frame(&mut base64).await.into_text().unwrap();
    assert!(STANDARD.decode(text.as_str()).unwrap().starts_with(b"abc"));
    assert_eq!(socket(&api, "", Some("v5.channel.k8s.io")).await.map(|(_, chosen)| chosen), Err(403));
    assert_eq!(socket(&api, "container=none", Some("binary.k8s.io")).await.map(|(_, chosen)| chosen), Err(400));
}
