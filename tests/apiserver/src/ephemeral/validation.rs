//! Validation of ephemeral containers, as in the real server.

use serde_json::Value;

use crate::syntax;

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];

/// Fields that only other containers may have, in the order of the API type.
const FORBIDDEN: [&str; 9] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

/// Errors of the ephemeral containers for a pod of this spec: fields, and what is wrong with each.
pub(super) fn check(spec: &Value, containers: &[Value]) -> Vec<(String, String)> {
    let names = |list: &str| -> Vec<&str> {
        let items = spec[list].as_array().into_iter().flatten();
        items.filter_map(|item| item["name"].as_str()).collect()
    };
    let others = [names("containers"), names("initContainers")].concat();
    let volumes = names("volumes");
    let mut taken = others.clone();
    let mut wrong = Vec::new();
    for (at, container) in containers.iter().enumerate() {
        let mut add = |field: &str, why: String| wrong.push((format!("spec.ephemeralContainers[{at}].{field}"), why));
        let text = |field: &str| container[field].as_str().unwrap_or_default();
        let (name, image, policy) = (text("name"), text("image"), text("imagePullPolicy"));
        if name.is_empty() {
            add("name", "Required value".to_owned());
        } else if let Some(why) = syntax::dns_label(name) {
            add("name", format!("Invalid value: {name:?}: {why}"));
        }
        if image.is_empty() {
            add("image", "Required value".to_owned());
        }
        for (mount, volume) in container["volumeMounts"].as_array().into_iter().flatten().enumerate() {
            let volume = volume["name"].as_str().unwrap_or_default();
            if volume.is_empty() {
                add(&format!("volumeMounts[{mount}].name"), "Required value".to_owned());
            }
            if !volumes.contains(&volume) {
                add(&format!("volumeMounts[{mount}].name"), format!("Not found: {volume:?}"));
            }
        }
        if !PULL_POLICIES.contains(&policy) {
            let supported = PULL_POLICIES.map(|policy| format!("{policy:?}")).join(", ");
            add("imagePullPolicy", format!("Unsupported value: {policy:?}: supported values: {supported}"));
        }
        if image.trim() != image {
            add("image", format!("Invalid value: {image:?}: must not have leading or trailing whitespace"));
        }
        if taken.contains(&name) {
            add("name", format!("Duplicate value: {name:?}"));
        } else {
            taken.push(name);
        }
        let target = text("targetContainerName");
        if !target.is_empty() && !others.contains(&target) {
            add("targetContainerName", format!("Not found: {target:?}"));
        }
        for field in FORBIDDEN.iter().filter(|field| is_set(&container[**field])) {
            add(field, "Forbidden: cannot be set for an Ephemeral Container".to_owned());
        }
    }
    wrong
}

/// Whether a field has a value other than its zero value.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => fields.values().any(|value| !value.is_null()),
        _ => true,
    }
}
