//! Nodes, events, configuration, leases and certificates.

use base64::Engine as _;
use serde_json::{Value, json};

pub(super) fn nodes() -> Vec<Value> {
    let node = |name: &str, labels: Value, spec: Value, status: Value| json!({"metadata": {"name": name, "labels": labels}, "spec": spec, "status": status});
    let ready =
        |status: &str| json!([{"type": "MemoryPressure", "status": "True"}, {"type": "Ready", "status": status}]);
    let info = json!({"kubeletVersion": "v1.36.3", "osImage": "Linux of Examples", "kernelVersion": "6.1.0", "containerRuntimeVersion": "containerd://2.0",
        "architecture": "amd64", "bootID": "", "machineID": "", "systemUUID": "", "operatingSystem": "linux", "kubeProxyVersion": ""});
    let addresses = json!([{"type": "Hostname", "address": "n"}, {"type": "InternalIP", "address": "127.0.0.2"}, {"type": "InternalIP", "address": "::1"}, {"type": "ExternalIP", "address": "203.0.113.1"}]);
    vec![
        node("NS-new", json!({}), json!({}), Value::Null),
        node(
            "NS-ready",
            json!({"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "master"}),
            json!({}),
            json!({"conditions": ready("True"), "addresses": addresses, "nodeInfo": info}),
        ),
        node(
            "NS-cordoned",
            json!({"kubernetes.io/role": "", "node-role.kubernetes.io/a": "", "node-role.kubernetes.io/B": ""}),
            json!({"unschedulable": true, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}),
            json!({"conditions": ready("True")}),
        ),
        node(
            "NS-not-ready",
            json!({"kubernetes.io/role": "worker", "node-role.kubernetes.io/worker": "x"}),
            json!({}),
            json!({"conditions": ready("False")}),
        ),
        node("NS-lost", json!({}), json!({"unschedulable": true}), json!({"conditions": ready("Unknown")})),
    ]
}

pub(super) fn events() -> Vec<Value> {
    let event = |name: &str, extra: Value| {
        let mut event = json!({"metadata": {"name": name}, "type": "Warning", "reason": "Failed", "message": " it failed \n",
            "involvedObject": {"kind": "Pod", "name": "web", "fieldPath": "spec.containers{web}"}});
        for (key, value) in extra.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        event["involvedObject"]["namespace"] = json!("SPACE");
        event
    };
    vec![
        event(
            "old",
            json!({"firstTimestamp": "2024-01-01T00:00:00Z", "lastTimestamp": "2025-01-01T00:00:00Z", "count": 7, "source": {"component": "kubelet", "host": "n"}}),
        ),
        event("once", json!({"firstTimestamp": "2024-01-01T00:00:00Z", "source": {"component": "scheduler"}})),
        event("timeless", json!({})),
        event(
            "new",
            json!({"eventTime": "2024-01-01T00:00:00.123456Z", "reportingComponent": "example.dev/controller", "reportingInstance": "controller-1", "action": "Act"}),
        ),
        event(
            "series",
            json!({"eventTime": "2024-01-01T00:00:00.000000Z", "series": {"count": 3, "lastObservedTime": "2025-06-01T00:00:00.000000Z"},
            "reportingComponent": "example.dev/controller", "reportingInstance": "controller-1", "action": "Act"}),
        ),
        event(
            "both",
            json!({"source": {"component": "kubelet"}, "reportingComponent": "other", "reportingInstance": "i-1"}),
        ),
        event("nameless", json!({"involvedObject": {"kind": "ReplicaSet"}})),
    ]
}

pub(super) fn new_events() -> Vec<Value> {
    let event = |name: &str, extra: Value| {
        let mut event = json!({"metadata": {"name": name}, "eventTime": "2024-01-01T00:00:00.123456Z", "type": "Normal", "reason": "Done", "note": " it is done ",
            "action": "Act", "reportingController": "example.dev/controller", "reportingInstance": "controller-1",
            "regarding": {"kind": "Pod", "name": "web", "namespace": "SPACE"}});
        for (key, value) in extra.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        event
    };
    vec![
        event("one", json!({})),
        event("series", json!({"series": {"count": 3, "lastObservedTime": "2025-06-01T00:00:00.000000Z"}})),
    ]
}

pub(super) fn config_maps() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "none"}}),
        json!({"metadata": {"name": "three"}, "data": {"a": "{\"x\": [1]}", "b": ""}, "binaryData": {"c": "AAA="}}),
    ]
}

pub(super) fn secrets() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "none"}}),
        json!({"metadata": {"name": "login"}, "type": "kubernetes.io/basic-auth", "stringData": {"username": "u", "password": "p"}}),
    ]
}

pub(super) fn service_accounts() -> Vec<Value> {
    vec![json!({"metadata": {"name": "robot"}, "secrets": [{"name": "a"}]})]
}

pub(super) fn leases() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "free"}}),
        json!({"metadata": {"name": "held"}, "spec": {"holderIdentity": "controller-1"}}),
    ]
}

/// A request that was made for this: its key was thrown away.
const REQUEST: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIHIMHECAQAwDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABInFIAuDjmpOXutX9ZbC8YTo3FSKSOlkVNqeSZLPY6I3zaxzz+NXw/hiofI8
RjUSogyg3qZo5xTyKCEAO8x+XLigADAKBggqhkjOPQQDAgNHADBEAiAnXws645g1
83wUPVLtfbLN4OR6a0Ymp/bBtmvEiU3r4QIgFq3wZYVYEM93rBYy5OthXxOTrPdY
l6aphtcLz93h0tE=
-----END CERTIFICATE REQUEST-----
";

pub(super) fn signing_requests() -> Vec<Value> {
    let request = |name: &str, approval: Value, status: Value| {
        let request = base64::engine::general_purpose::STANDARD.encode(REQUEST);
        let mut object = json!({"metadata": {"name": name}, "spec": {"request": request, "signerName": "example.dev/signer", "usages": ["client auth"], "expirationSeconds": 7200}});
        if !approval.is_null() {
            object["approval"] = approval;
        }
        if !status.is_null() {
            object["status"] = status;
        }
        object
    };
    let is = |kind: &str| json!({"conditions": [{"type": kind, "status": "True", "reason": "Test", "message": "m"}]});
    let mut forever = request("NS-forever", Value::Null, Value::Null);
    forever["spec"]["expirationSeconds"] = Value::Null;
    vec![
        forever,
        request("NS-pending", Value::Null, Value::Null),
        request("NS-approved", is("Approved"), Value::Null),
        request("NS-denied", is("Denied"), Value::Null),
        request("NS-failed", Value::Null, is("Failed")),
    ]
}
