//! API discovery: the resources of a server that can be listed.

use std::borrow::Cow;
use std::rc::Rc;

use informer_packing::Json;
use informer_packing::zero_value::{items, string};

use crate::api_status::{excerpt, http_error};
use crate::error::{ErrorCode, InformerError, Result};
use crate::resource::ResourceInfo;
use crate::transport::{Request, Transport};

/// Aggregated discovery: everything in two responses. An old server responds with plain `application/json`.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
const MAX_BYTES: usize = 64 << 20;

/// The subresource with the number of replicas.
const SCALE: &str = "scale";

/// Returns the resources that can be listed, each in the server's preferred version, in the server's order. Those that
/// cannot be watched, such as metrics, can be polled ([`ResourceInfo::is_watchable`]).
///
/// # Errors
/// Errors of the transport or the server. A group whose server is unreachable is left out.
pub async fn discover(transport: &Rc<dyn Transport>) -> Result<Vec<ResourceInfo>> {
    let mut resources = Vec::new();
    for root in ["/api", "/apis"] {
        let (aggregated, body) = get(transport, root).await?;
        if aggregated {
            aggregated_resources(read(root, &body)?, &mut resources);
        } else {
            for (group, version) in legacy_versions(root, &body)? {
                let path =
                    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
                let body = match get(transport, &path).await {
                    Ok((_, body)) => body,
                    // One unreachable aggregated server must not hide all others.
                    Err(error) if error.status().is_some() || error.code() == ErrorCode::Decode => continue,
                    Err(error) => return Err(error),
                };
                let Ok(list) = read(&path, &body) else { continue };
                legacy_resources(list, &group, &version, &mut resources);
            }
        }
    }
    let mut found: Vec<ResourceInfo> = Vec::new();
    for info in resources {
        let known = |other: &ResourceInfo| other.resource == info.resource && other.group == info.group;
        if !info.resource.contains('/') && info.is_listable() && !found.iter().any(known) {
            found.push(info);
        }
    }
    Ok(found)
}

async fn get(transport: &Rc<dyn Transport>, path: &str) -> Result<(bool, Vec<u8>)> {
    let request = Request::get(format!("{path}?pretty=false")).header("Accept", AGGREGATED);
    let name = request.to_string();
    let response = async {
        let response = transport.send(request).await?;
        let status = response.status;
        let aggregated = response.content_type.as_deref().is_some_and(|kind| kind.contains("APIGroupDiscoveryList"));
        let body = response.read(MAX_BYTES).await?;
        if (200..300).contains(&status) { Ok((aggregated, body)) } else { Err(http_error(status, &body)) }
    };
    response.await.map_err(|error: InformerError| error.with_request(name))
}

fn read<'b>(path: &str, body: &'b [u8]) -> Result<Json<'b>> {
    str::from_utf8(body).ok().and_then(Json::object).ok_or_else(|| {
        let message = format!("cannot decode the discovery response: {}", excerpt(body));
        InformerError::new(ErrorCode::Decode, message).with_request(format!("GET {path}"))
    })
}

/// Versions come in the order of preference; the first that has a resource names it.
fn aggregated_resources(list: Json<'_>, resources: &mut Vec<ResourceInfo>) {
    for group in items(list.get("items")) {
        for version in items(group.get("versions")) {
            for resource in items(version.get("resources")) {
                resources.push(ResourceInfo {
                    group: text(group, "/metadata/name"),
                    version: text(version, "/version"),
                    resource: text(resource, "/resource"),
                    kind: text(resource, "/responseKind/kind"),
                    namespaced: text(resource, "/scope") == "Namespaced",
                    verbs: texts(resource, "verbs"),
                    short_names: texts(resource, "shortNames"),
                    scale: items(resource.get("subresources")).any(|part| text(part, "/subresource") == SCALE),
                });
            }
        }
    }
}

/// Whether a name in a legacy list is that of the scale of a resource: `deployments/scale`.
fn is_scale_of(name: &str, resource: &str) -> bool {
    name.strip_prefix(resource).and_then(|rest| rest.strip_prefix('/')) == Some(SCALE)
}

fn legacy_resources(list: Json<'_>, group: &str, version: &str, resources: &mut Vec<ResourceInfo>) {
    for resource in items(list.get("resources")) {
        let name = text(resource, "/name");
        resources.push(ResourceInfo {
            group: group.to_owned(),
            version: version.to_owned(),
            resource: name.clone(),
            kind: text(resource, "/kind"),
            namespaced: resource.get("namespaced").and_then(Json::as_bool).unwrap_or_default(),
            verbs: texts(resource, "verbs"),
            short_names: texts(resource, "shortNames"),
            scale: items(list.get("resources")).any(|part| is_scale_of(&text(part, "/name"), &name)),
        });
    }
}

/// Group and version pairs to ask for, preferred versions first.
fn legacy_versions(root: &str, body: &[u8]) -> Result<Vec<(String, String)>> {
    let list = read(root, body)?;
    if root == "/api" {
        return Ok(texts(list, "versions").into_iter().map(|version| (String::new(), version)).collect());
    }
    let mut pairs = Vec::new();
    for group in items(list.get("groups")) {
        for version in group.get("preferredVersion").into_iter().chain(items(group.get("versions"))) {
            let pair = (text(group, "/name"), text(version, "/version"));
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    Ok(pairs)
}

fn text(json: Json<'_>, pointer: &str) -> String {
    string(json.pointer(pointer)).into_owned()
}

fn texts(json: Json<'_>, name: &str) -> Vec<String> {
    items(json.get(name)).filter_map(Json::as_str).map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::scripted::{Reply, ScriptedTransport};
    use futures::executor::block_on;

    const KIND: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    fn names(transport: &ScriptedTransport) -> Result<Vec<String>> {
        let transport: Rc<dyn Transport> = Rc::new(transport.clone());
        let scale = |info: &ResourceInfo| if info.scale { " with a scale" } else { "" };
        let name = |info: &ResourceInfo| format!("{} {}{}", info.gvr(), info.kind, scale(info));
        Ok(block_on(discover(&transport))?.iter().map(name).collect())
    }

    #[test]
    fn aggregated_discovery_takes_two_requests() {
        let transport = ScriptedTransport::new();
        let api = r#"{"items":[{"metadata":{},"versions":[{"version":"v1","resources":[
            {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","verbs":["list","watch"],"subresources":[{"subresource":"log"}]},
            {"resource":"metrics","responseKind":{"kind":"Metrics"},"verbs":["get","list"]},
            {"resource":"bindings","verbs":["create"]}]}]}]}"#;
        let apis = r#"{"items":[{"metadata":{"name":"a.b"},"versions":[
            {"version":"v2","resources":[{"resource":"xs","responseKind":{"kind":"X"},"verbs":["list","watch"]}]},
            {"version":"v1","resources":[{"resource":"xs","verbs":["list","watch"]},{"resource":"ys","responseKind":{"kind":"Y"},"verbs":["watch","list"],
                "subresources":[{"subresource":"status"},{"subresource":"scale"}]}]}]}]}"#;
        transport.reply(Reply::Whole(200, KIND, api.into())).reply(Reply::Whole(200, KIND, apis.into()));
        assert_eq!(
            names(&transport).expect("read"),
            ["v1/pods Pod", "v1/metrics Metrics", "a.b/v2/xs X", "a.b/v1/ys Y with a scale"]
        );
        assert_eq!(transport.paths(), ["/api?pretty=false", "/apis?pretty=false"]);
    }

    #[test]
    fn an_old_server_is_read_group_by_group_and_an_unavailable_group_is_omitted() {
        let transport = ScriptedTransport::new();
        transport.reply(Reply::json(r#"{"versions":["v1"]}"#));
        transport.reply(Reply::json(r#"{"resources":[{"name":"pods","kind":"Pod","verbs":["list","watch"]},{"name":"pods/log","verbs":["list","watch"]}]}"#));
        transport.reply(Reply::json(
            r#"{"groups":[{"name":"gone","versions":[{"version":"v1"}]},
            {"name":"apps","versions":[{"version":"v1beta1"},{"version":"v1"}],"preferredVersion":{"version":"v1"}}]}"#,
        ));
        transport.reply(Reply::status(503, "unavailable"));
        transport.reply(Reply::json(
            r#"{"resources":[{"name":"deployments","kind":"Deployment","verbs":["list","watch"]},
                {"name":"deploymentsets/scale"},{"name":"deployments/scale"},{"name":"sets","kind":"Set","verbs":["list","watch"]}]}"#,
        ));
        transport.reply(Reply::json(
            r#"{"resources":[{"name":"deployments","kind":"Deployment","verbs":["list","watch"]}]}"#,
        ));
        assert_eq!(
            names(&transport).expect("read"),
            ["v1/pods Pod", "apps/v1/deployments Deployment with a scale", "apps/v1/sets Set"]
        );
    }

    #[test]
    fn an_invalid_response_is_an_error_that_names_the_request() {
        let transport = ScriptedTransport::new();
        transport.reply(Reply::json("<html>"));
        let error = names(&transport).expect_err("nonsense");
        assert_eq!((error.code(), error.request()), (ErrorCode::Decode, Some("GET /api")));
    }
}
