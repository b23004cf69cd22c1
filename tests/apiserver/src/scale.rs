//! Scale subresource: the replicas of a workload as an object.

use serde_json::{Value, json};

use crate::object::child_mut;
use crate::status::Status;

/// The `autoscaling/v1` Scale of a workload.
pub(crate) fn of(object: &Value) -> Value {
    let metadata = &object["metadata"];
    let labels = object["spec"]["selector"]["matchLabels"].as_object();
    let pairs =
        labels.into_iter().flatten().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
            "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": {"replicas": object["spec"]["replicas"].as_u64().unwrap_or(0)},
        "status": {
            "replicas": object["status"]["replicas"].as_u64().unwrap_or(0),
            "selector": pairs.collect::<Vec<_>>().join(","),
        },
    })
}

/// Sets the replicas of a workload to those of a Scale.
pub(crate) fn set(mut object: Value, scale: &Value) -> Result<Value, Status> {
    let name = scale["metadata"]["name"].as_str().unwrap_or_default();
    let replicas = match &scale["spec"]["replicas"] {
        Value::Null => 0,
        replicas => {
            let why = || format!("Invalid value: {replicas}: must be greater than or equal to 0");
            let invalid = || Status::invalid("autoscaling", "Scale", name, "spec.replicas", &why());
            replicas.as_u64().ok_or_else(invalid)?
        }
    };
    child_mut(&mut object, "spec").insert("replicas".to_owned(), replicas.into());
    if let Some(uid) = scale["metadata"]["uid"].as_str().filter(|uid| !uid.is_empty()) {
        child_mut(&mut object, "metadata").insert("uid".to_owned(), uid.into());
    }
    if let Some(version) = scale["metadata"]["resourceVersion"].as_str().filter(|version| !version.is_empty()) {
        child_mut(&mut object, "metadata").insert("resourceVersion".to_owned(), version.into());
    }
    Ok(object)
}
