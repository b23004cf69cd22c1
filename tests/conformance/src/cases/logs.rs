//! Logs of pods. A real apiserver requests a log from the kubelet of the pod's node, so the node is on loopback, with a
//! stub kubelet behind it.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};
use crate::socket::{Handshake, Socket};

pub(crate) const CASES: &[Case] = cases!["logs":
    are_plain_text, may_be_followed, of_nothing_are_refused, of_many_containers_need_a_name,
    end_with_their_container, of_the_run_before, in_frames,
];

/// Creates a node with the stub kubelet, and a running pod on it.
pub(super) async fn pod(scene: &Scene, containers: &[&str]) -> Outcome {
    let containers: Vec<_> = containers.iter().map(|name| json!({"name": name, "image": "i"})).collect();
    pod_of(scene, &containers).await
}

/// Same as [`pod`], with containers of any fields.
pub(super) async fn pod_of(scene: &Scene, containers: &[Value]) -> Outcome {
    let port = match scene.target.kubelet {
        Some(port) => port,
        // Any other target responds without one.
        None if !scene.target.judge => 10_250,
        None => return Err(Halt::Skip("there is no stub kubelet (--kubelet)".to_owned())),
    };
    let node = scene.namespace.clone();
    scene.create("/api/v1/nodes", &json!({"metadata": {"name": node}})).await?;
    let status = json!({"status": {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
    }});
    scene.merge(&format!("/api/v1/nodes/{node}/status"), &status).await?.object()?;
    let running: Vec<_> = containers
        .iter()
        .map(|container| {
            json!({
                "name": container["name"], "image": "i", "imageID": "", "ready": true, "restartCount": 0,
                "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
            })
        })
        .collect();
    scene
        .create("pods", &json!({"metadata": {"name": "a"}, "spec": {"nodeName": node, "containers": containers}}))
        .await?;
    scene
        .merge("pods/a/status", &json!({"status": {"phase": "Running", "containerStatuses": running}}))
        .await?
        .object()?;
    Ok(())
}

/// Deletes the node.
pub(super) async fn delete_node(scene: &Scene) -> Outcome {
    scene.delete(&format!("/api/v1/nodes/{}", scene.namespace)).await?;
    Ok(())
}

async fn are_plain_text(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let log = scene.get("pods/a/log?tailLines=3").await?;
    scene.check("answer", format!("{} {}", log.status, log.header("content-type")), "200 text/plain");
    scene.check("lines", log.text().lines().count(), 3);
    scene.check("encoding", log.header("content-encoding"), "-");
    let log = scene.get("pods/a/log?tailLines=2&timestamps=true").await?;
    let stamped = log
        .text()
        .lines()
        .filter(|line| line.len() > 20 && line.as_bytes()[4] == b'-' && line.as_bytes()[10] == b'T')
        .count();
    scene.check("stamped lines", stamped, 2);
    delete_node(scene).await
}

async fn may_be_followed(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let request = scene.request(reqwest::Method::GET, "pods/a/log?follow=true&tailLines=1");
    let mut response = request.send().await?;
    let mut lines = 0;
    // The log arrives line by line, not at the end.
    while lines < 3 {
        let chunk =
            tokio::time::timeout(crate::watch::STEP_TIMEOUT, response.chunk()).await.map_err(Halt::broken)??;
        let Some(chunk) = chunk else { break };
        lines += String::from_utf8_lossy(&chunk).lines().count();
    }
    scene.check("lines", lines >= 3, true);
    delete_node(scene).await
}

async fn of_nothing_are_refused(scene: &mut Scene) -> Outcome {
    let log = scene.get("pods/none/log").await?;
    scene.check("no pod", log.summary(), r#"404 NotFound: pods "none" not found {kind="pods" name="none"}"#);
    pod(scene, &["c"]).await?;
    for (query, expected) in [
        ("container=none", RECORDED),
        ("tailLines=-1", RECORDED),
        ("tailLines=abc", RECORDED),
        ("sinceSeconds=0", RECORDED),
        ("limitBytes=0", RECORDED),
        ("sinceTime=yesterday", RECORDED),
        ("sinceTime=2026-01-01T00:00:00Z&sinceSeconds=5", RECORDED),
        ("previous=true", RECORDED),
    ] {
        let log = scene.get(&format!("pods/a/log?{query}")).await?;
        scene.check(query, log.summary(), expected);
    }
    let waiting = json!({"metadata": {"name": "b"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    scene.create("pods", &waiting).await?;
    let log = scene.get("pods/b/log").await?;
    scene.check("not on a node yet", format!("{} {}", log.status, log.text()), RECORDED);
    delete_node(scene).await
}

async fn of_many_containers_need_a_name(scene: &mut Scene) -> Outcome {
    pod(scene, &["c", "d"]).await?;
    let log = scene.get("pods/a/log").await?;
    scene.check("no name", log.summary(), RECORDED);
    let log = scene.get("pods/a/log?container=d&tailLines=1").await?;
    scene.check("a name", format!("{} {}", log.status, log.header("content-type")), "200 text/plain");
    delete_node(scene).await
}

/// The status of the only container.
pub(super) async fn container(scene: &Scene, state: Value, last: Value) -> Outcome {
    let status = json!({
        "name": "c", "image": "i", "imageID": "", "ready": false, "restartCount": 1, "state": state, "lastState": last,
    });
    scene.merge("pods/a/status", &json!({"status": {"containerStatuses": [status]}})).await?.object()?;
    Ok(())
}

async fn end_with_their_container(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let request = scene.request(reqwest::Method::GET, "pods/a/log?follow=true&tailLines=1");
    let mut response = request.send().await?;
    let now = json!({"terminated": {
        "exitCode": 3, "reason": "Error", "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z",
    }});
    container(scene, now, json!({})).await?;
    let ended = tokio::time::timeout(crate::watch::STEP_TIMEOUT, async {
        while response.chunk().await?.is_some() {}
        Ok::<_, reqwest::Error>(())
    });
    scene.check("clean end", ended.await.map_err(Halt::broken)?.is_ok(), true);
    delete_node(scene).await
}

async fn of_the_run_before(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let ended = json!({"terminated": {
        "exitCode": 1, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T01:00:00Z",
    }});
    container(scene, json!({"running": {"startedAt": "2026-01-01T01:00:10Z"}}), ended).await?;
    let before = scene.get("pods/a/log?previous=true&tailLines=2").await?;
    let now = scene.get("pods/a/log?tailLines=2").await?;
    scene.check("lines", before.text().lines().count(), 2);
    scene.check("another log", before.text() == now.text(), false);
    let cut = scene.get("pods/a/log?previous=true&limitBytes=9").await?;
    scene.check("nine bytes", cut.text().len(), 9);
    delete_node(scene).await
}

/// A frame, without the words that differ from log to log.
fn frame(seen: &str) -> String {
    let Some(text) = seen.strip_prefix("not one event:") else { return seen.to_owned() };
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.trim()).map(|bytes| bytes.len());
    bytes.map_or_else(|_| format!("text {text}"), |bytes| format!("base64 of {bytes} bytes"))
}

async fn in_frames(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    for (protocol, expected) in [
        ("binary.k8s.io", "101 extensions -"),
        ("base64.binary.k8s.io", "101 extensions -"),
        ("v9, binary.k8s.io", "101 extensions -"),
        ("v5.channel.k8s.io", "403"),
    ] {
        // Unlike a watch, a log asks for no origin.
        let headers = [("sec-websocket-protocol", protocol)];
        let (seen, frames) = match Socket::open(scene, None, "pods/a/log?tailLines=1&limitBytes=5", &headers).await? {
            Handshake::Open(mut socket, facts) => (facts, socket.rest().await?),
            Handshake::Rejected(why) => (why, "-".to_owned()),
        };
        scene.check(protocol, seen, expected);
        // Whichever five bytes they are.
        let frames = frames.split(", ").map(frame).collect::<Vec<_>>().join(", ");
        scene.check(&format!("frames of {protocol}"), frames, RECORDED);
    }
    let headers = [("sec-websocket-protocol", "binary.k8s.io")];
    let refused = match Socket::open(scene, None, "pods/none/log", &headers).await? {
        Handshake::Open(_, facts) => facts,
        Handshake::Rejected(why) => why,
    };
    scene.check("no pod", refused, 404);
    delete_node(scene).await
}
