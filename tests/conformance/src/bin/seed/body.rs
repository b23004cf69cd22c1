//! Conversion of an object of one cluster for another.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::plan::Resource;

/// Fields that the receiving apiserver sets itself.
const SYSTEM: [&str; 7] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// Removes the fields that the other apiserver sets itself, and updates references to the new UIDs.
pub(crate) fn prepare(object: &mut Value, resource: &Resource, uids: &HashMap<String, String>) {
    object["kind"] = json!(resource.kind);
    object["apiVersion"] = json!(resource.api_version);
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in SYSTEM {
            metadata.remove(field);
        }
    }
    for owner in object["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten() {
        renew(&mut owner["uid"], uids);
    }
    match resource.plural.as_str() {
        "events" => {
            if let Some(about) = object["involvedObject"].as_object_mut() {
                about.remove("resourceVersion");
            }
            renew(&mut object["involvedObject"]["uid"], uids);
        }
        // A job's selector is made from its new UID.
        "jobs" => {
            if let Some(spec) = object["spec"].as_object_mut() {
                spec.remove("selector");
            }
            if let Some(labels) = object["spec"]["template"]["metadata"]["labels"].as_object_mut() {
                labels.retain(|label, _| !label.ends_with("controller-uid") && !label.ends_with("job-name"));
            }
        }
        // It assigns addresses from its own range.
        "services" => {
            if let Some(spec) =
                object["spec"].as_object_mut().filter(|spec| spec.get("clusterIP") != Some(&json!("None")))
            {
                spec.remove("clusterIP");
                spec.remove("clusterIPs");
            }
        }
        _ => {}
    }
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
    }
}

fn renew(uid: &mut Value, uids: &HashMap<String, String>) {
    if let Some(new) = uid.as_str().and_then(|old| uids.get(old)) {
        *uid = json!(new);
    }
}

/// Adds the condition without which no job may be complete since Kubernetes 1.31.
pub(crate) fn complete(status: &mut Value) {
    let Some(conditions) = status["conditions"].as_array_mut() else { return };
    let met = |condition: &Value| condition["type"] == "SuccessCriteriaMet";
    if let Some(mut done) = conditions.iter().find(|condition| condition["type"] == "Complete").cloned()
        && !conditions.iter().any(met)
    {
        done["type"] = json!("SuccessCriteriaMet");
        conditions.insert(0, done);
    }
}

/// Sets the only permitted addresses of a node: loopback's, with the stub kubelet's port.
pub(crate) fn point_to_kubelet(status: &mut Value, port: u16) {
    status["addresses"] = json!([{"type": "InternalIP", "address": "127.0.0.1"}]);
    status["daemonEndpoints"] = json!({"kubeletEndpoint": {"Port": port}});
}
