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
const USUAL: [(&str, &str); 13] = [
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

/// Most kinds of the object's own group that are searched. An operator's kinds often own each other.
const OF_GROUP: usize = 12;

/// Most objects that are read of each kind and namespace: their metadata is at most a few hundred KB.
const MOST: usize = 500;

/// Most namespaces that are searched for the objects of one dialog.
const NAMESPACES: usize = 4;

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Search {
    /// Names with their kinds: `deployment web`.
    pub(super) found: Vec<String>,
    /// Plurals of the searched kinds.
    searched: BTreeSet<String>,
    /// Those of which there are more objects than are read.
    cut: BTreeSet<String>,
    /// Those that could not be listed.
    refused: BTreeSet<String>,
}

/// The kinds to search for what objects of a resource own: an object in a namespace owns nothing outside of it.
fn candidates<'a>(of: &GroupVersionResource, is_namespaced: bool, all: &'a [ResourceInfo]) -> Vec<&'a ResourceInfo> {
    let is_there = |info: &&ResourceInfo| info.namespaced || !is_namespaced;
    let usual = USUAL
        .into_iter()
        .filter_map(|(group, resource)| all.iter().find(|info| info.group == group && info.resource == resource));
    let own = all.iter().filter(|info| info.group == of.group);
    usual.chain(own.filter(is_there).take(OF_GROUP)).collect()
}

/// The objects that the owners own, directly or by one another, out of the metadata of objects with their kinds.
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
pub(super) async fn search(subjects: Subjects) -> Result<Search, String> {
    let factory = subjects.cluster.factory();
    let of = subjects.resource();
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
    if scopes.len() > NAMESPACES {
        return Err(format!("the objects are in more than {NAMESPACES} namespaces"));
    }
    let resources = JsFuture::from(factory.resources()).await.map_err(|reason| plain::rejection(&reason).message)?;
    let resources: Vec<_> = Array::from(&resources).iter().map(|info| plain::resource(info.unchecked_ref())).collect();
    let (mut search, mut all) = (Search::default(), Vec::new());
    for target in scopes {
        for info in candidates(&of, target.namespace.is_some(), &resources) {
            let label = kinds::label(info);
            let path = format!("{}?limit={MOST}", target.beside(&info.gvr().to_string()));
            match requests::read_metadata_list(&factory, &path).await {
                Ok(list) => {
                    if list.len() >= MOST {
                        search.cut.insert(label.clone());
                    }
                    search.searched.insert(label);
                    let kind = info.kind.to_ascii_lowercase();
                    all.extend(list.into_iter().map(|mut item| (kind.clone(), item["metadata"].take())));
                }
                Err(_) => drop(search.refused.insert(label)),
            }
        }
    }
    search.found = owned(owners, &all);
    Ok(search)
}

/// Sentences that name the searched kinds: what other kinds own is not known.
pub(super) fn scope(search: &Search) -> String {
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    let part = |names: &BTreeSet<String>, says: &str| {
        if names.is_empty() { String::new() } else { format!(" {says}: {}.", list(names)) }
    };
    let searched = part(&search.searched, "Searched");
    let cut = part(&search.cut, &format!("Only the first {MOST} of each were searched"));
    format!("{searched}{cut}{}", part(&search.refused, "Could not be listed"))
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
    fn what_is_owned_by_what_is_owned_goes_too() {
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
        let mut search = Search { searched: set(&["Pods", "Jobs"]), ..Search::default() };
        assert_eq!(scope(&search), " Searched: Jobs, Pods.");
        (search.cut, search.refused) = (set(&["Pods"]), set(&["Secrets"]));
        let says =
            " Searched: Jobs, Pods. Only the first 500 of each were searched: Pods. Could not be listed: Secrets.";
        assert_eq!(scope(&search), says);
    }
}
