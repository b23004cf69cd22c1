//! Ephemeral containers: those that `kubectl debug` adds to a running pod.

mod validation;

use serde_json::{Value, json};

use crate::object::child_mut;
use crate::status::Status;
use crate::store::Store;
use crate::write::{Part, now};
use crate::{defaults, preconditions};

/// Adds the ephemeral containers of `wanted` to a pod. Existing ones stay unchanged.
pub(crate) fn with(mut pod: Value, wanted: &Value) -> Result<Value, Status> {
    let list = |pod: &Value| pod["spec"]["ephemeralContainers"].as_array().cloned().unwrap_or_default();
    let (old, mut new) = (list(&pod), list(wanted));
    let name = pod["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    // Of the metadata, only the identity and the owners of fields count.
    preconditions::check_identity(&name, pod["metadata"]["namespace"].as_str().unwrap_or_default(), wanted)?;
    preconditions::copy_immutable(wanted, &mut pod);
    if let Some(owners) = wanted["metadata"].get("managedFields") {
        child_mut(&mut pod, "metadata").insert("managedFields".to_owned(), owners.clone());
    }
    new.iter_mut().filter(|container| container.is_object()).for_each(defaults::container_defaults);
    let mut wrong = validation::check(&pod["spec"], &new);
    for container in &old {
        let fate = match new.iter().find(|other| other["name"] == container["name"]) {
            Some(other) if other == container => continue,
            Some(_) => "changed",
            None => "removed",
        };
        let known = container["name"].as_str().unwrap_or_default();
        let why = format!("Forbidden: existing ephemeral containers \"{known}\" may not be {fate}\n");
        wrong.push(("spec.ephemeralContainers".to_owned(), why));
    }
    if !wrong.is_empty() {
        return Err(Status::all_invalid("", "Pod", &name, wrong));
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
