//! Which resources a server has.

use std::collections::HashSet;
use std::rc::Rc;

use serde::Deserialize;

use crate::api_status::{excerpt, http_error};
use crate::error::{ErrorCode, InformerError, Result};
use crate::resource::ResourceInfo;
use crate::transport::{Request, Transport};

/// Aggregated discovery: everything in two answers. A server too old for it answers with plain `application/json`.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
const MAX_BYTES: usize = 64 << 20;

/// The resources that can be listed and watched, each in the version that the server prefers, in the server's order.
///
/// # Errors
/// What the transport or the server says. A group whose server is away is left out, not an error.
pub async fn discover(transport: &Rc<dyn Transport>) -> Result<Vec<ResourceInfo>> {
    let mut resources = Vec::new();
    for root in ["/api", "/apis"] {
        let (aggregated, body) = get(transport, root).await?;
        if aggregated {
            resources.extend(read::<AggregatedList>(root, &body)?.resources());
        } else {
            for (group, version) in legacy_versions(root, &body)? {
                let path =
                    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
                let body = match get(transport, &path).await {
                    Ok((_, body)) => body,
                    // One aggregated server that is away, in whatever form, must not hide all others.
                    Err(error) if error.status().is_some() || error.code() == ErrorCode::Decode => continue,
                    Err(error) => return Err(error),
                };
                let Ok(list) = read::<LegacyResources>(&path, &body) else { continue };
                resources.extend(list.resources.into_iter().map(|resource| resource.info(&group, &version)));
            }
        }
    }
    let mut seen = HashSet::new();
    resources.retain(|info| {
        !info.resource.contains('/') && info.is_watchable() && seen.insert((info.group.clone(), info.resource.clone()))
    });
    Ok(resources)
}

async fn get(transport: &Rc<dyn Transport>, path: &str) -> Result<(bool, Vec<u8>)> {
    let request = Request::get(format!("{path}?pretty=false")).header("Accept", AGGREGATED);
    let name = request.to_string();
    let answer = async {
        let response = transport.send(request).await?;
        let status = response.status;
        let aggregated = response.content_type.as_deref().is_some_and(|kind| kind.contains("APIGroupDiscoveryList"));
        let body = response.read(MAX_BYTES).await?;
        if (200..300).contains(&status) { Ok((aggregated, body)) } else { Err(http_error(status, &body)) }
    };
    answer.await.map_err(|error: InformerError| error.with_request(name))
}

fn read<'a, T: Deserialize<'a>>(path: &str, body: &'a [u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|_| {
        let message = format!("discovery cannot be read: {}", excerpt(body));
        InformerError::new(ErrorCode::Decode, message).with_request(format!("GET {path}"))
    })
}

#[derive(Deserialize)]
struct AggregatedList {
    #[serde(default)]
    items: Vec<AggregatedGroup>,
}

#[derive(Deserialize)]
struct AggregatedGroup {
    #[serde(default)]
    metadata: GroupMetadata,
    #[serde(default)]
    versions: Vec<AggregatedVersion>,
}

#[derive(Default, Deserialize)]
struct GroupMetadata {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct AggregatedVersion {
    version: String,
    #[serde(default)]
    resources: Vec<AggregatedResource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AggregatedResource {
    resource: String,
    #[serde(default)]
    response_kind: Option<ResponseKind>,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    short_names: Vec<String>,
}

#[derive(Deserialize)]
struct ResponseKind {
    #[serde(default)]
    kind: String,
}

impl AggregatedList {
    /// Versions come in the order of preference; the first that has a resource names it.
    fn resources(self) -> impl Iterator<Item = ResourceInfo> {
        self.items.into_iter().flat_map(|group| {
            let name = group.metadata.name;
            group.versions.into_iter().flat_map(move |version| {
                let name = name.clone();
                version.resources.into_iter().map(move |resource| ResourceInfo {
                    group: name.clone(),
                    version: version.version.clone(),
                    kind: resource.response_kind.map(|kind| kind.kind).unwrap_or_default(),
                    namespaced: resource.scope == "Namespaced",
                    resource: resource.resource,
                    verbs: resource.verbs,
                    short_names: resource.short_names,
                })
            })
        })
    }
}

#[derive(Deserialize)]
struct LegacyVersions {
    #[serde(default)]
    versions: Vec<String>,
}

#[derive(Deserialize)]
struct LegacyGroups {
    #[serde(default)]
    groups: Vec<LegacyGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LegacyGroup {
    name: String,
    #[serde(default)]
    versions: Vec<LegacyVersion>,
    #[serde(default)]
    preferred_version: Option<LegacyVersion>,
}

#[derive(Deserialize)]
struct LegacyVersion {
    version: String,
}

#[derive(Deserialize)]
struct LegacyResources {
    #[serde(default)]
    resources: Vec<LegacyResource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LegacyResource {
    name: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    namespaced: bool,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    short_names: Vec<String>,
}

impl LegacyResource {
    fn info(self, group: &str, version: &str) -> ResourceInfo {
        ResourceInfo {
            group: group.to_owned(),
            version: version.to_owned(),
            resource: self.name,
            kind: self.kind,
            namespaced: self.namespaced,
            verbs: self.verbs,
            short_names: self.short_names,
        }
    }
}

/// Group and version pairs to ask for, preferred versions first.
fn legacy_versions(root: &str, body: &[u8]) -> Result<Vec<(String, String)>> {
    if root == "/api" {
        let versions = read::<LegacyVersions>(root, body)?.versions;
        return Ok(versions.into_iter().map(|version| (String::new(), version)).collect());
    }
    let mut pairs = Vec::new();
    for group in read::<LegacyGroups>(root, body)?.groups {
        let preferred = group.preferred_version.into_iter().chain(group.versions);
        pairs.extend(preferred.map(|version| (group.name.clone(), version.version)));
    }
    let mut seen = HashSet::new();
    pairs.retain(|pair| seen.insert(pair.clone()));
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::scripted::{Reply, ScriptedTransport};
    use futures::executor::block_on;

    const KIND: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    fn names(transport: &ScriptedTransport) -> Result<Vec<String>> {
        let transport: Rc<dyn Transport> = Rc::new(transport.clone());
        Ok(block_on(discover(&transport))?.iter().map(|info| format!("{} {}", info.gvr(), info.kind)).collect())
    }

    #[test]
    fn aggregated_discovery_takes_two_requests() {
        let transport = ScriptedTransport::new();
        let api = r#"{"items":[{"metadata":{},"versions":[{"version":"v1","resources":[
            {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","verbs":["list","watch"]},
            {"resource":"bindings","verbs":["create"]}]}]}]}"#;
        let apis = r#"{"items":[{"metadata":{"name":"a.b"},"versions":[
            {"version":"v2","resources":[{"resource":"xs","responseKind":{"kind":"X"},"verbs":["list","watch"]}]},
            {"version":"v1","resources":[{"resource":"xs","verbs":["list","watch"]},{"resource":"ys","responseKind":{"kind":"Y"},"verbs":["watch","list"]}]}]}]}"#;
        transport.reply(Reply::Whole(200, KIND, api.into())).reply(Reply::Whole(200, KIND, apis.into()));
        assert_eq!(names(&transport).expect("read"), ["v1/pods Pod", "a.b/v2/xs X", "a.b/v1/ys Y"]);
        assert_eq!(transport.paths(), ["/api?pretty=false", "/apis?pretty=false"]);
    }

    #[test]
    fn an_old_server_is_asked_group_by_group_and_one_that_is_away_is_left_out() {
        let transport = ScriptedTransport::new();
        transport.reply(Reply::json(r#"{"versions":["v1"]}"#));
        transport.reply(Reply::json(r#"{"resources":[{"name":"pods","kind":"Pod","verbs":["list","watch"]},{"name":"pods/log","verbs":["list","watch"]}]}"#));
        transport.reply(Reply::json(
            r#"{"groups":[{"name":"gone","versions":[{"version":"v1"}]},
            {"name":"apps","versions":[{"version":"v1beta1"},{"version":"v1"}],"preferredVersion":{"version":"v1"}}]}"#,
        ));
        transport.reply(Reply::status(503, "unavailable"));
        transport.reply(Reply::json(
            r#"{"resources":[{"name":"deployments","kind":"Deployment","verbs":["list","watch"]}]}"#,
        ));
        transport.reply(Reply::json(
            r#"{"resources":[{"name":"deployments","kind":"Deployment","verbs":["list","watch"]}]}"#,
        ));
        assert_eq!(names(&transport).expect("read"), ["v1/pods Pod", "apps/v1/deployments Deployment"]);
    }

    #[test]
    fn a_server_that_answers_nonsense_is_an_error_that_names_the_request() {
        let transport = ScriptedTransport::new();
        transport.reply(Reply::json("<html>"));
        let error = names(&transport).expect_err("nonsense");
        assert_eq!((error.code(), error.request()), (ErrorCode::Decode, Some("GET /api")));
    }
}
