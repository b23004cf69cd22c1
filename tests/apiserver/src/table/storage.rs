//! Rows of volumes, claims and storage classes.

use serde_json::{Value, json};

use super::cells::{either, items, text, text_or};
use super::{age, name};

const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

fn modes(value: &Value) -> String {
    let known =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let has = |mode: &str| items(value).any(|given| given == mode);
    known.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}

fn quantity(value: &Value) -> String {
    if value.is_null() { "0".to_owned() } else { either(value) }
}

/// Phase, unless the object is being deleted.
fn phase(object: &Value) -> &str {
    if object["metadata"]["deletionTimestamp"].is_string() { "Terminating" } else { text(&object["status"]["phase"]) }
}

fn class_of(object: &Value) -> &str {
    let beta = &object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
    beta.as_str().unwrap_or_else(|| text(&object["spec"]["storageClassName"]))
}

pub(super) fn volume(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    let claim = &spec["claimRef"];
    let claim = if claim.is_object() {
        format!("{}/{}", text(&claim["namespace"]), text(&claim["name"]))
    } else {
        String::new()
    };
    vec![
        name(object),
        json!(quantity(&spec["capacity"]["storage"])),
        json!(modes(&spec["accessModes"])),
        json!(text(&spec["persistentVolumeReclaimPolicy"])),
        json!(phase(object)),
        json!(claim),
        json!(class_of(object)),
        json!(spec["volumeAttributesClassName"].as_str().unwrap_or("<unset>")),
        json!(text(&object["status"]["reason"])),
        age(object),
        json!(spec["volumeMode"].as_str().unwrap_or("<unset>")),
    ]
}

pub(super) fn claim(object: &Value) -> Vec<Value> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let bound = !text(&spec["volumeName"]).is_empty();
    vec![
        name(object),
        json!(phase(object)),
        json!(text(&spec["volumeName"])),
        json!(if bound { quantity(&status["capacity"]["storage"]) } else { String::new() }),
        json!(if bound { modes(&status["accessModes"]) } else { String::new() }),
        json!(class_of(object)),
        json!(spec["volumeAttributesClassName"].as_str().unwrap_or("<unset>")),
        age(object),
        json!(spec["volumeMode"].as_str().unwrap_or("<unset>")),
    ]
}

pub(super) fn class(object: &Value) -> Vec<Value> {
    let annotations = &object["metadata"]["annotations"];
    let mark = if DEFAULT_CLASS.iter().any(|key| annotations[key] == "true") { " (default)" } else { "" };
    vec![
        json!(format!("{}{mark}", text(&object["metadata"]["name"]))),
        json!(text(&object["provisioner"])),
        json!(text_or(&object["reclaimPolicy"], "Delete")),
        json!(text_or(&object["volumeBindingMode"], "Immediate")),
        json!(object["allowVolumeExpansion"] == true),
        age(object),
    ]
}

pub(super) fn attachment(object: &Value) -> Vec<Value> {
    let spec = &object["spec"];
    vec![
        name(object),
        json!(text(&spec["attacher"])),
        json!(text(&spec["source"]["persistentVolumeName"])),
        json!(text(&spec["nodeName"])),
        json!(object["status"]["attached"].as_bool().unwrap_or_default()),
        age(object),
    ]
}
