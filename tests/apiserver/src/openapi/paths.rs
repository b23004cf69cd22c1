//! Paths of a document: the operations on a kind, as kubectl and editors expect them.

use serde_json::{Map, Value, json};

use super::schemas::reference;
use crate::kinds::Kind;

const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";
const EVICTION: &str = "io.k8s.api.policy.v1.Eviction";

/// Adds the operations of a kind; `root` is `/apis/apps/v1`, `schema` the name of the schema of its objects.
pub(super) fn add(paths: &mut Map<String, Value>, kind: &Kind, version: &str, root: &str, schema: Option<&str>) {
    let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
    let collection = format!("{root}/{namespace}{}", kind.plural);
    let gvk = json!({"group": kind.group, "version": version, "kind": kind.name});
    let operation =
        |action: &str, body: Option<&str>, answer: Option<&str>| operation(kind, action, body, answer, &gvk);
    let post = operation("post", schema, schema);
    if kind.review {
        paths.insert(collection, json!({"post": post}));
        return;
    }
    paths.insert(collection.clone(), json!({"get": operation("list", None, None), "post": post}));
    let change = |schema| {
        json!({
            "get": operation("get", None, schema), "put": operation("put", schema, schema),
            "patch": operation("patch", None, schema),
        })
    };
    let mut object = change(schema);
    object["delete"] = operation("delete", Some(DELETE_OPTIONS), Some(STATUS));
    paths.insert(format!("{collection}/{{name}}"), object);
    if kind.status {
        paths.insert(format!("{collection}/{{name}}/status"), change(schema));
    }
    if kind.scale.is_some() {
        paths.insert(format!("{collection}/{{name}}/scale"), change(Some(SCALE)));
    }
    if kind.id() == "pods" {
        let eviction = operation("post", Some(EVICTION), Some(EVICTION));
        paths.insert(format!("{collection}/{{name}}/eviction"), json!({"post": eviction}));
    }
}

fn operation(kind: &Kind, action: &str, body: Option<&str>, answer: Option<&str>, gvk: &Value) -> Value {
    let parameters: &[&str] = match action {
        "post" | "put" => &["dryRun", "fieldManager", "fieldValidation"],
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "delete" => &["dryRun", "gracePeriodSeconds", "propagationPolicy"],
        _ => &[],
    };
    let parameter = |name: &&str| {
        let of = match *name {
            "force" => "boolean",
            "gracePeriodSeconds" => "integer",
            _ => "string",
        };
        json!({"name": name, "in": "query", "schema": {"type": of, "uniqueItems": true}})
    };
    let content = |name: &str| json!({"application/json": {"schema": {"$ref": reference(name)}}});
    let mut operation = json!({
        "operationId": format!("{action}{}", kind.name),
        "parameters": parameters.iter().map(parameter).collect::<Vec<_>>(),
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": gvk,
    });
    if let Some(name) = body {
        operation["requestBody"] = json!({"content": content(name)});
    }
    if let Some(name) = answer {
        operation["responses"]["200"]["content"] = content(name);
    }
    operation
}
