//! exec and attach: a simulated shell behind the channels of a WebSocket, like a kubelet behind the real server.

mod lines;
mod programs;
mod session;
mod shell;
mod terminal;

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use crate::log::Tail;
use crate::query::Query;
use crate::reply::text_reply;
use crate::status::Status;
use crate::store::Store;

/// Supported protocols: the one with the close signal, and its predecessor.
const PROTOCOLS: [&str; 2] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/// WebSocket handshake of a request, which the responding handler takes.
#[derive(Debug, Clone)]
pub(crate) struct Handshake(Arc<Mutex<Option<WebSocketUpgrade>>>);

impl Handshake {
    pub(crate) fn new(upgrade: WebSocketUpgrade) -> Self {
        Self(Arc::new(Mutex::new(Some(upgrade))))
    }
}

/// Streams that a client requests.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "a request has as many independent flags")]
struct Streams {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    tty: bool,
}

impl Streams {
    fn of(query: &Query) -> Self {
        let tty = query.flag("tty");
        // A terminal has one output.
        let stderr = query.flag("stderr") && !tty;
        Self { stdin: query.flag("stdin"), stdout: query.flag("stdout"), stderr, tty }
    }

    fn any(self) -> bool {
        self.stdin || self.stdout || self.stderr
    }
}

/// Process in the container.
enum Process {
    /// A command of the client.
    Command(Vec<String>),
    /// The container's main process: a shell if it reads stdin and the client has it, and its output otherwise.
    Container { reads: bool, tail: Box<Tail> },
}

/// Handles `…/pods/{name}/exec` and `…/attach`; `tail` is the container's output from now on.
pub(crate) fn exec(
    store: &Store,
    key: &str,
    attach: bool,
    query: &Query,
    handshake: Option<&Handshake>,
    cut: watch::Receiver<u64>,
    tail: impl FnOnce(&str) -> Result<Tail, Status>,
) -> Result<Response, Status> {
    let name = key.rsplit('/').next().unwrap_or(key);
    let entry = store.find("pods", key).ok_or_else(|| Status::not_found("", "pods", name))?;
    let pod = entry.value();
    let requested = query.get("container").filter(|container| !container.is_empty());
    let container = choose(name, &pod["spec"], requested)?;
    if pod["spec"]["nodeName"].as_str().unwrap_or_default().is_empty() {
        return Err(Status::bad_request(format!("pod {name} does not have a host assigned")));
    }
    let upgrade = handshake.and_then(|handshake| handshake.0.lock().take());
    let Some(upgrade) = upgrade else { return Err(Status::bad_request("Upgrade request required")) };
    let upgrade = upgrade.protocols(PROTOCOLS);
    let Some(protocol) = upgrade.selected_protocol().cloned() else {
        let mut reply = text_reply(StatusCode::FORBIDDEN, "");
        reply.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return Ok(reply);
    };
    let streams = Streams::of(query);
    let running = is_running(&pod, &container);
    let process = if attach {
        let reads = spec_of(&pod["spec"], &container)["stdin"] == true;
        running
            .and_then(|()| tail(&container).map_err(|status| status.message))
            .map(|tail| Process::Container { reads, tail: Box::new(tail) })
    } else {
        running.map(|()| Process::Command(query.all("command")))
    };
    let hostname = name.to_owned();
    let closes = protocol == PROTOCOLS[0];
    Ok(upgrade.on_upgrade(move |socket| session::serve(socket, streams, closes, hostname, process, cut)))
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    lists.into_iter().flat_map(|list| spec[list].as_array().into_iter().flatten())
}

fn spec_of<'a>(spec: &'a Value, name: &str) -> &'a Value {
    containers(spec).find(|container| container["name"] == name).unwrap_or(&Value::Null)
}

/// Returns the requested container, or the error if it is ambiguous.
fn choose(pod: &str, spec: &Value, requested: Option<&str>) -> Result<String, Status> {
    let names: Vec<&str> = containers(spec).filter_map(|container| container["name"].as_str()).collect();
    let ordinary = spec["containers"].as_array().map(Vec::as_slice).unwrap_or_default();
    match (requested, ordinary) {
        (Some(requested), _) if names.contains(&requested) => Ok(requested.to_owned()),
        (Some(requested), _) => Err(Status::bad_request(format!("container {requested} is not valid for pod {pod}"))),
        (None, [only]) => Ok(only["name"].as_str().unwrap_or_default().to_owned()),
        (None, _) => Err(Status::bad_request(format!(
            "a container name must be specified for pod {pod}, choose one of: [{}]",
            names.join(" ")
        ))),
    }
}

/// Checks that a container runs.
fn is_running(pod: &Value, container: &str) -> Result<(), String> {
    let state = &crate::log::status_of(pod, container)["state"];
    if state["running"].is_object() {
        return Ok(());
    }
    Err(format!("unable to upgrade connection: container not found (\"{container}\")"))
}
