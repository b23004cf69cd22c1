//! Copy plan: which resources, in which order.

use serde_json::Value;

/// Discovery of the core group.
pub(crate) const CORE: &str = "/api";
/// Discovery of the other groups.
pub(crate) const GROUPS: &str = "/apis";

/// Resources that others require, in order; all other resources precede the last three.
const FIRST: [&str; 12] = [
    "namespaces",
    "customresourcedefinitions",
    "nodes",
    "serviceaccounts",
    "configmaps",
    "secrets",
    "deployments",
    "statefulsets",
    "daemonsets",
    "cronjobs",
    "replicasets",
    "jobs",
];
/// Pods are owned by anything, events are about anything.
const LAST: [&str; 4] = ["pods", "endpoints", "endpointslices", "events"];
/// Resources that the real apiserver creates itself, or protects, such as its own roles.
const NOT: [&str; 4] = ["clusterroles", "clusterrolebindings", "bindings", "componentstatuses"];

/// One resource.
#[derive(Debug)]
pub(crate) struct Resource {
    /// `/api/v1` or `/apis/apps/v1`.
    pub(crate) root: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
    /// `v1` or `apps/v1`.
    pub(crate) api_version: String,
    /// Whether there is a status subresource.
    pub(crate) status: bool,
    /// Whether a definition must be served first.
    pub(crate) custom: bool,
}

impl Resource {
    /// Path for new objects.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        match namespace {
            Some(namespace) => format!("{}/namespaces/{namespace}/{}", self.root, self.plural),
            None => format!("{}/{}", self.root, self.plural),
        }
    }
}

/// Accept header of a path: discovery is read in its aggregated form.
pub(crate) fn accept(path: &str) -> &'static str {
    if path == CORE || path == GROUPS {
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    } else {
        "application/json"
    }
}

/// The resources of both discovery documents, in the order in which they are written.
pub(crate) fn resources(core: &Value, groups: &Value) -> Vec<Resource> {
    let mut all: Vec<Resource> = [(core, "/api"), (groups, "/apis")]
        .into_iter()
        .flat_map(|(document, root)| document["items"].as_array().into_iter().flatten().map(move |group| (group, root)))
        .flat_map(|(group, root)| of_group(group, root))
        .collect();
    all.sort_by_key(|resource| rank(&resource.plural));
    all
}

fn of_group(group: &Value, root: &str) -> Vec<Resource> {
    let name = group["metadata"]["name"].as_str().unwrap_or_default();
    // The preferred version is the first.
    let version = &group["versions"][0];
    let number = version["version"].as_str().unwrap_or_default();
    let api_version = if name.is_empty() { number.to_owned() } else { format!("{name}/{number}") };
    let listed =
        |entry: &&Value| entry["verbs"].as_array().is_some_and(|verbs| verbs.iter().any(|verb| verb == "list"));
    let resource = |entry: &Value| Resource {
        root: format!("{root}/{api_version}"),
        plural: entry["resource"].as_str().unwrap_or_default().to_owned(),
        kind: entry["responseKind"]["kind"].as_str().unwrap_or_default().to_owned(),
        api_version: api_version.clone(),
        // The server itself establishes a definition.
        status: entry["resource"] != "customresourcedefinitions"
            && entry["subresources"]
                .as_array()
                .is_some_and(|parts| parts.iter().any(|part| part["subresource"] == "status")),
        custom: name.contains('.') && !name.ends_with(".k8s.io"),
    };
    let entries = version["resources"].as_array().into_iter().flatten().filter(listed).map(resource);
    entries.filter(|resource| !NOT.contains(&resource.plural.as_str())).collect()
}

fn rank(plural: &str) -> usize {
    let first = FIRST.iter().position(|name| *name == plural);
    let last = LAST.iter().position(|name| *name == plural);
    first.or(last.map(|at| FIRST.len() + 1 + at)).unwrap_or(FIRST.len())
}
