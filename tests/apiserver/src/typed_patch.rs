//! Typed patch: a server-side apply is checked against the schema of its kind, with the messages of
//! structured-merge-diff.

use serde_json::Value;

use crate::openapi;
use crate::syntax::{go_syntax, go_value, json_kind};

/// Checks a configuration against a schema. Returns the sentence about all defects.
pub(crate) fn check(schema: &Value, config: &Value) -> Result<(), String> {
    let mut defects = Vec::new();
    walk(schema, config, "", &mut defects);
    match &defects[..] {
        [] => Ok(()),
        [one] => Err(one.clone()),
        all => Err(format!("errors:\n  {}", all.join("\n  "))),
    }
}

/// Follows the references of a schema. Properties with a default refer from within `allOf`.
fn resolved(schema: &Value) -> &Value {
    let named = |reference: &Value| reference.as_str()?.rsplit('/').next().and_then(openapi::named);
    named(&schema["$ref"]).or_else(|| named(&schema["allOf"][0]["$ref"])).unwrap_or(schema)
}

fn walk(schema: &Value, value: &Value, path: &str, defects: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    let schema = resolved(schema);
    let mut defect = |why: String| defects.push(if path.is_empty() { why } else { format!("{path}: {why}") });
    let is_any_scalar =
        schema["oneOf"].is_array() || schema["x-kubernetes-int-or-string"] == true || schema["format"] == "date-time";
    match schema["type"].as_str() {
        _ if is_any_scalar && (value.is_object() || value.is_array()) => {
            defect(format!("expected any scalar, got &{{{}}}", go_value(value)));
        }
        _ if is_any_scalar => {}
        Some("string") if !value.is_string() => {
            defect(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)));
        }
        Some("integer" | "number") if !value.is_number() => {
            defect(format!("expected numeric (int or float), got {}", go_type(value)));
        }
        Some("boolean") if !value.is_boolean() => {
            defect(format!("expected boolean, got &{{{}}}", go_value(value)));
        }
        Some("array") => match value.as_array() {
            Some(items) => list(schema, items, path, defects),
            None => defect(format!("expected list, got &{{{}}}", go_value(value))),
        },
        Some("object") => fields(schema, value, path, defects),
        _ => {}
    }
}

fn fields(schema: &Value, value: &Value, path: &str, defects: &mut Vec<String>) {
    let (properties, others) = (schema["properties"].as_object(), &schema["additionalProperties"]);
    let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true || *others == true;
    if properties.is_none() && (is_open || !others.is_object()) {
        return;
    }
    let Some(map) = value.as_object() else {
        defects.push(format!("{path}: expected map, got &{{{}}}", go_value(value)));
        return;
    };
    for (key, inner) in map {
        let at = format!("{path}.{key}");
        match properties.and_then(|properties| properties.get(key)) {
            Some(schema) => walk(schema, inner, &at, defects),
            None if others.is_object() => walk(others, inner, &at, defects),
            None if is_open => {}
            // The real server stops here, too; what it saw before depends on the order of a Go map.
            None => {
                defects.push(format!("{at}: field not declared in schema"));
                return;
            }
        }
    }
}

fn list(schema: &Value, items: &[Value], path: &str, defects: &mut Vec<String>) {
    let mut seen = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let step = match schema["x-kubernetes-list-type"].as_str() {
            Some("map") => keys(schema, item),
            Some("set") => element(item),
            _ => Ok(format!("[{at}]")),
        };
        match step {
            Err(why) => {
                defects.push(format!("{path}: element {at}: {why}"));
                return;
            }
            Ok(step) => {
                if seen.contains(&step) {
                    defects.push(format!("{path}: duplicate entries for key {step}"));
                }
                walk(&schema["items"], item, &format!("{path}{step}"), defects);
                seen.push(step);
            }
        }
    }
}

/// Returns the path step to an item of a list with keys: `[name="c"]`.
fn keys(schema: &Value, item: &Value) -> Result<String, String> {
    if !item.is_object() {
        let what = if item.is_null() { "a null element" } else { "non-map elements" };
        return Err(format!("associative list with keys may not have {what}"));
    }
    let names: Vec<&str> =
        schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = &resolved(&schema["items"])["properties"];
    let mut parts: Vec<String> = names
        .iter()
        .filter_map(|name| {
            let value = item.get(name).or_else(|| properties[name].get("default"))?;
            Some(format!("{name}={value}"))
        })
        .collect();
    if parts.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values \
             for any key fields)",
            names.join(" ")
        ));
    }
    parts.sort();
    Ok(format!("[{}]", parts.join(",")))
}

/// Returns the path step to an item of a set: `[="a"]`.
fn element(item: &Value) -> Result<String, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".to_owned()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".to_owned()),
        item => Ok(format!("[={item}]")),
    }
}

/// Go's name of the type of a value.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "map[string]interface {}",
        Value::Array(_) => "[]interface {}",
        value => json_kind(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::built_in;

    fn checked(plural: &str, config: &Value) -> Result<(), String> {
        let kinds = built_in();
        let kind = kinds.iter().find(|kind| kind.plural == plural).unwrap();
        check(&openapi::schema(kind, &kind.versions[0]).unwrap(), config)
    }

    #[test]
    fn fields_and_types_are_those_of_the_schema() {
        let pod = |spec: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec});
        let container = |more: Value| {
            let mut container = json!({"name": "c", "image": "i", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": 1}}});
            container.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            pod(json!({"containers": [container]}))
        };
        assert_eq!(checked("pods", &container(json!({"livenessProbe": {"httpGet": {"port": "http"}}}))), Ok(()));
        let error_of = |config: Value| checked("pods", &config).unwrap_err();
        assert_eq!(error_of(pod(json!({"foo": 1}))), ".spec.foo: field not declared in schema");
        assert_eq!(
            error_of(container(json!({"image": 7}))),
            ".spec.containers[name=\"c\"].image: expected string, got &value.valueUnstructured{Value:7}"
        );
        assert_eq!(
            error_of(container(json!({"ports": [{"containerPort": "x"}]}))),
            ".spec.containers[name=\"c\"].ports[containerPort=\"x\",protocol=\"TCP\"].containerPort: expected numeric \
             (int or float), got string"
        );
        assert_eq!(
            error_of(container(json!({"tty": "yes"}))),
            ".spec.containers[name=\"c\"].tty: expected boolean, got &{yes}"
        );
        assert_eq!(error_of(pod(json!({"containers": {"a": 1}}))), ".spec.containers: expected list, got &{map[a:1]}");
        assert_eq!(error_of(pod(json!(7))), ".spec: expected map, got &{7}");
        assert_eq!(
            error_of(pod(json!({"containers": [{"name": "c"}, {"name": "c"}]}))),
            ".spec.containers: duplicate entries for key [name=\"c\"]"
        );
        assert_eq!(
            error_of(json!({"metadata": {"finalizers": ["a/b", "a/b"], "labels": {"a": 1}}})),
            "errors:\n  .metadata.finalizers: duplicate entries for key [=\"a/b\"]\n  .metadata.labels.a: expected string, got \
             &value.valueUnstructured{Value:1}"
        );
    }

    #[test]
    fn an_item_without_its_key_is_rejected() {
        let schema = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
            "type": "object", "properties": {"name": {"type": "string"}},
        }});
        assert_eq!(
            check(&schema, &json!([{}])).unwrap_err(),
            ": element 0: associative list with keys has an element that omits all key fields [\"name\"] (and doesn't have \
             default values for any key fields)"
        );
    }
}
