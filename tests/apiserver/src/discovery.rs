//! Discovery: groups, versions and resources, in the old form and in the aggregated one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use crate::accept::error_format;
use crate::kinds::Kind;
use crate::reply::{indent, json_reply, typed_reply};
use crate::status::Status;
use crate::store::Store;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn reply(value: &Value, pretty: bool) -> Response {
    let mut json = value.to_string().into_bytes();
    json.push(b'\n');
    json_reply(StatusCode::OK, json, pretty)
}

/// `/api` and `/apis`.
pub(crate) fn root(store: &Store, core: bool, headers: &HeaderMap, pretty: bool) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.split(',').any(is_aggregated) {
        return aggregated(store, core, headers, pretty);
    }
    if !accept.is_empty() && accept.split(',').all(|range| range.contains("g=apidiscovery.k8s.io")) {
        let format = error_format(headers, Some(if pretty { "1" } else { "0" }));
        return Status::not_acceptable("application/json").into_reply(format);
    }
    let groups = groups(store);
    if core {
        let addresses = json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}]);
        return reply(
            &json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses}),
            pretty,
        );
    }
    let groups: Vec<Value> = groups.iter().filter(|group| !group.name.is_empty()).map(Group::legacy).collect();
    reply(&json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}), pretty)
}

fn is_aggregated(range: &str) -> bool {
    let parts: Vec<&str> = range.split(';').map(str::trim).collect();
    parts.first() == Some(&"application/json")
        && ["g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"].iter().all(|part| parts.contains(part))
}

/// `/apis/{group}`.
pub(crate) fn group(store: &Store, path: &str, pretty: bool) -> Result<Response, Status> {
    let name = path.strip_prefix("/apis/").ok_or_else(Status::unknown_path)?.trim_end_matches('/');
    let groups = groups(store);
    let group = groups.iter().find(|group| group.name == name).ok_or_else(Status::unknown_path)?;
    let mut value = group.legacy();
    value["kind"] = "APIGroup".into();
    value["apiVersion"] = "v1".into();
    Ok(reply(&value, pretty))
}

/// `/api/v1` and `/apis/{group}/{version}`.
pub(crate) fn resources(store: &Store, group: &str, version: &str, pretty: bool) -> Result<Response, Status> {
    let kinds = store.kinds();
    let served = |kind: &&Arc<Kind>| kind.group == group && kind.versions.iter().any(|served| served == version);
    let mut resources = Vec::new();
    for kind in kinds.iter().filter(served) {
        let mut resource = json!({
            "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
            "kind": kind.name, "verbs": kind.verbs(),
        });
        add_names(&mut resource, kind);
        resources.push(resource);
        for (name, response) in subresources(kind) {
            let mut resource = json!({
                "name": format!("{}/{name}", kind.plural), "singularName": "", "namespaced": kind.namespaced,
                "kind": response.2, "verbs": subresource_verbs(name),
            });
            if !response.0.is_empty() {
                resource["group"] = response.0.into();
                resource["version"] = response.1.into();
            }
            resources.push(resource);
        }
    }
    if resources.is_empty() {
        // A version of an existing group; the core group always exists.
        let known = group.is_empty() || kinds.iter().any(|kind| kind.group == group);
        return Err(if known { Status::unknown_resource() } else { Status::unknown_path() });
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let mut list = json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": resources});
    // The core group's list has no group: it is older than the field.
    if !group.is_empty() {
        list["apiVersion"] = "v1".into();
    }
    Ok(reply(&list, pretty))
}

fn add_names(resource: &mut Value, kind: &Kind) {
    if !kind.short_names.is_empty() {
        resource["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        resource["categories"] = json!(kind.categories);
    }
}

/// Returns the subresources with group, version and kind of their responses.
fn subresources(kind: &Kind) -> Vec<(&'static str, (&str, &str, &str))> {
    let mut found = Vec::new();
    if kind.scale.is_some() {
        found.push(("scale", ("autoscaling", "v1", "Scale")));
    }
    if kind.id() == "pods" {
        found.push(("attach", ("", "", "PodAttachOptions")));
        found.push(("ephemeralcontainers", ("", "", "Pod")));
        found.push(("eviction", ("policy", "v1", "Eviction")));
        found.push(("exec", ("", "", "PodExecOptions")));
        found.push(("log", ("", "", "Pod")));
    }
    if kind.status {
        found.push(("status", ("", "", kind.name.as_str())));
    }
    found
}

fn subresource_verbs(name: &str) -> &'static [&'static str] {
    match name {
        "log" => &["get"],
        "eviction" => &["create"],
        "attach" | "exec" => &["create", "get"],
        _ => &["get", "patch", "update"],
    }
}

struct Group {
    name: String,
    versions: Vec<String>,
    kinds: Vec<Arc<Kind>>,
}

/// Returns the groups in order of their first kind.
fn groups(store: &Store) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for kind in store.kinds() {
        let at = groups.iter().position(|group| group.name == kind.group).unwrap_or_else(|| {
            groups.push(Group { name: kind.group.clone(), versions: Vec::new(), kinds: Vec::new() });
            groups.len() - 1
        });
        for version in &kind.versions {
            if !groups[at].versions.contains(version) {
                groups[at].versions.push(version.clone());
            }
        }
        groups[at].kinds.push(kind);
    }
    groups
}

impl Group {
    fn legacy(&self) -> Value {
        let versions: Vec<Value> = self
            .versions
            .iter()
            .map(|version| json!({"groupVersion": format!("{}/{version}", self.name), "version": version}))
            .collect();
        json!({"name": self.name, "versions": versions, "preferredVersion": versions.first()})
    }

    fn aggregated(&self) -> Value {
        let versions = self.versions.iter().map(|version| {
            let kinds = self.kinds.iter().filter(|kind| kind.versions.contains(version));
            let resources: Vec<Value> = kinds.map(|kind| aggregated_resource(kind, version)).collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        });
        let metadata = if self.name.is_empty() { json!({}) } else { json!({"name": self.name}) };
        json!({"metadata": metadata, "versions": versions.collect::<Vec<_>>()})
    }
}

fn aggregated_resource(kind: &Kind, version: &str) -> Value {
    // Built-in kinds omit group and version of the response if they are those of the URL.
    let own =
        if kind.custom { (kind.group.as_str(), version, kind.name.as_str()) } else { ("", "", kind.name.as_str()) };
    let response_kind =
        |(group, version, kind): (&str, &str, &str)| json!({"group": group, "version": version, "kind": kind});
    let mut resource = json!({
        "resource": kind.plural, "responseKind": response_kind(own),
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular, "verbs": kind.verbs(),
    });
    add_names(&mut resource, kind);
    let subresources: Vec<Value> = subresources(kind)
        .into_iter()
        .map(|(name, response)| {
            let response = if matches!(name, "status" | "log" | "ephemeralcontainers") { own } else { response };
            json!({"subresource": name, "responseKind": response_kind(response), "verbs": subresource_verbs(name)})
        })
        .collect();
    if !subresources.is_empty() {
        resource["subresources"] = json!(subresources);
    }
    resource
}

fn aggregated(store: &Store, core: bool, headers: &HeaderMap, pretty: bool) -> Response {
    let groups = groups(store);
    let items: Vec<Value> =
        groups.iter().filter(|group| group.name.is_empty() == core).map(Group::aggregated).collect();
    let list = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items,
    });
    let json = list.to_string().into_bytes();
    let mut hasher = DefaultHasher::new();
    json.hash(&mut hasher);
    let etag = format!("\"{:016X}\"", hasher.finish());
    let unchanged = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let (status, body) = match (unchanged, pretty) {
        (true, _) => (StatusCode::NOT_MODIFIED, Body::empty()),
        (false, true) => (StatusCode::OK, Body::from(indent(&json))),
        (false, false) => (StatusCode::OK, Body::from(json)),
    };
    let mut reply = typed_reply(status, HeaderValue::from_static(AGGREGATED), body);
    reply.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public"));
    reply.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        reply.headers_mut().insert(header::ETAG, etag);
    }
    reply
}
