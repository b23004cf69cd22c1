//! Owned objects: those that name a custom object as their owner, among the kinds whose lists are cheap to read.

use std::collections::BTreeSet;

use informer::{GroupVersionResource, ResourceInfo};
use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use super::request::Target;
use super::subject::Subjects;
use crate::client::requests;
use crate::{kinds, plain};

/// Kinds that the controllers of custom kinds usually create, by group and resource.
const USUAL_KINDS: [(&str, &str); 13] = [
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "daemonsets"),
    ("apps", "replicasets"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
    ("", "pods"),
    ("", "services"),
    ("", "configmaps"),
    ("", "secrets"),
    ("", "serviceaccounts"),
    ("", "persistentvolumeclaims"),
    ("networking.k8s.io", "ingresses"),
];

/// Maximum number of kinds of the object's own group that are searched. An operator's kinds often own each other.
const MAX_GROUP_KINDS: usize = 12;

/// Maximum number of objects that are read of each kind and namespace: their metadata is at most a few hundred KB.
const MAX_OBJECTS: usize = 500;

/// Maximum number of namespaces that are searched for the objects of one dialog.
const MAX_NAMESPACES: usize = 4;

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SearchResult {
    /// Names with their kinds: `deployment web`.
    pub(super) found: Vec<String>,
    /// Plurals of the searched kinds.
    searched: BTreeSet<String>,
    /// Kinds with more objects than are read.
    truncated: BTreeSet<String>,
    /// Kinds that could not be listed.
    failed: BTreeSet<String>,
}

/// The kinds to search for objects that objects of a resource own. A namespaced object owns nothing outside of its
/// namespace.
fn candidates<'a>(
    resource: &GroupVersionResource,
    is_namespaced: bool,
    all: &'a [ResourceInfo],
) -> Vec<&'a ResourceInfo> {
    let is_there = |info: &&ResourceInfo| info.namespaced || !is_namespaced;
    let usual = USUAL_KINDS
        .into_iter()
        .filter_map(|(group, resource)| all.iter().find(|info| info.group == group && info.resource == resource));
    let own = all.iter().filter(|info| info.group == resource.group);
    usual.chain(own.filter(is_there).take(MAX_GROUP_KINDS)).collect()
}

/// The objects that the owners own, directly or through other owned objects, from the metadata of all objects with
/// their kinds.
fn owned(mut owners: BTreeSet<String>, all: &[(String, Value)]) -> Vec<String> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (kind, metadata) in all {
            let mut references = metadata["ownerReferences"].as_array().into_iter().flatten();
            if references.any(|owner| owner["uid"].as_str().is_some_and(|uid| owners.contains(uid))) {
                owners.extend(metadata["uid"].as_str().map(str::to_owned));
                found.insert(format!("{kind} {}", metadata["name"].as_str().unwrap_or_default()));
            }
        }
        if found.len() == before {
            return found.into_iter().collect();
        }
    }
}

/// Searches for the objects that the subjects own.
pub(super) async fn search(subjects: Subjects) -> Result<SearchResult, String> {
    let factory = subjects.cluster.factory();
    let resource = subjects.resource();
    let mut scopes = Vec::<Target>::new();
    let mut owners = BTreeSet::new();
    subjects.with(|list| {
        for subject in list {
            if scopes.iter().all(|known| known.namespace != subject.target.namespace) {
                scopes.push(subject.target.clone());
            }
            owners.extend(subject.object()["metadata"]["uid"].as_str().map(str::to_owned));
        }
    });
    if scopes.len() > MAX_NAMESPACES {
        return Err(format!("the objects are in more than {MAX_NAMESPACES} namespaces"));
    }
    let resources = JsFuture::from(factory.resources()).await.map_err(|reason| plain::rejection(&reason).message)?;
    let resources: Vec<_> = Array::from(&resources).iter().map(|info| plain::resource(info.unchecked_ref())).collect();
    let (mut search, mut all) = (SearchResult::default(), Vec::new());
    for target in scopes {
        for info in candidates(&resource, target.namespace.is_some(), &resources) {
            let label = kinds::label(info);
            let path = format!("{}?limit={MAX_OBJECTS}", target.sibling_path(&info.gvr().to_string()));
            match requests::read_metadata_list(&factory, &path).await {
                Ok(list) => {
                    if list.len() >= MAX_OBJECTS {
                        search.truncated.insert(label.clone());
                    }
                    search.searched.insert(label);
                    let kind = info.kind.to_ascii_lowercase();
                    all.extend(list.into_iter().map(|mut item| (kind.clone(), item["metadata"].take())));
                }
                Err(_) => drop(search.failed.insert(label)),
            }
        }
    }
    search.found = owned(owners, &all);
    Ok(search)
}

/// Sentences that name the searched kinds: what other kinds own is not known.
pub(super) fn scope_sentence(search: &SearchResult) -> String {
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    let part = |names: &BTreeSet<String>, verb: &str| {
        if names.is_empty() { String::new() } else { format!(" {verb}: {}.", list(names)) }
    };
    let searched = part(&search.searched, "Searched");
    let truncated = part(&search.truncated, &format!("Only the first {MAX_OBJECTS} of each were searched"));
    format!("{searched}{truncated}{}", part(&search.failed, "Could not be listed"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn info(group: &str, resource: &str, namespaced: bool) -> ResourceInfo {
        let kind = resource.trim_end_matches('s');
        serde_json::from_value(json!({
            "group": group, "version": "v1", "resource": resource, "kind": kind, "namespaced": namespaced, "verbs": ["list"],
        }))
        .expect("a resource")
    }

    #[test]
    fn usual_kinds_and_those_of_the_group_are_searched() {
        let all = [
            info("", "nodes", false),
            info("", "pods", true),
            info("example.com", "things", true),
            info("example.com", "worlds", false),
            info("other.com", "things", true),
        ];
        let of = "example.com/v1/things".parse().expect("a resource");
        let names = |is_namespaced| {
            candidates(&of, is_namespaced, &all).into_iter().map(|info| info.gvr().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(true), ["v1/pods", "example.com/v1/things"]);
        assert_eq!(names(false), ["v1/pods", "example.com/v1/things", "example.com/v1/worlds"]);
    }

    #[test]
    fn indirectly_owned_objects_are_dependents() {
        let object = |kind: &str, name: &str, owner: &str| {
            (kind.to_owned(), json!({ "name": name, "uid": name, "ownerReferences": [{ "uid": owner }] }))
        };
        let all = [
            object("pod", "p", "set"),
            object("replicaset", "set", "web"),
            object("deployment", "web", "u"),
            object("pod", "q", "other"),
        ];
        let found = owned(BTreeSet::from(["u".to_owned()]), &all);
        assert_eq!(found, ["deployment web", "pod p", "replicaset set"]);
        assert_eq!(owned(BTreeSet::new(), &all), Vec::<String>::new());
    }

    #[test]
    fn the_searched_kinds_are_named() {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let mut search = SearchResult { searched: set(&["Pods", "Jobs"]), ..SearchResult::default() };
        assert_eq!(scope_sentence(&search), " Searched: Jobs, Pods.");
        (search.truncated, search.failed) = (set(&["Pods"]), set(&["Secrets"]));
        let expected =
            " Searched: Jobs, Pods. Only the first 500 of each were searched: Pods. Could not be listed: Secrets.";
        assert_eq!(scope_sentence(&search), expected);
    }
}
