//! Pruning: removes the fields of a custom resource that the schema of its definition does not have, as the real
//! server's `structuralschema/pruning` does.

use serde_json::Value;

/// Fields that every object has, whatever the schema says.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes unknown fields, and returns their paths in alphabetical order. The object is a whole resource.
pub(crate) fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut unknown = Vec::new();
    walk(schema, object, "", true, &mut unknown);
    unknown.sort();
    unknown
}

fn walk(schema: &Value, value: &mut Value, path: &str, is_resource: bool, unknown: &mut Vec<String>) {
    let keeps = schema["x-kubernetes-preserve-unknown-fields"] == true;
    let is_resource = is_resource || schema["x-kubernetes-embedded-resource"] == true;
    match value {
        Value::Object(map) => map.retain(|key, inner| {
            if is_resource && META.contains(&key.as_str()) {
                return true;
            }
            let at = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let others = &schema["additionalProperties"];
            if let Some(schema) = schema["properties"].get(key) {
                walk(schema, inner, &at, false, unknown);
            } else if others.is_object() {
                walk(others, inner, &at, false, unknown);
            } else if !keeps && *others != true {
                unknown.push(at);
                return false;
            }
            true
        }),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                // A list without a schema of its items keeps them if it keeps unknown fields.
                if keeps && !schema["items"].is_object() {
                    continue;
                }
                walk(&schema["items"], item, &format!("{path}[{index}]"), false, unknown);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_are_removed_and_named() {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer"},
                "parts": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            }},
        }});
        let good = json!({
            "apiVersion": "x/v1", "kind": "Thing", "metadata": {"name": "a"},
            "spec": {"size": 1, "parts": [{"name": "a"}], "labels": {"a": "b"}, "free": {"a": [{"b": 1}]}},
        });
        let mut object = good.clone();
        assert_eq!(prune(&schema, &mut object), Vec::<String>::new());
        assert_eq!(object, good);
        object["status"] = json!({});
        object["spec"]["kind"] = json!("a");
        object["spec"]["parts"][0]["colour"] = json!("red");
        assert_eq!(prune(&schema, &mut object), ["spec.kind", "spec.parts[0].colour", "status"]);
        assert_eq!(object, good);
    }

    #[test]
    fn a_schema_that_keeps_unknown_fields_prunes_nothing() {
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let mut object = json!({"spec": {"a": [1, {"b": 2}]}, "c": 1});
        assert_eq!(prune(&schema, &mut object), Vec::<String>::new());
        assert_eq!(object, json!({"spec": {"a": [1, {"b": 2}]}, "c": 1}));
    }
}
