//! Schemas of custom kinds, from their definitions.

use serde_json::{Value, json};

use super::schemas::{recorded, reference};
use crate::kinds::Kind;

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
/// Any built-in kind: the fields that all kinds have are described alike.
const EXAMPLE: &str = "io.k8s.api.core.v1.ConfigMap";
const CONVENTIONS: &str = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/// Returns name and schema of a custom kind, from its definition.
pub(super) fn schema(kind: &Kind, version: &str, definition: &Value) -> Option<(String, Value)> {
    let mut versions = definition["spec"]["versions"].as_array()?.iter();
    let mut schema = versions.find(|found| found["name"] == version)?["schema"]["openAPIV3Schema"].clone();
    if !schema.is_object() {
        schema = json!({"type": "object"});
    }
    if schema["x-kubernetes-preserve-unknown-fields"] != true || schema["properties"].is_object() {
        let text = json!({"type": "string"});
        let meta = json!({"allOf": [{"$ref": reference(OBJECT_META)}]});
        for (field, value) in [("apiVersion", &text), ("kind", &text), ("metadata", &meta)] {
            schema["properties"][field] = value.clone();
        }
    }
    let gvk = json!({"group": kind.group, "kind": kind.name, "version": version});
    schema["x-kubernetes-group-version-kind"] = json!([gvk]);
    let group: Vec<&str> = kind.group.split('.').rev().collect();
    Some((format!("{}.{version}.{}", group.join("."), kind.name), schema))
}

/// Name and schema as the document of a group has them: with descriptions, and with what extensions stand for.
pub(super) fn published(kind: &Kind, version: &str, definition: &Value) -> Option<(String, Value)> {
    let (name, mut schema) = schema(kind, version, definition)?;
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.values_mut().for_each(expand);
        if properties.contains_key("metadata") {
            let described = recorded(EXAMPLE).map(|example| &example["properties"]);
            for field in ["apiVersion", "kind"] {
                if let Some(property) = described.map(|described| described[field].clone()) {
                    properties.insert(field.to_owned(), property);
                }
            }
            properties.insert("metadata".to_owned(), metadata());
        }
    }
    Some((name, schema))
}

/// Name and schema of the list of a custom kind; `item` is the name of the kind's schema.
pub(super) fn list(kind: &Kind, version: &str, item: &str) -> (String, Value) {
    let described = recorded(EXAMPLE).map(|example| &example["properties"]);
    let text = |field: &str| described.map_or_else(|| json!({"type": "string"}), |described| described[field].clone());
    let schema = json!({
        "description": format!("{} is a list of {}", kind.list_name, kind.name),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": text("apiVersion"),
            "kind": text("kind"),
            "metadata": {
                "allOf": [{"$ref": reference(LIST_META)}],
                "description": format!("Standard list metadata. More info: {CONVENTIONS}#types-kinds"),
            },
            "items": {
                "type": "array",
                "items": {"$ref": reference(item)},
                "description": format!("List of {}. More info: {CONVENTIONS}", kind.plural),
            },
        },
        "x-kubernetes-group-version-kind": [{"group": kind.group, "kind": kind.list_name, "version": version}],
    });
    (list_name(kind, item), schema)
}

/// Returns the name of the schema of a kind's list.
pub(super) fn list_name(kind: &Kind, item: &str) -> String {
    format!("{}{}", item.strip_suffix(&kind.name).unwrap_or(item), kind.list_name)
}

fn metadata() -> Value {
    let description = format!("Standard object's metadata. More info: {CONVENTIONS}#metadata");
    json!({"allOf": [{"$ref": reference(OBJECT_META)}], "description": description})
}

/// Writes out what the extensions of a schema and of all below it stand for.
fn expand(schema: &mut Value) {
    if schema["x-kubernetes-int-or-string"] == true && schema["anyOf"].is_null() {
        schema["anyOf"] = json!([{"type": "integer"}, {"type": "string"}]);
    }
    if schema["x-kubernetes-embedded-resource"] == true {
        embed(schema);
    }
    for place in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(place).filter(|inner| inner.is_object()) {
            expand(inner);
        }
    }
    schema
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
        .for_each(|(_, inner)| expand(inner));
}

/// Adds the fields of every object to the schema of one in a field.
fn embed(schema: &mut Value) {
    let described = |text: &str, anchor: &str| json!({"type": "string", "description": format!("{text} More info: {CONVENTIONS}#{anchor}")});
    let version = "apiVersion defines the versioned schema of this representation of an object.";
    let kind = "kind is a string value representing the type of this object. In CamelCase.";
    schema["properties"]["apiVersion"] = described(version, "resources");
    schema["properties"]["kind"] = described(kind, "types-kinds");
    schema["properties"]["metadata"] = metadata();
    let mut required = vec![json!("kind"), json!("apiVersion")];
    let given = schema["required"].as_array().into_iter().flatten();
    required.extend(given.filter(|field| *field != "kind" && *field != "apiVersion").cloned());
    schema["required"] = Value::Array(required);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_expanded_at_any_depth() {
        let mut schema = json!({"type": "object", "properties": {
            "port": {"x-kubernetes-int-or-string": true},
            "parts": {"type": "array", "items": {"type": "object", "additionalProperties": {
                "type": "object", "x-kubernetes-embedded-resource": true, "required": ["spec"],
            }}},
        }});
        expand(&mut schema);
        assert_eq!(schema["properties"]["port"]["anyOf"], json!([{"type": "integer"}, {"type": "string"}]));
        let embedded = &schema["properties"]["parts"]["items"]["additionalProperties"];
        assert_eq!(embedded["required"], json!(["kind", "apiVersion", "spec"]));
        assert_eq!(embedded["properties"]["metadata"], metadata());
    }
}
