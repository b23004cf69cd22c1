//! exec and attach over WebSocket. A real apiserver passes them on from the stub kubelet.

use serde_json::{Value, json};

use super::logs::{done, pod};
use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};
use crate::socket::{Handshake, Socket};

pub(crate) const CASES: &[Case] = cases!["shells":
    a_command_has_its_streams_and_its_code, a_terminal_is_typed_at_and_resized, closed_input_is_the_end_of_it,
    what_cannot_be_entered_is_refused, other_protocols,
];

const V5: &str = "v5.channel.k8s.io";

/// stdout, stderr, the status and the code of the close frame.
async fn rest(socket: &mut Socket) -> Outcome<(String, String, String)> {
    let mut channels: [Vec<u8>; 5] = Default::default();
    let code = loop {
        match socket.frame().await? {
            Ok((channel, bytes)) => channels[usize::from(channel).min(4)].extend(bytes),
            Err(code) => break code,
        }
    };
    let text = |channel: usize| String::from_utf8_lossy(&channels[channel]).into_owned();
    let status: Value = serde_json::from_slice(&channels[3]).unwrap_or_default();
    Ok((text(1), text(2), format!("{status} {code}")))
}

async fn open(scene: &Scene, path: &str, protocol: &str) -> Outcome<Box<Socket>> {
    match Socket::session(scene, path, protocol).await? {
        Handshake::Open(socket, _) => Ok(socket),
        Handshake::Refused(why) => Err(Halt::Broken(format!("the handshake was refused: {why}"))),
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
        let mut socket = open(scene, &path, V5).await?;
        scene.see(&format!("{command} begins"), format!("{:?}", socket.frame().await?), "Ok((1, []))");
        let (out, err, status) = rest(&mut socket).await?;
        scene.see(&format!("{command} writes"), format!("{out:?} {err:?}"), RECORDED);
        scene.see(&format!("{command} ends"), status, RECORDED);
    }
    let mut socket = open(scene, "pods/a/exec?stdout=true&command=nothing", V5).await?;
    let (_, _, status) = rest(&mut socket).await?;
    scene.see("no program", status, RECORDED);
    let mut socket = open(scene, "pods/a/exec?command=ls", V5).await?;
    let (_, _, status) = rest(&mut socket).await?;
    scene.see("no streams", status, RECORDED);
    done(scene).await
}

async fn until(socket: &mut Socket, wanted: &str) -> Outcome<String> {
    let mut seen = String::new();
    while !seen.ends_with(wanted) {
        match socket.frame().await? {
            Ok((1, bytes)) => seen.push_str(&String::from_utf8_lossy(&bytes)),
            other => return Err(Halt::Broken(format!("{seen:?} and then {other:?}"))),
        }
    }
    Ok(seen)
}

async fn a_terminal_is_typed_at_and_resized(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let path = "pods/a/exec?stdin=true&stdout=true&stderr=true&tty=true&command=sh";
    let mut socket = open(scene, path, V5).await?;
    scene.see("prompt", until(&mut socket, "/ # ").await?, RECORDED);
    socket.send(4, br#"{"Width":120,"Height":30}"#).await?;
    // The size has a separate channel; it arrives eventually.
    for _ in 0..50 {
        socket.send(0, b"stty size\r").await?;
        if until(&mut socket, "/ # ").await?.contains("30 120") {
            scene.see("resized", true, true);
            break;
        }
    }
    socket.send(0, b"echo ab\x7fc; nothing\r").await?;
    scene.see("edited", format!("{:?}", until(&mut socket, "/ # ").await?), RECORDED);
    socket.send(0, b"sleep 1000\r").await?;
    until(&mut socket, "sleep 1000\r\n").await?;
    socket.send(0, b"\x03").await?;
    scene.see("interrupted", format!("{:?}", until(&mut socket, "/ # ").await?), RECORDED);
    socket.send(0, b"exit 7\r").await?;
    let (out, _, status) = rest(&mut socket).await?;
    scene.see("last words", format!("{out:?}"), RECORDED);
    scene.see("end", status, RECORDED);
    done(scene).await
}

async fn closed_input_is_the_end_of_it(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let mut socket = open(scene, "pods/a/exec?stdin=true&stdout=true&command=cat", V5).await?;
    socket.send(0, "grüß\nhalf".as_bytes()).await?;
    socket.send(255, &[0]).await?;
    let (out, _, status) = rest(&mut socket).await?;
    scene.see("copied", format!("{out:?}"), RECORDED);
    scene.see("end", status, RECORDED);
    done(scene).await
}

async fn refused(scene: &Scene, path: &str, protocol: &str) -> Outcome<String> {
    Ok(match Socket::session(scene, path, protocol).await? {
        Handshake::Open(_, facts) => facts,
        Handshake::Refused(why) => why,
    })
}

async fn what_cannot_be_entered_is_refused(scene: &mut Scene) -> Outcome {
    pod(scene, &["c", "d"]).await?;
    for query in ["", "&container=none", "&container=c"] {
        let path = format!("pods/a/exec?stdout=true&command=ls{query}");
        let url = format!("{}{}", scene.target.shells, scene.path(&path));
        let answer = scene.send(scene.http.get(url)).await?;
        scene.see(&format!("no upgrade{query}"), answer.verdict(), RECORDED);
    }
    for (path, want) in [("pods/none/exec?stdout=true&command=ls", 404), ("pods/a/exec?stdout=true&command=ls", 400)] {
        scene.see(path, refused(scene, path, V5).await?, want);
    }
    let unscheduled = json!({"metadata": {"name": "u"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    scene.make("pods", &unscheduled).await?;
    let url = format!("{}{}", scene.target.shells, scene.path("pods/u/exec?stdout=true&command=ls"));
    let answer = scene.send(scene.http.get(url)).await?;
    scene.see("no node", answer.verdict(), RECORDED);
    done(scene).await
}

async fn other_protocols(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let path = "pods/a/exec?stdout=true&command=ls&command=/etc";
    for (protocol, want) in [("v9.channel.k8s.io", "403"), ("v4.channel.k8s.io", "101 extensions -")] {
        scene.see(protocol, refused(scene, path, protocol).await?, want);
    }
    let (out, _, status) = rest(&mut *open(scene, path, "v4.channel.k8s.io").await?).await?;
    scene.see("v4 writes", format!("{out:?}"), RECORDED);
    scene.see("v4 ends", status, RECORDED);
    done(scene).await
}
