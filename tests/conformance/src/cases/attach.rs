//! Attach: a WebSocket to the process of a running container. A real apiserver proxies it to the stub kubelet.

use serde_json::json;

use super::logs::{container, delete_node, pod, pod_of};
use super::shells::{PROTOCOL_V5, handshake_outcome, open, read_until, rest};
use crate::case::{Case, cases};
use crate::halt::{Halt, Outcome};
use crate::scene::{RECORDED, Scene};
use crate::socket::{STDIN, STDOUT, Socket};

pub(crate) const CASES: &[Case] = cases!["attach":
    output_is_followed_to_the_end_of_the_container, a_terminal_is_joined, input_without_a_terminal_is_read,
    input_that_a_container_does_not_read_is_ignored, output_of_a_reader_is_followed, what_has_no_process_is_refused,
    what_does_not_run_is_refused, streams_are_chosen, older_protocol_is_spoken,
];

/// Reads stdout up to the end of a line. Returns whether the line ends with CR LF or LF.
async fn read_line(socket: &mut Socket) -> Outcome<String> {
    let mut seen = String::new();
    while !seen.ends_with('\n') {
        match socket.frame().await? {
            Ok((STDOUT, bytes)) => seen.push_str(&String::from_utf8_lossy(&bytes)),
            other => return Err(Halt::Broken(format!("{seen:?} and then {other:?}"))),
        }
    }
    Ok(if seen.ends_with("\r\n") { "a line with CR" } else { "a line" }.to_owned())
}

/// Terminates the only container of the pod.
async fn terminate(scene: &Scene) -> Outcome {
    let terminated = json!({"terminated": {
        "exitCode": 0, "reason": "Completed", "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z",
    }});
    container(scene, terminated, json!({})).await
}

/// Reads to the end. Returns the final status and the close code, and stderr if it is not empty.
async fn final_status(socket: &mut Socket) -> Outcome<String> {
    let (_, err, status) = rest(socket).await?;
    Ok(if err.is_empty() { status } else { format!("{status} after stderr {err:?}") })
}

async fn output_is_followed_to_the_end_of_the_container(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    let mut socket = open(scene, "pods/a/attach?stdout=true&stderr=true", PROTOCOL_V5).await?;
    scene.check("begins", format!("{:?}", socket.frame().await?), "Ok((1, []))");
    scene.check("writes", read_line(&mut socket).await?, "a line");
    scene.check("writes more", read_line(&mut socket).await?, "a line");
    terminate(scene).await?;
    scene.check("end", final_status(&mut socket).await?, RECORDED);
    delete_node(scene).await
}

async fn a_terminal_is_joined(scene: &mut Scene) -> Outcome {
    pod_of(scene, &[json!({"name": "c", "image": "i", "stdin": true, "tty": true})]).await?;
    let path = "pods/a/attach?stdin=true&stdout=true&tty=true&container=c";
    let mut socket = open(scene, path, PROTOCOL_V5).await?;
    scene.check("prompt", read_until(&mut socket, "/ # ").await?, RECORDED);
    socket.send(STDIN, b"echo a b\r").await?;
    scene.check("echo", format!("{:?}", read_until(&mut socket, "/ # ").await?), RECORDED);
    socket.send(STDIN, b"exit 7\r").await?;
    let (out, _, status) = rest(&mut socket).await?;
    scene.check("last words", format!("{out:?}"), RECORDED);
    scene.check("end", status, RECORDED);
    // stderr does not exist on a terminal.
    let mut socket = open(scene, "pods/a/attach?stdin=true&stdout=true&stderr=true&tty=true", PROTOCOL_V5).await?;
    read_until(&mut socket, "/ # ").await?;
    socket.send(STDIN, b"nothing\r").await?;
    scene.check("error", format!("{:?}", read_until(&mut socket, "/ # ").await?), RECORDED);
    delete_node(scene).await
}

async fn input_without_a_terminal_is_read(scene: &mut Scene) -> Outcome {
    pod_of(scene, &[json!({"name": "c", "image": "i", "stdin": true})]).await?;
    let path = "pods/a/attach?stdin=true&stdout=true&stderr=true";
    let mut socket = open(scene, path, PROTOCOL_V5).await?;
    socket.send(STDIN, b"echo a\necho b >&2\n").await?;
    socket.close_stdin().await?;
    let (out, err, status) = rest(&mut socket).await?;
    scene.check("writes", format!("{out:?} {err:?}"), RECORDED);
    scene.check("end", status, RECORDED);
    let mut socket = open(scene, path, PROTOCOL_V5).await?;
    socket.send(STDIN, b"exit 3\n").await?;
    scene.check("exit code", final_status(&mut socket).await?, RECORDED);
    delete_node(scene).await
}

async fn input_that_a_container_does_not_read_is_ignored(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    for (step, query) in
        [("stdin", "stdin=true&stdout=true&stderr=true"), ("a terminal", "stdin=true&stdout=true&tty=true")]
    {
        let mut socket = open(scene, &format!("pods/a/attach?{query}"), PROTOCOL_V5).await?;
        socket.send(STDIN, b"exit 3\n").await?;
        scene.check(&format!("{step}: first"), format!("{:?}", socket.frame().await?), "Ok((1, []))");
        scene.check(&format!("{step}: output"), read_line(&mut socket).await?, RECORDED);
        socket.close_stdin().await?;
        scene.check(&format!("{step}: output after the input"), read_line(&mut socket).await?, RECORDED);
    }
    delete_node(scene).await
}

async fn output_of_a_reader_is_followed(scene: &mut Scene) -> Outcome {
    pod_of(scene, &[json!({"name": "c", "image": "i", "stdin": true, "tty": true})]).await?;
    let mut socket = open(scene, "pods/a/attach?stdout=true&stderr=true", PROTOCOL_V5).await?;
    socket.frame().await?.map_err(|code| Halt::Broken(format!("closed: {code}")))?;
    scene.check("output", read_line(&mut socket).await?, RECORDED);
    terminate(scene).await?;
    scene.check("end", final_status(&mut socket).await?, RECORDED);
    delete_node(scene).await
}

async fn what_has_no_process_is_refused(scene: &mut Scene) -> Outcome {
    pod(scene, &["c", "d"]).await?;
    scene
        .create("pods", &json!({"metadata": {"name": "u"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
        .await?;
    for path in [
        "pods/none/attach?stdout=true",
        "pods/a/attach?stdout=true",
        "pods/a/attach?stdout=true&container=none",
        "pods/a/attach?stdout=true&container=c",
        "pods/u/attach?stdout=true",
    ] {
        let url = format!("{}{}", scene.target.shells, scene.path(path));
        for (method, request) in
            [("GET", scene.http.get(&url)), ("POST", scene.http.post(&url)), ("PUT", scene.http.put(&url))]
        {
            let response = scene.send(request).await?;
            scene.check(&format!("{method} {path}"), response.summary(), RECORDED);
        }
        if !path.ends_with("=c") {
            scene.check(&format!("handshake {path}"), handshake_outcome(scene, path, PROTOCOL_V5).await?, RECORDED);
        }
    }
    delete_node(scene).await
}

async fn what_does_not_run_is_refused(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    terminate(scene).await?;
    scene.merge("pods/a/status", &json!({"status": {"phase": "Succeeded"}})).await?.object()?;
    for query in ["stdout=true", "stdin=true&stdout=true&tty=true"] {
        let mut socket = open(scene, &format!("pods/a/attach?{query}"), PROTOCOL_V5).await?;
        scene.check(&format!("ended: {query}"), final_status(&mut socket).await?, RECORDED);
    }
    container(scene, json!({"waiting": {"reason": "ContainerCreating"}}), json!({})).await?;
    scene.merge("pods/a/status", &json!({"status": {"phase": "Pending"}})).await?.object()?;
    let mut socket = open(scene, "pods/a/attach?stdout=true", PROTOCOL_V5).await?;
    scene.check("waiting", final_status(&mut socket).await?, RECORDED);
    delete_node(scene).await
}

async fn streams_are_chosen(scene: &mut Scene) -> Outcome {
    pod_of(scene, &[json!({"name": "c", "image": "i", "stdin": true})]).await?;
    let mut socket = open(scene, "pods/a/attach", PROTOCOL_V5).await?;
    scene.check("none", final_status(&mut socket).await?, RECORDED);
    let mut socket = open(scene, "pods/a/attach?stdin=true", PROTOCOL_V5).await?;
    scene.check("stdin: first", format!("{:?}", socket.frame().await?), RECORDED);
    socket.send(STDIN, b"echo a\n").await?;
    socket.close_stdin().await?;
    let (out, err, status) = rest(&mut socket).await?;
    scene.check("stdin: writes", format!("{out:?} {err:?}"), RECORDED);
    scene.check("stdin: end", status, RECORDED);
    let mut socket = open(scene, "pods/a/attach?stdin=true&stderr=true", PROTOCOL_V5).await?;
    scene.check("stderr: first", format!("{:?}", socket.frame().await?), RECORDED);
    socket.send(STDIN, b"echo a\necho b >&2\n").await?;
    socket.close_stdin().await?;
    let (out, err, status) = rest(&mut socket).await?;
    scene.check("stderr: writes", format!("{out:?} {err:?}"), RECORDED);
    scene.check("stderr: end", status, RECORDED);
    delete_node(scene).await
}

async fn older_protocol_is_spoken(scene: &mut Scene) -> Outcome {
    pod(scene, &["c"]).await?;
    scene.check("unknown", handshake_outcome(scene, "pods/a/attach?stdout=true", "v9.channel.k8s.io").await?, RECORDED);
    let mut socket = open(scene, "pods/a/attach?stdout=true", "v4.channel.k8s.io").await?;
    scene.check("begins", format!("{:?}", socket.frame().await?), "Ok((1, []))");
    scene.check("writes", read_line(&mut socket).await?, "a line");
    terminate(scene).await?;
    scene.check("end", final_status(&mut socket).await?, RECORDED);
    delete_node(scene).await
}
