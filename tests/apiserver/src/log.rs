//! Pod logs: the kubelet's responses, from lines that are generated deterministically.

mod lines;
mod options;

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use humantime::parse_rfc3339;
use serde_json::Value;
use tokio::time::sleep;

use crate::query::Query;
use crate::reply::typed_reply;
use crate::status::Status;
use crate::store::Store;

use lines::Run;
use options::Options;

/// How often a follower looks whether its pod is still there.
const LOOK: Duration = Duration::from_millis(100);

/// Lines sent without a pause.
const BATCH: usize = 64;

/// Answers `GET …/pods/{name}/log`.
pub(crate) fn log(store: &Arc<Store>, key: &str, query: &Query, every: Duration) -> Result<Response, Status> {
    let Some(entry) = store.find("pods", key) else {
        return Err(Status::not_found("", "pods", key.rsplit('/').next().unwrap_or(key)));
    };
    let pod = entry.value();
    let options = Options::parse(&entry.name, query)?;
    let container = choose(&entry.name, &pod["spec"], options.container.as_deref())?;
    if text(&pod["spec"]["nodeName"]).is_empty() {
        // No node, no kubelet to ask.
        return Ok(typed_reply(StatusCode::NO_CONTENT, HeaderValue::from_static("text/plain"), Body::empty()));
    }
    let run = run(key, &entry.name, &pod, &container, options.previous, every)?;
    let now = SystemTime::now();
    let (first, end) = options.span(&run, now);
    let follower = Follower {
        store: Arc::clone(store),
        key: key.to_owned(),
        uid: entry.uid.clone(),
        container,
        next: first,
        pause_after: end,
        left: options.limit_bytes,
        follow: options.follow && run.ended.is_none(),
        timestamps: options.timestamps,
        run,
    };
    let chunks = stream::unfold(follower, |mut follower| async move {
        let chunk = follower.next().await?;
        Some((Ok::<_, io::Error>(chunk), follower))
    });
    Ok(typed_reply(StatusCode::OK, HeaderValue::from_static("text/plain"), Body::from_stream(chunks)))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// The container whose log is meant, or why that is not clear.
fn choose(pod: &str, spec: &Value, asked: Option<&str>) -> Result<String, Status> {
    let all: Vec<&str> = ["initContainers", "containers", "ephemeralContainers"]
        .iter()
        .flat_map(|field| list(&spec[*field]))
        .map(|container| text(&container["name"]))
        .collect();
    match (asked, &all[..]) {
        (Some(asked), _) if all.contains(&asked) => Ok(asked.to_owned()),
        (Some(asked), _) => Err(Status::bad_request(format!("container {asked} is not valid for pod {pod}"))),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) => Err(Status::bad_request(format!(
            "a container name must be specified for pod {pod}, choose one of: [{}]",
            all.join(" ")
        ))),
    }
}

/// The status of a container, whichever list it is in.
fn status_of<'a>(pod: &'a Value, container: &str) -> &'a Value {
    let lists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];
    let mut all = lists.iter().flat_map(|field| list(&pod["status"][*field]));
    all.find(|status| status["name"] == container).unwrap_or(&Value::Null)
}

/// The run of a container that is asked for: the present one or the one before.
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
    let moment = |value: &Value| parse_rfc3339(text(value)).ok();
    let of = |state: &Value, number: u64| {
        let started = moment(&state["startedAt"]).or_else(|| moment(&pod["metadata"]["creationTimestamp"]));
        let ended = moment(&state["finishedAt"]);
        Run::new(&format!("{key}/{container}/{number}"), started.unwrap_or_else(SystemTime::now), ended, every)
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

/// One answer on its way.
struct Follower {
    store: Arc<Store>,
    key: String,
    uid: String,
    container: String,
    run: Run,
    /// Number of the next line.
    next: u64,
    /// The lines before this one are there already.
    pause_after: u64,
    /// Bytes that may still be sent.
    left: usize,
    follow: bool,
    timestamps: bool,
}

impl Follower {
    async fn next(&mut self) -> Option<Bytes> {
        if self.left == 0 {
            return None;
        }
        let mut chunk = String::new();
        while self.next < self.pause_after {
            self.run.write(self.next, self.timestamps, &mut chunk);
            self.next += 1;
            // A reader that follows sees each line as it comes; old lines come together.
            if self.follow || chunk.lines().count() >= BATCH {
                break;
            }
        }
        if chunk.is_empty() {
            if !self.follow || !self.wait().await {
                return None;
            }
            self.run.write(self.next, self.timestamps, &mut chunk);
            self.next += 1;
            self.pause_after = self.next;
        }
        let mut bytes = chunk.into_bytes();
        bytes.truncate(self.left);
        self.left -= bytes.len();
        Some(bytes.into())
    }

    /// Waits for the next line; false when there will be none.
    async fn wait(&self) -> bool {
        let due = self.run.time(self.next);
        loop {
            let Some(entry) = self.store.find("pods", &self.key).filter(|entry| entry.uid == self.uid) else {
                return false;
            };
            if !status_of(&entry.value(), &self.container)["state"]["running"].is_object() {
                return false;
            }
            match due.duration_since(SystemTime::now()) {
                Ok(ahead) if !ahead.is_zero() => sleep(ahead.min(LOOK)).await,
                _ => return true,
            }
        }
    }
}
