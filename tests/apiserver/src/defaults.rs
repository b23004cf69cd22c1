//! Defaults that a client's object gets on creation: as much as clients and dashboards look at.

use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::object::{child_mut, metadata_mut};

/// Fills in what the real server would fill in for this kind.
pub(crate) fn apply(kind: &Kind, name: &str, object: &mut Value) {
    if kind.custom {
        return;
    }
    match kind.id().as_str() {
        "pods" => pod(object),
        "namespaces" => namespace(name, object),
        "services" => service(object),
        "deployments.apps" => deployment(object),
        "replicasets.apps" | "statefulsets.apps" | "replicationcontrollers" => default_replicas(object),
        "persistentvolumeclaims" | "persistentvolumes" => {
            child_mut(object, "status").insert("phase".to_owned(), json!("Pending"));
        }
        "secrets" => default(object, "type", json!("Opaque")),
        "customresourcedefinitions.apiextensions.k8s.io" => {}
        _ if kind.status => {
            child_mut(object, "status");
        }
        _ => {}
    }
}

fn default(object: &mut Value, field: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.entry(field).or_insert(value);
    }
}

fn default_in_spec(object: &mut Value, fields: Value) {
    let spec = child_mut(object, "spec");
    if let Value::Object(fields) = fields {
        for (field, value) in fields {
            spec.entry(field).or_insert(value);
        }
    }
}

/// Defaults of a pod that has not started yet.
pub(crate) fn pod(object: &mut Value) {
    default_in_spec(
        object,
        json!({
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
            "schedulerName": "default-scheduler",
            "serviceAccountName": "default",
            "serviceAccount": "default",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
            "enableServiceLinks": true,
            "priority": 0,
            "preemptionPolicy": "PreemptLowerPriority",
        }),
    );
    containers(&mut object["spec"]);
    let status = child_mut(object, "status");
    status.insert("phase".to_owned(), json!("Pending"));
    status.insert("qosClass".to_owned(), json!("BestEffort"));
}

/// Defaults of the containers of a pod's spec.
fn containers(spec: &mut Value) {
    let lists = ["containers", "initContainers"];
    for list in lists {
        let Some(containers) = spec.get_mut(list).and_then(Value::as_array_mut) else { continue };
        for container in containers.iter_mut().filter(|container| container.is_object()) {
            default(container, "imagePullPolicy", json!("IfNotPresent"));
            default(container, "terminationMessagePath", json!("/dev/termination-log"));
            default(container, "terminationMessagePolicy", json!("File"));
            default(container, "resources", json!({}));
            let ports = container.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
            for port in ports.filter(|port| port.is_object()) {
                default(port, "protocol", json!("TCP"));
            }
        }
    }
}

fn namespace(name: &str, object: &mut Value) {
    let metadata = metadata_mut(object);
    if !metadata.get("labels").is_some_and(Value::is_object) {
        metadata.insert("labels".to_owned(), json!({}));
    }
    metadata["labels"]["kubernetes.io/metadata.name"] = json!(name);
    child_mut(object, "spec").insert("finalizers".to_owned(), json!(["kubernetes"]));
    child_mut(object, "status").insert("phase".to_owned(), json!("Active"));
}

fn service(object: &mut Value) {
    default_in_spec(
        object,
        json!({"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}),
    );
    child_mut(object, "status").insert("loadBalancer".to_owned(), json!({}));
}

fn default_replicas(object: &mut Value) {
    default_in_spec(object, json!({"replicas": 1}));
    let status = child_mut(object, "status");
    status.insert("replicas".to_owned(), json!(0));
}

fn deployment(object: &mut Value) {
    default_in_spec(
        object,
        json!({
            "replicas": 1,
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        }),
    );
    child_mut(object, "status");
}
