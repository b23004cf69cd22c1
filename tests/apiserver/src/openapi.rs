//! `/openapi/v3`: the documents by group and version, enough to validate and complete objects.
//!
//! The schemas of built-in kinds are the real server's, recorded by `openapi/record.mjs`; those of custom kinds come
//! from their definitions.

mod custom;
mod paths;
mod schemas;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::kinds::{Kind, built_in};
use crate::query::Query;
use crate::reply::typed_reply;
use crate::store::Store;

/// OpenAPI document, with its hash.
#[derive(Debug, Clone)]
struct Document {
    hash: String,
    json: Bytes,
}

/// The documents that no client can change, by path.
static BUILT_IN: LazyLock<BTreeMap<String, Document>> = LazyLock::new(|| {
    let kinds = built_in();
    let paths = kinds.iter().flat_map(|kind| kind.versions.iter().map(|version| group_path(kind, version)));
    paths.map(|path| (path.clone(), Document::of(&path, &kinds, schemas::of))).collect()
});

/// Returns the schema of a built-in kind.
pub(crate) fn schema(kind: &Kind, version: &str) -> Option<Value> {
    schemas::of(kind, version).map(|(_, schema)| schema)
}

/// Returns the schema of a custom kind, with the fields that every object has; `None` if the definition has no schema,
/// which the real server does not accept.
pub(crate) fn custom_schema(kind: &Kind, version: &str, definition: &Value) -> Option<Value> {
    let versions = definition["spec"]["versions"].as_array()?;
    let has_schema = |found: &Value| found["name"] == version && found["schema"]["openAPIV3Schema"].is_object();
    versions.iter().find(|found| has_schema(found))?;
    custom::schema(kind, version, definition).map(|(_, schema)| schema)
}

pub(crate) use schemas::recorded as named;

/// Returns the list of documents.
pub(crate) fn index(store: &Store) -> Value {
    let mut paths = Map::new();
    for kind in store.kinds() {
        for version in &kind.versions {
            let path = group_path(&kind, version);
            if let Some(document) = find(store, &path) {
                let url = format!("/openapi/v3/{path}?hash={}", document.hash);
                paths.entry(path).or_insert_with(|| json!({"serverRelativeURL": url}));
            }
        }
    }
    json!({"paths": paths})
}

/// Handles `/openapi/v3/{path}`. With its hash in the query a document may be kept forever.
pub(crate) fn document(store: &Store, path: &str, query: &Query, headers: &HeaderMap) -> Response {
    let Some(document) = find(store, path) else { return absent() };
    let mut set: Vec<(HeaderName, String)> = Vec::new();
    let requested = query.get("hash").filter(|hash| !hash.is_empty());
    let etag = format!("\"{}\"", document.hash);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let (status, body) = if requested.is_some_and(|hash| hash != document.hash) {
        set.push((header::LOCATION, format!("/openapi/v3/{path}?hash={}", document.hash)));
        (StatusCode::MOVED_PERMANENTLY, Body::empty())
    } else if known {
        (StatusCode::NOT_MODIFIED, Body::empty())
    } else {
        (StatusCode::OK, Body::from(document.json))
    };
    if requested == Some(document.hash.as_str()) {
        set.push((header::CACHE_CONTROL, "public, immutable".to_owned()));
    }
    set.push((header::ETAG, etag));
    set.push((header::VARY, "Accept".to_owned()));
    let mut reply = typed_reply(status, HeaderValue::from_static("application/json"), body);
    for (name, value) in set {
        if let Ok(value) = HeaderValue::from_str(&value) {
            reply.headers_mut().insert(name, value);
        }
    }
    reply
}

/// Returns the response for a document that does not exist: a status without a body.
fn absent() -> Response {
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = StatusCode::NOT_FOUND;
    reply.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    reply
}

fn find(store: &Store, path: &str) -> Option<Document> {
    if let Some(document) = BUILT_IN.get(path) {
        return Some(document.clone());
    }
    let kinds: Vec<Arc<Kind>> = store.kinds().into_iter().filter(|kind| kind.custom).collect();
    let served = |kind: &Arc<Kind>| kind.versions.iter().any(|version| group_path(kind, version) == path);
    let of = |kind: &Kind, version: &str| {
        let definition = store.find(crate::crd::CRD_ID, &kind.id());
        definition.and_then(|definition| custom::published(kind, version, &definition.value()))
    };
    kinds.iter().any(served).then(|| Document::of(path, &kinds, of))
}

impl Document {
    /// Returns the document of a path, out of the kinds below it and their schemas.
    fn of(path: &str, kinds: &[Arc<Kind>], schema: impl Fn(&Kind, &str) -> Option<(String, Value)>) -> Self {
        let (mut paths, mut found) = (Map::new(), Map::new());
        for kind in kinds {
            for version in kind.versions.iter().filter(|version| group_path(kind, version) == path) {
                let (name, value) = schema(kind, version).unzip();
                paths::add(&mut paths, kind, version, &format!("/{path}"), name.as_deref());
                found.extend(name.as_deref().filter(|_| kind.custom).map(|item| custom::list(kind, version, item)));
                found.extend(name.zip(value));
            }
        }
        let used = json!(paths);
        schemas::complete(&mut found, &used);
        let json = json!({
            "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "1.36"}, "paths": used,
            "components": {"schemas": found},
        });
        let json = json.to_string();
        let mut hasher = DefaultHasher::new();
        json.hash(&mut hasher);
        Self { hash: format!("{:016X}", hasher.finish()), json: json.into() }
    }
}

fn group_path(kind: &Kind, version: &str) -> String {
    if kind.group.is_empty() { format!("api/{version}") } else { format!("apis/{}/{version}", kind.group) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `$ref` in a value that names a schema.
    fn references(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    match value.as_str().filter(|_| name == "$ref") {
                        Some(target) => out.push(target.trim_start_matches("#/components/schemas/").to_owned()),
                        None => references(value, out),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, out)),
            _ => {}
        }
    }

    #[test]
    fn every_kind_has_a_schema_and_every_reference_a_target() {
        for (path, document) in &*BUILT_IN {
            let document: Value = serde_json::from_slice(&document.json).unwrap();
            let schemas = document["components"]["schemas"].as_object().unwrap();
            let mut named = Vec::new();
            references(&document, &mut named);
            for name in named {
                assert!(schemas.contains_key(&name), "{path}: {name}");
            }
        }
        for kind in built_in() {
            for version in &kind.versions {
                assert!(schemas::of(&kind, version).is_some(), "{}", kind.name);
            }
        }
    }
}
