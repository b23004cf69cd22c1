//! Pod logs: the kubelet's responses, from lines that are generated deterministically and changed by commands.

mod commands;
mod follower;
mod line_content;
mod options;
mod run;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use humantime::parse_rfc3339;
use serde_json::{Value, json};

use crate::clock;
use crate::query::Query;
use crate::reply::typed_reply;
use crate::status::Status;
use crate::store::Store;
use crate::write::Part;

pub(crate) use commands::Commands;
pub use commands::{LogAction, LogCommand};
use follower::{Follower, Source};
pub use line_content::LogStyle;
use options::Options;
use run::Run;

/// Returns the log that a query requests; `None` for a pod without a node, which has no kubelet.
pub(crate) fn tail(
    store: &Arc<Store>,
    commands: &Arc<Commands>,
    key: &str,
    query: &Query,
    every: Duration,
) -> Result<Option<Tail>, Status> {
    let Some(entry) = store.find("pods", key) else {
        return Err(Status::not_found("", "pods", key.rsplit('/').next().unwrap_or(key)));
    };
    let pod = entry.value();
    let options = Options::parse(&entry.name, query)?;
    let container = choose(&entry.name, &pod["spec"], options.container.as_deref())?;
    if text(&pod["spec"]["nodeName"]).is_empty() {
        return Ok(None);
    }
    let base = run(key, &entry.name, &pod, &container, options.previous, every)?;
    // Before the run is created: a command that arrives meanwhile is processed twice rather than not at all.
    let changed = commands.subscribe();
    let (now, seen) = commands.now_and_count();
    let run = commands.apply_to(&base, &entry.namespace, &entry.name, &container);
    // The time of an end is a whole second, and may be in the future.
    let (first, end) = options.span(&run, run.ended.map_or(now, |ended| ended.max(now)));
    let source = Source {
        namespace: entry.namespace.clone(),
        pod: entry.name.clone(),
        key: key.to_owned(),
        uid: entry.uid.clone(),
        container,
    };
    let follower = Follower {
        store: Arc::clone(store),
        commands: Arc::clone(commands),
        changed,
        seen,
        checked_at: None,
        source,
        next: first,
        end,
        left: options.limit_bytes,
        follow: options.follow && run.ended.is_none(),
        timestamps: options.timestamps,
        base,
        run,
    };
    Ok(Some(Tail(follower)))
}

/// Stream of a log.
pub(crate) struct Tail(Follower);

impl Tail {
    /// Returns the next bytes; an error where the stream drops.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        self.0.next().await
    }
}

/// Handles `GET …/pods/{name}/log`.
pub(crate) fn log(
    store: &Arc<Store>,
    commands: &Arc<Commands>,
    key: &str,
    query: &Query,
    every: Duration,
) -> Result<Response, Status> {
    let Some(tail) = tail(store, commands, key, query, every)? else {
        return Ok(typed_reply(StatusCode::NO_CONTENT, HeaderValue::from_static("text/plain"), Body::empty()));
    };
    let chunks = stream::unfold(tail, |mut tail| async move { Some((tail.next().await?, tail)) });
    Ok(typed_reply(StatusCode::OK, HeaderValue::from_static("text/plain"), Body::from_stream(chunks)))
}

/// Performs a command.
pub(crate) fn command(store: &Store, commands: &Commands, command: LogCommand) {
    end_containers(store, &command);
    commands.add(command);
}

/// Ends the containers that an `End` command applies to.
fn end_containers(store: &Store, command: &LogCommand) {
    let LogAction::End { exit_code } = command.action else { return };
    let Ok((pods, _)) = store.snapshot("pods", None) else { return };
    // A whole second that followers have not reached: lines that they have read must exist in later reads.
    let finished = humantime::format_rfc3339_seconds(clock::now() + Duration::from_secs(2)).to_string();
    for (key, entry) in pods {
        let is_target = |container: &Value| command.is_for(&entry.namespace, &entry.name, text(&container["name"]));
        if !list(&entry.value()["status"]["containerStatuses"]).any(is_target) {
            continue;
        }
        // A pod that was deleted meanwhile has no container that could end.
        drop(store.update("pods", &key, Part::Status, |_, mut pod| {
            let statuses = pod["status"]["containerStatuses"].as_array_mut().into_iter().flatten();
            for status in statuses.filter(|status| is_target(status) && status["state"]["running"].is_object()) {
                let reason = if exit_code == 0 { "Completed" } else { "Error" };
                status["state"] = json!({"terminated": {
                    "exitCode": exit_code, "reason": reason, "finishedAt": finished,
                    "startedAt": status["state"]["running"]["startedAt"],
                }});
                status["ready"] = false.into();
            }
            Ok(pod)
        }));
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// Returns the container of a log request, or the error of an ambiguous one. Only app containers count for ambiguity.
fn choose(pod: &str, spec: &Value, requested: Option<&str>) -> Result<String, Status> {
    let all: Vec<&str> = ["initContainers", "containers", "ephemeralContainers"]
        .iter()
        .flat_map(|field| list(&spec[*field]))
        .map(|container| text(&container["name"]))
        .collect();
    let app: Vec<&str> = list(&spec["containers"]).map(|container| text(&container["name"])).collect();
    match (requested, &app[..]) {
        (Some(requested), _) if all.contains(&requested) => Ok(requested.to_owned()),
        (Some(requested), _) => Err(Status::bad_request(format!("container {requested} is not valid for pod {pod}"))),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => Err(Status::bad_request(format!(
            "a container name must be specified for pod {pod}, choose one of: [{}]",
            all.join(" ")
        ))),
    }
}

/// Returns the status of a container, whichever list it is in.
pub(crate) fn status_of<'a>(pod: &'a Value, container: &str) -> &'a Value {
    let lists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];
    let mut all = lists.iter().flat_map(|field| list(&pod["status"][*field]));
    all.find(|status| status["name"] == container).unwrap_or(&Value::Null)
}

/// Returns the requested run of a container: the current or the previous one.
fn run(
    key: &str,
    pod_name: &str,
    pod: &Value,
    container: &str,
    previous: bool,
    every: Duration,
) -> Result<Run, Status> {
    let status = status_of(pod, container);
    let restarts = status["restartCount"].as_u64().unwrap_or_default();
    let time = |value: &Value| parse_rfc3339(text(value)).ok();
    let of = |state: &Value, number: u64| {
        let started = time(&state["startedAt"]).or_else(|| time(&pod["metadata"]["creationTimestamp"]));
        let ended = time(&state["finishedAt"]);
        Run::new(&format!("{key}/{container}"), number, started.unwrap_or_else(clock::now), ended, every)
    };
    let (state, last) = (&status["state"], &status["lastState"]["terminated"]);
    if previous {
        if last.is_object() {
            return Ok(of(last, restarts.saturating_sub(1)));
        }
        let why = format!("previous terminated container \"{container}\" in pod \"{pod_name}\" not found");
        return Err(Status::bad_request(why));
    }
    if state["running"].is_object() {
        return Ok(of(&state["running"], restarts));
    }
    if state["terminated"].is_object() {
        return Ok(of(&state["terminated"], restarts));
    }
    // Between two crashes the log of the last run is still there.
    if last.is_object() {
        return Ok(of(last, restarts.saturating_sub(1)));
    }
    let reason = state["waiting"]["reason"].as_str().unwrap_or("ContainerCreating");
    let why = format!("container \"{container}\" in pod \"{pod_name}\" is waiting to start: {reason}");
    Err(Status::bad_request(why))
}
