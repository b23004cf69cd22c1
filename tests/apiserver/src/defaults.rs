//! Defaults of created objects: those of the real server that clients and dashboards read.

use serde_json::{Map, Value, json};

use crate::kinds::Kind;
use crate::object::{child_mut, metadata_mut};

/// Sets the real server's defaults for this kind.
pub(crate) fn apply(kind: &Kind, name: &str, object: &mut Value) {
    if kind.custom {
        return;
    }
    match kind.id().as_str() {
        "pods" => pod(object),
        "namespaces" => namespace(name, object),
        "services" => service(object),
        "deployments.apps" => deployment(object),
        "statefulsets.apps" => stateful_set(object),
        "replicasets.apps" | "replicationcontrollers" => replicated(object),
        "daemonsets.apps" => daemon_set(object),
        "controllerrevisions.apps" => default(object, "revision", json!(0)),
        "jobs.batch" => job(name, object),
        "cronjobs.batch" => cron_job(object),
        "persistentvolumeclaims" | "persistentvolumes" => {
            default_in_spec(object, json!({"volumeMode": "Filesystem"}));
            child_mut(object, "status").insert("phase".to_owned(), json!("Pending"));
        }
        "ingresses.networking.k8s.io" => {
            child_mut(object, "status").insert("loadBalancer".to_owned(), json!({}));
        }
        "poddisruptionbudgets.policy" => {
            let counts = json!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0});
            default(object, "status", counts);
        }
        "horizontalpodautoscalers.autoscaling" => {
            default_in_spec(object, json!({"minReplicas": 1}));
            child_mut(object, "status");
        }
        "validatingwebhookconfigurations.admissionregistration.k8s.io"
        | "mutatingwebhookconfigurations.admissionregistration.k8s.io" => webhooks(kind, object),
        "apiservices.apiregistration.k8s.io" => {
            if let Some(service) = object.pointer_mut("/spec/service") {
                default(service, "port", json!(443));
            }
            child_mut(object, "status");
        }
        "secrets" => default(object, "type", json!("Opaque")),
        "customresourcedefinitions.apiextensions.k8s.io" => {}
        _ if kind.status => {
            child_mut(object, "status");
        }
        _ => {}
    }
}

fn webhooks(kind: &Kind, object: &mut Value) {
    for webhook in object.pointer_mut("/webhooks").and_then(Value::as_array_mut).into_iter().flatten() {
        defaults(
            webhook,
            json!({"failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
                "timeoutSeconds": 10}),
        );
        if kind.name.starts_with("Mutating") {
            default(webhook, "reinvocationPolicy", json!("Never"));
        }
        if let Some(service) = webhook.pointer_mut("/clientConfig/service") {
            default(service, "port", json!(443));
        }
        for rule in webhook.pointer_mut("/rules").and_then(Value::as_array_mut).into_iter().flatten() {
            default(rule, "scope", json!("*"));
        }
    }
}

/// Sets a field that has no value. For Go, null and an empty object are none: its clients send `"strategy":{}`.
fn default(object: &mut Value, field: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        let found = map.entry(field).or_insert(Value::Null);
        if found.is_null() || found.as_object().is_some_and(Map::is_empty) {
            *found = value;
        }
    }
}

fn defaults(object: &mut Value, fields: Value) {
    if let Value::Object(fields) = fields {
        for (field, value) in fields {
            default(object, &field, value);
        }
    }
}

fn default_in_spec(object: &mut Value, fields: Value) {
    child_mut(object, "spec");
    defaults(&mut object["spec"], fields);
}

/// Defaults of a pod that has not started yet.
pub(crate) fn pod(object: &mut Value) {
    child_mut(object, "spec");
    pod_spec(&mut object["spec"]);
    default_in_spec(
        object,
        json!({
            "serviceAccountName": "default",
            "serviceAccount": "default",
            "enableServiceLinks": true,
            "priority": 0,
            "preemptionPolicy": "PreemptLowerPriority",
        }),
    );
    let status = child_mut(object, "status");
    status.insert("phase".to_owned(), json!("Pending"));
    status.insert("qosClass".to_owned(), json!("BestEffort"));
}

/// Defaults of a pod's spec, in a pod as well as in a template.
fn pod_spec(spec: &mut Value) {
    defaults(
        spec,
        json!({
            "restartPolicy": "Always",
            "dnsPolicy": "ClusterFirst",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
        }),
    );
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        containers.filter(|container| container.is_object()).for_each(container_defaults);
    }
}

/// Sets the defaults of a container of any list.
pub(crate) fn container_defaults(container: &mut Value) {
    let image = container["image"].as_str().unwrap_or_default();
    let tag = image.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
    let moves = !image.contains('@') && tag.is_none_or(|tag| tag == "latest");
    default(container, "imagePullPolicy", json!(if moves { "Always" } else { "IfNotPresent" }));
    default(container, "terminationMessagePath", json!("/dev/termination-log"));
    default(container, "terminationMessagePolicy", json!("File"));
    default(container, "resources", json!({}));
    protocols(container);
}

/// Sets TCP as the default protocol of ports.
fn protocols(owner: &mut Value) {
    let ports = owner.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
    for port in ports.filter(|port| port.is_object()) {
        default(port, "protocol", json!("TCP"));
    }
}

/// Defaults of the template inside a spec.
fn template(spec: &mut Value) {
    child_mut(spec, "template");
    child_mut(&mut spec["template"], "metadata");
    child_mut(&mut spec["template"], "spec");
    pod_spec(&mut spec["template"]["spec"]);
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
    // Addresses and ports are derived from the object's UID, so they are the same for each seed.
    let uid = object["metadata"]["uid"].as_str().unwrap_or_default().replace('-', "");
    let number = |from: usize, to: usize| u32::from_str_radix(uid.get(from..to).unwrap_or_default(), 16).unwrap_or(1);
    let address = format!("127.{}.{}.{}", 32 + number(0, 2) % 32, number(2, 4), 1 + number(4, 6) % 254);
    let node_port = 30_000 + number(6, 10) % 2768;
    default_in_spec(object, json!({"type": "ClusterIP", "sessionAffinity": "None"}));
    child_mut(object, "status").insert("loadBalancer".to_owned(), json!({}));
    let spec = &mut object["spec"];
    let kind = spec["type"].as_str().unwrap_or_default().to_owned();
    protocols(spec);
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
    for (at, port) in ports.into_iter().flatten().enumerate().filter(|(_, port)| port.is_object()) {
        let number = port["port"].clone();
        default(port, "targetPort", number);
        if kind != "ClusterIP" {
            default(port, "nodePort", json!(node_port as usize + at));
        }
    }
    if kind == "ExternalName" {
        return;
    }
    default(spec, "clusterIP", json!(address));
    let chosen = spec["clusterIP"].clone();
    defaults(
        spec,
        json!({
            "clusterIPs": [chosen], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        }),
    );
    if kind != "ClusterIP" {
        default(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        default(spec, "allocateLoadBalancerNodePorts", json!(true));
    }
}

fn replicated(object: &mut Value) {
    default_in_spec(object, json!({"replicas": 1}));
    template(&mut object["spec"]);
    child_mut(object, "status").insert("replicas".to_owned(), json!(0));
}

fn stateful_set(object: &mut Value) {
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}});
    default_in_spec(
        object,
        json!({"podManagementPolicy": "OrderedReady", "updateStrategy": strategy, "revisionHistoryLimit": 10}),
    );
    replicated(object);
}

fn daemon_set(object: &mut Value) {
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}});
    default_in_spec(object, json!({"updateStrategy": strategy, "revisionHistoryLimit": 10}));
    template(&mut object["spec"]);
    let status =
        json!({"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0});
    default(object, "status", status);
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
    template(&mut object["spec"]);
    child_mut(object, "status");
}

/// Defaults of a job's spec, in a job as well as in a cron job.
fn job_spec(spec: &mut Value) {
    template(spec);
    if spec["parallelism"].is_null() && spec["completions"].is_null() {
        default(spec, "completions", json!(1));
    }
    defaults(
        spec,
        json!({
            "parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": false,
            "podReplacementPolicy": "TerminatingOrFailed",
        }),
    );
}

fn job(name: &str, object: &mut Value) {
    child_mut(object, "spec");
    job_spec(&mut object["spec"]);
    child_mut(object, "status");
    let uid = object["metadata"]["uid"].clone();
    if object["spec"]["manualSelector"] == true || object["spec"]["selector"].is_object() {
        return;
    }
    // The controller selects a job's pods by the job's UID.
    default_in_spec(
        object,
        json!({"manualSelector": false, "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}}),
    );
    let labels = json!({
        "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name,
        "controller-uid": uid, "job-name": name,
    });
    for owner in ["/metadata", "/spec/template/metadata"] {
        if let Some(metadata) = object.pointer_mut(owner) {
            child_mut(metadata, "labels");
            defaults(&mut metadata["labels"], labels.clone());
        }
    }
}

fn cron_job(object: &mut Value) {
    default_in_spec(
        object,
        json!({
            "concurrencyPolicy": "Allow", "suspend": false, "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 1,
        }),
    );
    child_mut(object, "status");
    let spec = child_mut(&mut object["spec"], "jobTemplate");
    spec.entry("spec").or_insert_with(|| json!({}));
    template(&mut object["spec"]["jobTemplate"]["spec"]);
}
