//! Values of custom resources: checked against the schema of their definition, with the real server's messages.

use serde_json::Value;

use crate::kinds::Kind;
use crate::status::Status;
use crate::syntax::schema_type;

/// Rejects a custom resource with a missing field, or with a value that its schema does not allow.
pub(crate) fn check(kind: &Kind, schema: &Value, object: &Value) -> Result<(), Status> {
    let mut wrong = Vec::new();
    for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
        // The server's own checks are for these.
        if !matches!(key.as_str(), "apiVersion" | "kind" | "metadata")
            && let Some(value) = object.get(key)
        {
            walk(schema, value, key, &mut wrong);
        }
    }
    required(schema, object, "", &mut wrong);
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.sort();
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    Err(Status::all_invalid(&kind.group, &kind.name, name, wrong))
}

fn walk(schema: &Value, value: &Value, path: &str, wrong: &mut Vec<(String, String)>) {
    let found = schema_type(value);
    let fits = |wanted: &str| match wanted {
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        wanted => wanted == found,
    };
    if value.is_null() && schema["nullable"] == true {
        return;
    }
    if let Some(wanted) = schema["type"].as_str().filter(|wanted| !fits(wanted)) {
        let why = format!("Invalid value: \"{found}\": {path} in body must be of type {wanted}: \"{found}\"");
        wrong.push((path.to_owned(), why));
        return;
    }
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        wrong.push((path.to_owned(), format!("Unsupported value: {value}: supported values: {}", allowed.join(", "))));
    }
    for (limit, is_beyond, sentence) in [
        ("minimum", value.as_f64() < schema["minimum"].as_f64(), "greater"),
        ("maximum", value.as_f64() > schema["maximum"].as_f64(), "less"),
    ] {
        if is_beyond && schema[limit].is_number() && value.is_number() {
            let why = format!("{path} in body should be {sentence} than or equal to {}", schema[limit]);
            wrong.push((path.to_owned(), format!("Invalid value: {value}: {why}")));
        }
    }
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let others = &schema["additionalProperties"];
                let of = schema["properties"].get(key).or_else(|| others.is_object().then_some(others));
                if let Some(of) = of {
                    walk(of, inner, &format!("{path}.{key}"), wrong);
                }
            }
            required(schema, value, path, wrong);
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(&schema["items"], item, &format!("{path}[{at}]"), wrong);
            }
        }
        _ => {}
    }
}

fn required(schema: &Value, value: &Value, path: &str, wrong: &mut Vec<(String, String)>) {
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in names.filter(|name| value.get(name).is_none()) {
        let at = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        wrong.push((at, "Required value".to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::built_in;

    #[test]
    fn each_wrong_value_is_named() {
        let kind = built_in().remove(0);
        let schema = json!({"type": "object", "required": ["spec"], "properties": {"spec": {
            "type": "object", "required": ["size", "mode"], "properties": {
                "size": {"type": "integer", "minimum": 1}, "mode": {"type": "string", "enum": ["a", "b"]},
                "ratio": {"type": "number"}, "parts": {"type": "array", "items": {"type": "string", "nullable": true}},
            },
        }}});
        let message = |object: Value| check(&kind, &schema, &object).map_err(|status| status.message);
        let good = json!({"spec": {"size": 1, "mode": "a", "ratio": 2, "parts": ["x", null], "more": {}}});
        assert_eq!(message(good), Ok(()));
        assert_eq!(message(json!({})).unwrap_err(), "ConfigMap \"\" is invalid: spec: Required value");
        assert_eq!(
            message(json!({"spec": {"size": 0, "mode": "c", "parts": [1]}})).unwrap_err(),
            "ConfigMap \"\" is invalid: [spec.mode: Unsupported value: \"c\": supported values: \"a\", \"b\", \
             spec.parts[0]: Invalid value: \"integer\": spec.parts[0] in body must be of type string: \"integer\", \
             spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1]"
        );
    }
}
