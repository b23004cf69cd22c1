//! exec and attach, channel by channel.

use std::time::Duration;

use apiserver::{LogAction, LogCommand, Server};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::{Api, TIMEOUT};

const PODS: &str = "/api/v1/namespaces/default/pods";
const V5: &str = "v5.channel.k8s.io";

async fn running() -> Api {
    let api = Api::with(Server::builder().log_every(Duration::from_secs(3600))).await;
    let state = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
    let pod = json!({
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}, {"name": "t", "image": "i", "stdin": true, "tty": true}]},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "c", "restartCount": 0, "state": state}, {"name": "t", "restartCount": 0, "state": state},
        ]},
    });
    api.server.create("pods", "default", pod).unwrap();
    api
}

struct Session(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Session {
    async fn open(api: &Api, path: &str, protocol: &str) -> Result<Self, (u16, String)> {
        let mut request = format!("ws://{}{PODS}/{path}", api.server.address()).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", protocol.parse().unwrap());
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(tungstenite::Error::Http(reply)) => {
                let body = reply.body().clone().unwrap_or_default();
                Err((reply.status().as_u16(), String::from_utf8(body).unwrap()))
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    async fn send(&mut self, channel: u8, bytes: &[u8]) {
        let frame = [&[channel], bytes].concat();
        self.0.send(Message::binary(frame)).await.unwrap();
    }

    async fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        match timeout(TIMEOUT, self.0.next()).await.unwrap() {
            Some(Ok(Message::Binary(frame))) => Some((frame[0], frame[1..].to_vec())),
            Some(Ok(Message::Close(frame))) => {
                assert_eq!(u16::from(frame.unwrap().code), 1000);
                None
            }
            other => panic!("{other:?}"),
        }
    }

    /// Reads a channel until it contains this text.
    async fn until(&mut self, channel: u8, wanted: &str) -> String {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(wanted) {
            let (found, bytes) = self.next().await.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&seen)));
            assert_eq!(found, channel, "{}", String::from_utf8_lossy(&bytes));
            seen.extend(bytes);
        }
        String::from_utf8(seen).unwrap()
    }

    /// Returns all data up to the end: stdout, stderr and the status.
    async fn rest(&mut self) -> (String, String, Value) {
        let (mut out, mut err, mut status) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((channel, bytes)) = self.next().await {
            match channel {
                1 => out.extend(bytes),
                2 => err.extend(bytes),
                3 => status.extend(bytes),
                other => panic!("{other}"),
            }
        }
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(out), text(err), serde_json::from_slice(&status).unwrap())
    }
}

async fn exec(api: &Api, command: &[&str]) -> (String, String, Value) {
    let mut path = "p/exec?container=c&stdout=true&stderr=true".to_owned();
    for word in command {
        path.push_str("&command=");
        path.extend(form_urlencoded::byte_serialize(word.as_bytes()));
    }
    Session::open(api, &path, V5).await.unwrap().rest().await
}

#[tokio::test]
async fn a_command_writes_and_ends_with_its_status() {
    let api = running().await;
    let success = json!({"metadata": {}, "status": "Success"});
    assert_eq!(exec(&api, &["echo", "a", "b"]).await, ("a b\n".to_owned(), String::new(), success.clone()));
    assert_eq!(exec(&api, &["sh", "-c", "cat /etc/hostname; ls /app"]).await.0, "p\nconfig.yaml\nserver\n");
    let (out, err, status) = exec(&api, &["/bin/sh", "-c", "echo x >&2; sleep 0.01 && exit 3"]).await;
    assert_eq!((out.as_str(), err.as_str()), ("", "x\n"));
    assert_eq!(status["reason"], "NonZeroExitCode");
    assert_eq!(status["details"], json!({"causes": [{"reason": "ExitCode", "message": "3"}]}));
    let (_, err, status) = exec(&api, &["sh", "-c", "nothing"]).await;
    assert_eq!((err.as_str(), &status["details"]["causes"][0]["message"]), ("sh: nothing: not found\n", &json!("127")));
    let (_, _, status) = exec(&api, &["nothing"]).await;
    assert_eq!((status["reason"].as_str(), status["code"].as_u64()), (Some("InternalError"), Some(500)));
    let (out, ..) = exec(&api, &["seq", "100000"]).await;
    assert!(out.starts_with("1\n2\n") && out.ends_with("\n100000\n"));
    assert_eq!(exec(&api, &["stty", "size"]).await.1, "stty: standard input: Not a tty\n");
}

#[tokio::test]
async fn a_terminal_echoes_edits_resizes_and_is_interrupted() {
    let api = running().await;
    let path = "p/exec?container=c&stdin=true&stdout=true&tty=true&command=sh";
    let mut session = Session::open(&api, path, V5).await.unwrap();
    assert_eq!(session.next().await, Some((1, Vec::new())));
    session.until(1, "/ # ").await;
    session.send(4, br#"{"Width":120,"Height":30}"#).await;
    session.send(0, b"stty sizx\x7fe\r").await;
    assert_eq!(session.until(1, "/ # ").await, "stty sizx\x08 \x08e\r\n30 120\r\n/ # ");
    session.send(4, br#"{"Width":80,"Height":24}"#).await;
    session.send(0, b"cd /etc && stty size\n").await;
    assert!(session.until(1, "/etc # ").await.contains("24 80\r\n"));
    session.send(0, b"sleep 1000\r").await;
    session.until(1, "sleep 1000\r\n").await;
    session.send(0, b"\x03").await;
    session.until(1, "^C\r\n/etc # ").await;
    session.send(0, b"echo $?; exit 7\r").await;
    let (out, _, status) = session.rest().await;
    assert_eq!(out, "echo $?; exit 7\r\n130\r\n");
    assert_eq!(status["details"]["causes"][0]["message"], "7");
}

#[tokio::test]
async fn closed_input_ends_the_process_that_reads_it() {
    let api = running().await;
    let path = "p/exec?container=c&stdin=true&stdout=true&command=cat";
    let mut session = Session::open(&api, path, V5).await.unwrap();
    session.send(0, "gr\u{fc}\u{df}\n".as_bytes()).await;
    session.send(0, b"half").await;
    session.send(255, &[0]).await;
    assert_eq!(session.rest().await.0, "gr\u{fc}\u{df}\nhalf");
    // The earlier protocol has no such signal: the message is ignored.
    let mut session = Session::open(&api, path, "v4.channel.k8s.io").await.unwrap();
    session.send(255, &[0]).await;
    session.send(0, b"x\n").await;
    session.until(1, "x\n").await;
    api.server.cut_shells();
    assert!(matches!(timeout(TIMEOUT, session.0.next()).await.unwrap(), None | Some(Err(_))), "a close frame");
}

#[tokio::test]
async fn attach_connects_to_the_main_process() {
    let api = running().await;
    let mut shell = Session::open(&api, "p/attach?container=t&stdin=true&stdout=true&tty=true", V5).await.unwrap();
    shell.until(1, "/ # ").await;
    shell.send(0, b"exit\r").await;
    assert_eq!(shell.rest().await.2["status"], "Success");
    let mut output = Session::open(&api, "p/attach?container=c&stdout=true&stderr=true", V5).await.unwrap();
    assert_eq!(output.next().await, Some((1, Vec::new())));
    api.server.log(LogCommand::new(LogAction::Line { text: "hello".to_owned() }).on("default", "p"));
    output.until(1, "hello\n").await;
    api.server.log(LogCommand::new(LogAction::End { exit_code: 0 }).on("default", "p"));
    assert_eq!(output.rest().await.2["status"], "Success");
}

#[tokio::test]
async fn invalid_exec_requests_are_rejected() {
    let api = running().await;
    let rejection = async |path: &str, protocol: &str| match Session::open(&api, path, protocol).await {
        Err((status, body)) => {
            let body: Value = serde_json::from_str(&body).unwrap_or_default();
            (status, body["message"].as_str().unwrap_or_default().to_owned())
        }
        Ok(_) => (101, String::new()),
    };
    let exec = "exec?stdout=true&command=ls";
    assert_eq!(rejection(&format!("none/{exec}"), V5).await, (404, "pods \"none\" not found".to_owned()));
    let choose = "a container name must be specified for pod p, choose one of: [c t]";
    assert_eq!(rejection(&format!("p/{exec}"), V5).await, (400, choose.to_owned()));
    let invalid = "container x is not valid for pod p";
    assert_eq!(rejection(&format!("p/{exec}&container=x"), V5).await, (400, invalid.to_owned()));
    assert_eq!(rejection(&format!("p/{exec}&container=c"), "v9.channel.k8s.io").await.0, 403);
    let plain = api.get(&format!("{PODS}/p/{exec}&container=c")).await;
    assert_eq!((plain.0, plain.1["message"].as_str()), (400, Some("Upgrade request required")));
    // The permission to read does not permit exec.
    let rule = json!({"rules": [{"verbs": ["get"], "users": ["admin"]}]}).to_string();
    let admin = api.http.post(format!("{}/admin/rbac", api.server.url())).body(rule).send().await.unwrap();
    assert_eq!(admin.status(), 200);
    let (status, message) = rejection(&format!("p/{exec}&container=c"), V5).await;
    assert_eq!(status, 403);
    assert!(message.contains("cannot create resource \"pods/exec\""), "{message}");
}

#[tokio::test]
async fn an_ephemeral_container_is_added_and_accepts_exec() {
    let api = Api::with(Server::builder().simulate(true)).await;
    let pod = json!({
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Running"},
    });
    api.server.create("pods", "default", pod).unwrap();
    let path = format!("{PODS}/p/ephemeralcontainers");
    let debugger = |image: &str| {
        let container = json!({"name": "debug", "image": image, "stdin": true, "tty": true});
        json!({"spec": {"ephemeralContainers": [container]}})
    };
    assert_eq!(api.merge(&path, &debugger("busybox")).await.0, 200);
    let (status, body) = api.merge(&path, &debugger("other")).await;
    assert_eq!((status, body["details"]["causes"][0]["field"].as_str()), (422, Some("spec.ephemeralContainers")));
    let command = "p/exec?container=debug&stdout=true&command=hostname";
    assert_eq!(Session::open(&api, command, V5).await.unwrap().rest().await.0, "p\n");
}
