//! Just enough of `/openapi/v3` for kubectl: which paths can be patched, and that they validate fields.
//!
//! kubectl validates on its side unless the server says that it takes `fieldValidation`; without schemas it could not.

use serde_json::{Map, Value, json};

use crate::kinds::Kind;
use crate::status::Status;
use crate::store::Store;

/// The list of documents, one for each group and version.
pub(crate) fn index(store: &Store) -> Value {
    let mut paths = Map::new();
    for kind in store.kinds() {
        for version in &kind.versions {
            let path = group_path(&kind, version);
            let url = json!({"serverRelativeURL": format!("/openapi/v3/{path}?hash=0")});
            paths.insert(path, url);
        }
    }
    json!({"paths": paths})
}

/// The document of one group and version.
pub(crate) fn document(store: &Store, group_path_asked: &str) -> Result<Value, Status> {
    let mut paths = Map::new();
    for kind in store.kinds() {
        for version in kind.versions.iter().filter(|version| group_path(&kind, version) == group_path_asked) {
            let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
            let path = format!("/{group_path_asked}/{namespace}{}/{{name}}", kind.plural);
            let validation = json!({
                "name": "fieldValidation", "in": "query", "schema": {"type": "string", "uniqueItems": true},
            });
            let operation = json!({
                "operationId": format!("patch{}", kind.name),
                "parameters": [validation],
                "responses": {"200": {"description": "OK"}},
                "x-kubernetes-action": "patch",
                "x-kubernetes-group-version-kind": {"group": kind.group, "version": version, "kind": kind.name},
            });
            paths.insert(path, json!({"patch": operation}));
        }
    }
    if paths.is_empty() {
        return Err(Status::unknown_path());
    }
    Ok(json!({"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "unversioned"}, "paths": paths}))
}

fn group_path(kind: &Kind, version: &str) -> String {
    if kind.group.is_empty() { format!("api/{version}") } else { format!("apis/{}/{version}", kind.group) }
}
