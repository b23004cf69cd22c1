//! Paths of a document: the operations on a kind, as kubectl and editors expect them.

use serde_json::{Map, Value, json};

use super::custom;
use super::schemas::reference;
use crate::kinds::Kind;

const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";
const EVICTION: &str = "io.k8s.api.policy.v1.Eviction";

/// Adds the operations of a kind; `root` is `/apis/apps/v1`, `schema` the name of the schema of its objects.
pub(super) fn add(paths: &mut Map<String, Value>, kind: &Kind, version: &str, root: &str, schema: Option<&str>) {
    let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
    let collection = format!("{root}/{namespace}{}", kind.plural);
    let gvk = json!({"group": kind.group, "version": version, "kind": kind.name});
    let operation =
        |action: &str, body: Option<&str>, response: Option<&str>| operation(kind, action, body, response, &gvk);
    let post = operation("post", schema, schema);
    if kind.review {
        paths.insert(collection, json!({"post": post}));
        return;
    }
    let list = schema.filter(|_| kind.custom).map(|item| custom::list_name(kind, item));
    let list = || operation("list", None, list.as_deref());
    let delete = |action: &str| operation(action, Some(DELETE_OPTIONS), Some(STATUS));
    let parameters = |names: &[&str]| {
        let given = |name: &&&str| kind.namespaced || **name != "namespace";
        json!(names.iter().filter(|name| given(name)).map(|name| path_parameter(name)).collect::<Vec<_>>())
    };
    let delete_all = if kind.verbs().contains(&"deletecollection") { Some(delete("deletecollection")) } else { None };
    let mut operations = json!({"get": list(), "post": post, "parameters": parameters(&["namespace"])});
    if let Some(delete_all) = delete_all {
        operations["delete"] = delete_all;
    }
    paths.insert(collection.clone(), operations);
    if kind.namespaced {
        paths.insert(format!("{root}/{}", kind.plural), json!({"get": list(), "parameters": []}));
    }
    let change = |schema| {
        json!({
            "get": operation("get", None, schema), "put": operation("put", schema, schema),
            "patch": operation("patch", Some(PATCH), schema), "parameters": parameters(&["name", "namespace"]),
        })
    };
    let mut object = change(schema);
    object["delete"] = delete("delete");
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

fn path_parameter(name: &str) -> Value {
    json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "uniqueItems": true}})
}

fn operation(kind: &Kind, action: &str, body: Option<&str>, response: Option<&str>, gvk: &Value) -> Value {
    let parameters: &[&str] = match action {
        "post" | "put" => &["dryRun", "fieldManager", "fieldValidation"],
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "delete" | "deletecollection" => &["dryRun", "gracePeriodSeconds", "propagationPolicy"],
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
    let content = |name: &str| json!({media_type(name): {"schema": {"$ref": reference(name)}}});
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
    if let Some(name) = response {
        operation["responses"]["200"]["content"] = content(name);
    }
    operation
}

fn media_type(schema: &str) -> &'static str {
    if schema == PATCH { "application/json-patch+json" } else { "application/json" }
}
