//! Workloads.

use serde_json::{Value, json};

fn template(restart: &str) -> Value {
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {
        "restartPolicy": restart, "nodeSelector": {"disk": "fast", "area": ""},
        "containers": [{"name": "web", "image": "web:1"}, {"name": "log", "image": "registry.example.dev/log@sha256:0123456789012345678901234567890123456789012345678901234567890123"}],
    }})
}

fn selector() -> Value {
    json!({"matchLabels": {"app": "web"}})
}

/// A selector with all operators and unsorted keys.
fn long_selector() -> Value {
    json!({"matchLabels": {"app": "web", "zone": "b"}, "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["front", "back"]},
        {"key": "track", "operator": "NotIn", "values": ["canary", "alpha"]},
        {"key": "app", "operator": "Exists"}, {"key": "batch", "operator": "DoesNotExist"}]})
}

fn long_labels(mut template: Value) -> Value {
    template["metadata"]["labels"] = json!({"app": "web", "zone": "b", "tier": "back"});
    template
}

/// With and without a status, with a short and a long selector.
fn sets(spec: &Value, status: &Value) -> Vec<Value> {
    let with = |selector: Value, template: Value| {
        let mut spec = spec.clone();
        spec["selector"] = selector;
        spec["template"] = template;
        spec
    };
    let (short, long) = (with(selector(), template("Always")), with(long_selector(), long_labels(template("Always"))));
    vec![
        json!({"metadata": {"name": "new"}, "spec": short}),
        json!({"metadata": {"name": "going"}, "spec": short, "gone": true}),
        json!({"metadata": {"name": "old"}, "spec": long, "status": status}),
    ]
}

pub(super) fn deployments() -> Vec<Value> {
    let status = json!({"replicas": 3, "updatedReplicas": 2, "readyReplicas": 1, "availableReplicas": 1, "unavailableReplicas": 2});
    let mut all = sets(&json!({"replicas": 3}), &status);
    all.extend(sets(&json!({"replicas": 0}), &Value::Null).into_iter().take(1).map(|mut none| {
        none["metadata"]["name"] = json!("none");
        none
    }));
    all
}

pub(super) fn replica_sets() -> Vec<Value> {
    sets(&json!({"replicas": 2}), &json!({"replicas": 2, "readyReplicas": 1}))
}

pub(super) fn stateful_sets() -> Vec<Value> {
    sets(&json!({"replicas": 4, "serviceName": "web"}), &json!({"replicas": 4, "readyReplicas": 1}))
}

pub(super) fn daemon_sets() -> Vec<Value> {
    let status = json!({"desiredNumberScheduled": 7, "currentNumberScheduled": 6, "numberReady": 5, "updatedNumberScheduled": 4, "numberAvailable": 3, "numberMisscheduled": 1});
    sets(&json!({}), &status)
}

pub(super) fn replication_controllers() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "a"}, "spec": {"replicas": 2, "selector": {"app": "web"}, "template": template("Always")}}),
        json!({"metadata": {"name": "b"}, "spec": {"replicas": 2, "template": long_labels(template("Always"))}, "status": {"replicas": 2, "readyReplicas": 2}}),
    ]
}

pub(super) fn controller_revisions() -> Vec<Value> {
    let owner = |version: &str, controller: bool| json!([{"apiVersion": version, "kind": "StatefulSet", "name": "web", "uid": "u", "controller": controller}]);
    vec![
        json!({"metadata": {"name": "free"}, "revision": 1, "data": {}}),
        json!({"metadata": {"name": "held", "ownerReferences": owner("apps/v1", true)}, "revision": 12, "data": {}}),
        json!({"metadata": {"name": "core", "ownerReferences": owner("v1", true)}, "revision": 2, "data": {}}),
        json!({"metadata": {"name": "owned", "ownerReferences": owner("apps/v1", false)}, "revision": 3, "data": {}}),
    ]
}

pub(super) fn jobs() -> Vec<Value> {
    let job = |name: &str, spec: Value, status: Value| {
        let mut spec = spec;
        spec["template"] = template("Never");
        json!({"metadata": {"name": name}, "spec": spec, "status": status})
    };
    let is = |kinds: &[&str]| -> Vec<Value> {
        kinds
            .iter()
            .map(|kind| json!({"type": kind, "status": "True", "lastTransitionTime": "2024-01-01T01:00:00Z"}))
            .collect()
    };
    let mut going = job("going", json!({}), Value::Null);
    going["gone"] = json!(true);
    vec![
        going,
        job("new", json!({}), Value::Null),
        job(
            "many",
            json!({"completions": 5, "parallelism": 2}),
            json!({"startTime": "2024-01-01T00:00:00Z", "active": 2, "succeeded": 3, "ready": 1}),
        ),
        job("queue", json!({"parallelism": 3}), json!({"startTime": "2024-01-01T00:00:00Z", "active": 3})),
        job(
            "complete",
            json!({"completions": 1}),
            json!({"startTime": "2024-01-01T00:00:00Z", "completionTime": "2024-01-01T00:09:05Z", "succeeded": 1, "conditions": is(&["SuccessCriteriaMet", "Complete"])}),
        ),
        job(
            "failed",
            json!({}),
            json!({"startTime": "2024-01-01T00:00:00Z", "failed": 1, "conditions": is(&["FailureTarget", "Failed"])}),
        ),
        job(
            "failing",
            json!({}),
            json!({"startTime": "2024-01-01T00:00:00Z", "active": 1, "conditions": is(&["FailureTarget"])}),
        ),
        job(
            "nearly",
            json!({"completions": 2}),
            json!({"startTime": "2024-01-01T00:00:00Z", "active": 1, "conditions": is(&["SuccessCriteriaMet"])}),
        ),
        job("suspended", json!({"suspend": true}), json!({"conditions": is(&["Suspended"])})),
        job(
            "resumed",
            json!({}),
            json!({"startTime": "2024-01-01T00:00:00Z", "conditions": [{"type": "Suspended", "status": "False"}]}),
        ),
    ]
}

pub(super) fn cron_jobs() -> Vec<Value> {
    let cron = |name: &str, spec: Value, status: Value| {
        let mut spec = spec;
        spec["schedule"] = json!("*/5 * * * *");
        spec["jobTemplate"] = json!({"spec": {"template": template("OnFailure")}});
        json!({"metadata": {"name": name}, "spec": spec, "status": status})
    };
    let active = json!([{"kind": "Job", "name": "a"}, {"kind": "Job", "name": "b"}]);
    vec![
        cron("new", json!({}), Value::Null),
        cron(
            "suspended",
            json!({"suspend": true, "timeZone": "Europe/Berlin"}),
            json!({"lastScheduleTime": "2025-01-01T00:00:00Z"}),
        ),
        cron("busy", json!({"suspend": false}), json!({"lastScheduleTime": "2025-01-01T00:00:00Z", "active": active})),
    ]
}

pub(super) fn pod_templates() -> Vec<Value> {
    let mut bare = template("Always");
    bare["metadata"] = json!({});
    vec![
        json!({"metadata": {"name": "a"}, "template": template("Always")}),
        json!({"metadata": {"name": "b"}, "template": bare}),
    ]
}
