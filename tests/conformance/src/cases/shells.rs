//! Exec: a WebSocket to a new process in a running container. A real apiserver proxies it to the stub kubelet.

use serde_json::{Value, json};

use super::logs::{delete_node, pod};
use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};
use crate::socket::{Handshake, RESIZE, STATUS, STDERR, STDIN, STDOUT, Socket};

pub(crate) const CASES: &[Case] = cases!["shells":
    a_command_has_its_streams_and_its_code, a_terminal_is_typed_at_and_resized, closed_input_is_the_end_of_it,
    what_cannot_be_entered_is_refused, other_protocols,
];

/// Subprotocol of exec and attach that can close stdin.
pub(super) const PROTOCOL_V5: &str = "v5.channel.k8s.io";

/// Reads to the end. Returns stdout, stderr, and the final status with the close code.
pub(super) async fn rest(socket: &mut Socket) -> Outcome<(String, String, String)> {
    let mut channels: [Vec<u8>; 5] = Default::default();
    let code = loop {
        match socket.frame().await? {
            Ok((channel, bytes)) => channels[usize::from(channel).min(4)].extend(bytes),
            Err(code) => break code,
        }
    };
    let text = |channel: u8| String::from_utf8_lossy(&channels[usize::from(channel)]).into_owned();
    let status: Value = serde_json::from_slice(&channels[usize::from(STATUS)]).unwrap_or_default();
    Ok((text(STDOUT), text(STDERR), format!("{status} {code}")))
}

/// Opens a WebSocket to exec or attach.
pub(super) async fn open(scene: &Scene, path: &str, protocol: &str) -> Outcome<Box<Socket>> {
    match Socket::session(scene, path, protocol).await? {
        Handshake::Open(socket, _) => Ok(socket),
        Handshake::Rejected(why) => Err(Halt::Broken(format!("the handshake was refused: {why}"))),
    }
}

async fn a_command_has_its_streams_and_its_code(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    for command in [
        "echo&command=a%20b",
        "sh&command=-c&command=echo%20x%20%3E%262",
        "sh&command=-c&command=cat%20/etc/hostname%20%26%26%20ls%20/app%3B%20exit%203",
        "ls&command=/none",
        "stty&command=size",
    ] {
        let path = format!("pods/a/exec?stdout=true&stderr=true&command={command}");
        let mut socket = open(scene, &path, PROTOCOL_V5).await?;
        scene.check(&format!("{command} begins"), format!("{:?}", socket.frame().await?), "Ok((1, []))");
        let (out, err, status) = rest(&mut socket).await?;
        scene.check(&format!("{command} writes"), format!("{out:?} {err:?}"), RECORDED);
        scene.check(&format!("{command} ends"), status, RECORDED);
    }
    let mut socket = open(scene, "pods/a/exec?stdout=true&command=nothing", PROTOCOL_V5).await?;
    let (_, _, status) = rest(&mut socket).await?;
    scene.check("no program", status, RECORDED);
    let mut socket = open(scene, "pods/a/exec?command=ls", PROTOCOL_V5).await?;
    let (_, _, status) = rest(&mut socket).await?;
    scene.check("no streams", status, RECORDED);
    delete_node(scene).await
}

/// Reads stdout until it ends with a text. Returns all of it.
pub(super) async fn read_until(socket: &mut Socket, wanted: &str) -> Outcome<String> {
    let mut seen = String::new();
    while !seen.ends_with(wanted) {
        match socket.frame().await? {
            Ok((STDOUT, bytes)) => seen.push_str(&String::from_utf8_lossy(&bytes)),
            other => return Err(Halt::Broken(format!("{seen:?} and then {other:?}"))),
        }
    }
    Ok(seen)
}

async fn a_terminal_is_typed_at_and_resized(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let path = "pods/a/exec?stdin=true&stdout=true&stderr=true&tty=true&command=sh";
    let mut socket = open(scene, path, PROTOCOL_V5).await?;
    scene.check("prompt", read_until(&mut socket, "/ # ").await?, RECORDED);
    socket.send(RESIZE, br#"{"Width":120,"Height":30}"#).await?;
    // The size has a separate channel; it arrives eventually.
    for _ in 0..50 {
        socket.send(STDIN, b"stty size\r").await?;
        if read_until(&mut socket, "/ # ").await?.contains("30 120") {
            scene.check("resized", true, true);
            break;
        }
    }
    socket.send(STDIN, b"echo ab\x7fc; nothing\r").await?;
    scene.check("edited", format!("{:?}", read_until(&mut socket, "/ # ").await?), RECORDED);
    socket.send(STDIN, b"sleep 1000\r").await?;
    read_until(&mut socket, "sleep 1000\r\n").await?;
    socket.send(STDIN, b"\x03").await?;
    scene.check("interrupted", format!("{:?}", read_until(&mut socket, "/ # ").await?), RECORDED);
    socket.send(STDIN, b"exit 7\r").await?;
    let (out, _, status) = rest(&mut socket).await?;
    scene.check("last words", format!("{out:?}"), RECORDED);
    scene.check("end", status, RECORDED);
    delete_node(scene).await
}

async fn closed_input_is_the_end_of_it(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let mut socket = open(scene, "pods/a/exec?stdin=true&stdout=true&command=cat", PROTOCOL_V5).await?;
    socket.send(STDIN, "grüß\nhalf".as_bytes()).await?;
    socket.close_stdin().await?;
    let (out, _, status) = rest(&mut socket).await?;
    scene.check("copied", format!("{out:?}"), RECORDED);
    scene.check("end", status, RECORDED);
    delete_node(scene).await
}

/// Returns the outcome of a handshake: the rejection, or the headers of the response.
pub(super) async fn handshake_outcome(scene: &Scene, path: &str, protocol: &str) -> Outcome<String> {
    Ok(match Socket::session(scene, path, protocol).await? {
        Handshake::Open(_, facts) => facts,
        Handshake::Rejected(why) => why,
    })
}

async fn what_cannot_be_entered_is_refused(scene: &mut Scene) -> Outcome {
    pod(scene, &["c", "d"]).await?;
    for query in ["", "&container=none", "&container=c"] {
        let path = format!("pods/a/exec?stdout=true&command=ls{query}");
        let url = format!("{}{}", scene.target.shells, scene.path(&path));
        let response = scene.send(scene.http.get(url)).await?;
        scene.check(&format!("no upgrade{query}"), response.summary(), RECORDED);
    }
    for (path, expected) in
        [("pods/none/exec?stdout=true&command=ls", 404), ("pods/a/exec?stdout=true&command=ls", 400)]
    {
        scene.check(path, handshake_outcome(scene, path, PROTOCOL_V5).await?, expected);
    }
    let unscheduled = json!({"metadata": {"name": "u"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    scene.create("pods", &unscheduled).await?;
    let url = format!("{}{}", scene.target.shells, scene.path("pods/u/exec?stdout=true&command=ls"));
    let response = scene.send(scene.http.get(url)).await?;
    scene.check("no node", response.summary(), RECORDED);
    delete_node(scene).await
}

async fn other_protocols(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let path = "pods/a/exec?stdout=true&command=ls&command=/etc";
    for (protocol, expected) in [("v9.channel.k8s.io", "403"), ("v4.channel.k8s.io", "101 extensions -")] {
        scene.check(protocol, handshake_outcome(scene, path, protocol).await?, expected);
    }
    let (out, _, status) = rest(&mut *open(scene, path, "v4.channel.k8s.io").await?).await?;
    scene.check("v4 writes", format!("{out:?}"), RECORDED);
    scene.check("v4 ends", status, RECORDED);
    delete_node(scene).await
}
