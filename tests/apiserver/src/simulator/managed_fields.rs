//! `managedFields`: who owns which field. Dead weight in every list, which is why it must be there.

use serde_json::{Map, Value, json};

/// Keys that tell the elements of a list apart.
const KEYS: [&str; 6] = ["name", "containerPort", "mountPath", "type", "uid", "ip"];

/// Adds the entries a real object would have: one for who made it, one for who reports its status.
pub(super) fn add(object: &mut Value, api_version: &str, manager: &str, reporter: &str, time: &str) {
    let mut made = Map::new();
    for part in ["metadata", "spec", "data", "type"] {
        if let Some(value) = object.get(part) {
            made.insert(format!("f:{part}"), fields(value));
        }
    }
    if let Some(metadata) = made.get_mut("f:metadata").and_then(Value::as_object_mut) {
        metadata.retain(|name, _| {
            matches!(name.as_str(), "f:labels" | "f:annotations" | "f:ownerReferences" | "f:generateName")
        });
    }
    let mut entries = vec![json!({
        "manager": manager, "operation": "Update", "apiVersion": api_version, "time": time,
        "fieldsType": "FieldsV1", "fieldsV1": made,
    })];
    if let Some(status) = object.get("status") {
        entries.push(json!({
            "manager": reporter, "operation": "Update", "apiVersion": api_version, "time": time,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:status": fields(status)}, "subresource": "status",
        }));
    }
    object["metadata"]["managedFields"] = Value::Array(entries);
}

fn fields(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut out = Map::new();
            out.insert(".".to_owned(), json!({}));
            out.extend(map.iter().map(|(name, value)| (format!("f:{name}"), fields(value))));
            Value::Object(out)
        }
        Value::Array(items) => {
            let mut out = Map::new();
            for item in items {
                let Some(key) = KEYS.iter().find(|key| item.get(**key).is_some()) else { return json!({}) };
                out.insert(format!("k:{}", json!({*key: item[*key]})), fields(item));
            }
            Value::Object(out)
        }
        _ => json!({}),
    }
}
