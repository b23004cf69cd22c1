//! Ephemeral containers: those that `kubectl debug` adds to a running pod.

use serde_json::{Value, json};

use crate::object::child_mut;
use crate::status::Status;
use crate::store::Store;
use crate::write::{Part, now};

/// Adds the ephemeral containers of `wanted` to a pod. Existing ones stay unchanged.
pub(crate) fn with(mut pod: Value, wanted: &Value) -> Result<Value, Status> {
    let list = |pod: &Value| pod["spec"]["ephemeralContainers"].as_array().cloned().unwrap_or_default();
    let (old, new) = (list(&pod), list(wanted));
    let name = pod["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    for container in &old {
        let fate = match new.iter().find(|other| other["name"] == container["name"]) {
            Some(other) if other == container => continue,
            Some(_) => "changed",
            None => "removed",
        };
        let known = container["name"].as_str().unwrap_or_default();
        let why = format!("Forbidden: existing ephemeral containers \"{known}\" may not be {fate}\n");
        return Err(Status::invalid("", "Pod", &name, "spec.ephemeralContainers", &why));
    }
    child_mut(&mut pod, "spec").insert("ephemeralContainers".to_owned(), Value::Array(new));
    Ok(pod)
}

/// Acts as the kubelet: starts ephemeral containers without a status.
pub(crate) fn start(store: &Store, key: &str) -> Result<(), Status> {
    let started = store.update("pods", key, Part::Status, |_, mut pod| {
        let containers = pod["spec"]["ephemeralContainers"].as_array().cloned().unwrap_or_default();
        let statuses = child_mut(&mut pod, "status").entry("ephemeralContainerStatuses").or_insert_with(|| json!([]));
        for container in containers {
            let Some(statuses) = statuses.as_array_mut() else { break };
            if statuses.iter().all(|status| status["name"] != container["name"]) {
                statuses.push(json!({
                    "name": container["name"], "image": container["image"], "imageID": "", "ready": false,
                    "restartCount": 0, "state": {"running": {"startedAt": now()}}, "lastState": {},
                }));
            }
        }
        Ok(pod)
    });
    started.map(drop)
}
