//! Volumes, claims, classes and drivers.

use serde_json::{Value, json};

pub(super) fn volumes() -> Vec<Value> {
    let volume = |name: &str, extra: Value, status: Value| {
        let mut spec =
            json!({"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/tmp/a"}});
        for (key, value) in extra.as_object().into_iter().flatten() {
            spec[key] = value.clone();
        }
        json!({"metadata": {"name": name}, "spec": spec, "status": status})
    };
    let mut old = volume("NS-old", json!({"storageClassName": "new"}), Value::Null);
    old["metadata"]["annotations"] = json!({"volume.beta.kubernetes.io/storage-class": "old"});
    let mut going = volume("NS-going", json!({}), Value::Null);
    going["gone"] = json!(true);
    let claim = json!({"namespace": "shop", "name": "data"});
    vec![
        old,
        going,
        volume("NS-new", json!({"capacity": {"storage": "1500M"}, "storageClassName": "fast"}), Value::Null),
        volume(
            "NS-bound",
            json!({"claimRef": claim, "persistentVolumeReclaimPolicy": "Delete", "accessModes": ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"]}),
            json!({"phase": "Bound"}),
        ),
        volume(
            "NS-failed",
            json!({"accessModes": ["ReadWriteOncePod"], "volumeMode": "Block"}),
            json!({"phase": "Failed", "reason": "Broken", "message": "it broke"}),
        ),
    ]
}

pub(super) fn claims() -> Vec<Value> {
    let claim = |name: &str, extra: Value, status: Value| {
        let mut spec = json!({"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"]});
        for (key, value) in extra.as_object().into_iter().flatten() {
            spec[key] = value.clone();
        }
        json!({"metadata": {"name": name}, "spec": spec, "status": status})
    };
    let mut old = claim("old", json!({}), Value::Null);
    old["metadata"]["annotations"] = json!({"volume.beta.kubernetes.io/storage-class": "old"});
    let mut going = claim("going", json!({}), Value::Null);
    going["gone"] = json!(true);
    vec![
        old,
        going,
        claim("pending", json!({"storageClassName": "fast"}), Value::Null),
        claim("waits-for-volume", json!({"volumeName": "pv"}), Value::Null),
        claim(
            "bound",
            json!({"volumeName": "pv", "volumeMode": "Block"}),
            json!({"phase": "Bound", "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteMany", "ReadWriteOnce"]}),
        ),
        claim("lost", json!({"volumeName": "pv"}), json!({"phase": "Lost"})),
    ]
}

pub(super) fn classes() -> Vec<Value> {
    let default = |annotation: &str, value: &str| json!({annotation: value});
    let class = |name: &str, annotations: Value| json!({"metadata": {"name": name, "annotations": annotations}, "provisioner": "example.dev/disk"});
    let mut all = class("NS-all", Value::Null);
    all["reclaimPolicy"] = json!("Retain");
    all["volumeBindingMode"] = json!("WaitForFirstConsumer");
    all["allowVolumeExpansion"] = json!(true);
    vec![
        all,
        class("NS-default", default("storageclass.kubernetes.io/is-default-class", "true")),
        class("NS-beta", default("storageclass.beta.kubernetes.io/is-default-class", "true")),
        class("NS-not", default("storageclass.kubernetes.io/is-default-class", "false")),
    ]
}

pub(super) fn attributes_classes() -> Vec<Value> {
    vec![json!({"metadata": {"name": "NS-a"}, "driverName": "disk.example.dev", "parameters": {"iops": "100"}})]
}

pub(super) fn attachments() -> Vec<Value> {
    let attachment = |name: &str, status: Value| json!({"metadata": {"name": name}, "spec": {"attacher": "disk.example.dev", "nodeName": "n", "source": {"persistentVolumeName": "pv"}}, "status": status});
    vec![attachment("NS-new", Value::Null), attachment("NS-attached", json!({"attached": true}))]
}

pub(super) fn drivers() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "NS-a"}, "spec": {}}),
        json!({"metadata": {"name": "NS-b"}, "spec": {"attachRequired": false, "podInfoOnMount": true, "storageCapacity": true, "requiresRepublish": true,
            "volumeLifecycleModes": ["Persistent", "Ephemeral"], "tokenRequests": [{"audience": "a"}, {"audience": "b"}]}}),
        json!({"metadata": {"name": "NS-c"}, "spec": {"tokenRequests": [{"audience": ""}]}}),
    ]
}

pub(super) fn csi_nodes() -> Vec<Value> {
    let driver = |name: &str| json!({"name": name, "nodeID": "n"});
    vec![
        json!({"metadata": {"name": "NS-none"}, "spec": {"drivers": []}}),
        json!({"metadata": {"name": "NS-two"}, "spec": {"drivers": [driver("a.example.dev"), driver("b.example.dev")]}}),
    ]
}

pub(super) fn resource_slices() -> Vec<Value> {
    let pool = json!({"name": "pool", "generation": 1, "resourceSliceCount": 1});
    vec![
        json!({"metadata": {"name": "NS-node"}, "spec": {"driver": "gpu.example.dev", "pool": pool, "nodeName": "n", "devices": []}}),
        json!({"metadata": {"name": "NS-all"}, "spec": {"driver": "gpu.example.dev", "pool": pool, "allNodes": true, "devices": []}}),
    ]
}
