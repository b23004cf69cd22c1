//! `managedFields` of simulated objects: unused bytes in every list, as in real clusters.

use serde_json::{Map, Value};

/// Keys that identify the elements of a list.
const KEYS: [&str; 6] = ["name", "containerPort", "mountPath", "type", "uid", "ip"];

/// Adds the entries of a real object: one for its creator, one for the reporter of its status.
pub(super) fn add(object: &mut Value, api_version: &str, manager: &str, reporter: &str, time: &str) {
    let entry = |manager: &str, fields: Map<String, Value>| {
        let mut entry = Map::new();
        for (name, text) in [("manager", manager), ("operation", "Update"), ("apiVersion", api_version)] {
            entry.insert(name.to_owned(), text.into());
        }
        entry.insert("time".to_owned(), time.into());
        entry.insert("fieldsType".to_owned(), "FieldsV1".into());
        // Moved: `json!` would copy the whole tree, which is half of every object.
        entry.insert("fieldsV1".to_owned(), Value::Object(fields));
        entry
    };
    let mut made = Map::new();
    if let Some(metadata) = object["metadata"].as_object() {
        let owned = ["annotations", "generateName", "labels", "ownerReferences"];
        let owned = owned.iter().filter_map(|name| Some((format!("f:{name}"), fields(metadata.get(*name)?))));
        made.insert("f:metadata".to_owned(), Value::Object(owned.collect()));
    }
    for part in ["spec", "data", "type"] {
        if let Some(value) = object.get(part) {
            made.insert(format!("f:{part}"), fields(value));
        }
    }
    let mut entries = vec![Value::Object(entry(manager, made))];
    if let Some(status) = object.get("status") {
        let mut second = entry(reporter, Map::from_iter([("f:status".to_owned(), fields(status))]));
        second.insert("subresource".to_owned(), "status".into());
        entries.push(Value::Object(second));
    }
    object["metadata"]["managedFields"] = Value::Array(entries);
}

fn fields(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let fields = map.iter().map(|(name, value)| (format!("f:{name}"), fields(value)));
            Value::Object(std::iter::once((".".to_owned(), Value::Object(Map::new()))).chain(fields).collect())
        }
        Value::Array(items) => {
            let mut out = Map::new();
            for item in items {
                let Some(key) = KEYS.iter().find(|key| item.get(**key).is_some()) else { break };
                out.insert(format!("k:{{\"{key}\":{}}}", item[*key]), fields(item));
            }
            // Without such a key, a list has one owner as a whole.
            Value::Object(if out.len() == items.len() { out } else { Map::new() })
        }
        _ => Value::Object(Map::new()),
    }
}
