//! Schemas: the recorded ones of built-in kinds, those of custom kinds, and their references.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::kinds::Kind;

/// The recorded schemas, by package.
const RECORDED: &[&str] = &[
    include_str!("admissionregistration.json"),
    include_str!("apiextensions.json"),
    include_str!("apiregistration.json"),
    include_str!("apps.json"),
    include_str!("authorization.json"),
    include_str!("autoscaling.json"),
    include_str!("batch.json"),
    include_str!("core.json"),
    include_str!("core.pods.json"),
    include_str!("discovery.json"),
    include_str!("meta.json"),
    include_str!("networking.json"),
    include_str!("policy.json"),
    include_str!("rbac.json"),
    include_str!("storage.json"),
];

static SCHEMAS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let files = RECORDED.iter().map(|text| serde_json::from_str::<BTreeMap<String, Value>>(text));
    files.flat_map(Result::unwrap_or_default).collect()
});

/// Returns the recorded schema of a name.
pub(crate) fn recorded(name: &str) -> Option<&'static Value> {
    SCHEMAS.get(name)
}

/// Name and schema of a built-in kind.
pub(super) fn of(kind: &Kind, version: &str) -> Option<(String, Value)> {
    named(&kind.group, version, &kind.name)
}

fn named(group: &str, version: &str, kind: &str) -> Option<(String, Value)> {
    let wanted = json!({"group": group, "kind": kind, "version": version});
    let is =
        |schema: &Value| schema["x-kubernetes-group-version-kind"].as_array().is_some_and(|all| all.contains(&wanted));
    // Several groups share the schemas of meta.
    let own = |name: &str| name.ends_with(&format!(".{version}.{kind}"));
    SCHEMAS.iter().find(|(name, schema)| own(name) && is(schema)).map(|(name, schema)| (name.clone(), schema.clone()))
}

/// Returns the `$ref` to a schema.
pub(super) fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// Adds everything that the schemas and paths refer to.
pub(super) fn complete(found: &mut Map<String, Value>, paths: &Value) {
    let mut pending = Vec::new();
    references(paths, &mut pending);
    found.values().for_each(|schema| references(schema, &mut pending));
    while let Some(name) = pending.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let Some(schema) = SCHEMAS.get(&name) else { continue };
        references(schema, &mut pending);
        found.insert(name, schema.clone());
    }
}

fn references(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value.as_str().filter(|_| name == "$ref").and_then(|text| text.rsplit('/').next()) {
                    Some(target) => out.push(target.to_owned()),
                    None => references(value, out),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, out)),
        _ => {}
    }
}
