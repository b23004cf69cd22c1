//! Dependents: what the garbage collector deletes with an object, by owner references.

use std::collections::{BTreeMap, BTreeSet};

use super::owned;
use super::request::Target;
use super::subject::Subjects;
use crate::client::requests;
use crate::drawer::Users;
use crate::visible::visible;

/// Maximum number of dependents that are named.
const MAX_NAMED: usize = 8;

/// The resources whose objects the controller of a resource creates.
fn children(resource: &str) -> &'static [&'static str] {
    match resource {
        "apps/v1/deployments" => &["apps/v1/replicasets", "v1/pods"],
        "batch/v1/cronjobs" => &["batch/v1/jobs", "v1/pods"],
        "v1/services" => &["discovery.k8s.io/v1/endpointslices"],
        "apps/v1/replicasets"
        | "apps/v1/statefulsets"
        | "apps/v1/daemonsets"
        | "batch/v1/jobs"
        | "v1/replicationcontrollers" => &["v1/pods"],
        _ => &[],
    }
}

/// Whether objects of a resource have dependents.
pub(super) fn has_any(resource: &str) -> bool {
    !children(resource).is_empty()
}

/// Names the objects that belong to the subjects, level by level, with a list for each namespace.
pub(super) async fn list(subjects: Subjects) -> Result<Vec<String>, String> {
    let factory = subjects.cluster.factory();
    // By namespace: a target in it, and the uids of the owners.
    let mut scopes = BTreeMap::<Option<String>, (Target, BTreeSet<String>)>::new();
    subjects.with(|list| {
        for subject in list {
            let uid = subject.object()["metadata"]["uid"].as_str().map(str::to_owned);
            let scope = scopes.entry(subject.target.namespace.clone());
            scope.or_insert_with(|| (subject.target.clone(), BTreeSet::new())).1.extend(uid);
        }
    });
    let mut found = Vec::new();
    for (target, mut owners) in scopes.into_values() {
        for resource in children(&target.resource) {
            let path = target.sibling_path(resource);
            let list = requests::read_metadata_list(&factory, &path).await.map_err(|failure| failure.message)?;
            let mut next = BTreeSet::new();
            for item in &list {
                let metadata = &item["metadata"];
                let mut references = metadata["ownerReferences"].as_array().into_iter().flatten();
                if references.any(|owner| owner["uid"].as_str().is_some_and(|uid| owners.contains(uid))) {
                    let singular = resource.rsplit('/').next().unwrap_or_default().trim_end_matches('s');
                    found.push(format!("{singular} {}", metadata["name"].as_str().unwrap_or_default()));
                    next.extend(metadata["uid"].as_str().map(str::to_owned));
                }
            }
            owners = next;
        }
    }
    Ok(found)
}

/// Sentences about the dependents of custom objects, and where they were searched.
pub(super) fn searched_sentence(search: &owned::SearchResult, are_many: bool) -> String {
    let scope = owned::scope_sentence(search);
    if search.found.is_empty() {
        let subject = if are_many { "these objects" } else { "this object" };
        return format!("No object was found that belongs to {subject}.{scope}");
    }
    format!("{}{scope}", sentence(&search.found, are_many))
}

/// Sentence that names the first dependents and counts the others.
pub(super) fn sentence(found: &[String], are_many: bool) -> String {
    let subject = if are_many { "These objects have" } else { "This object has" };
    if found.is_empty() {
        return format!("{subject} no dependents.");
    }
    format!("{subject} dependents: {}.", names(found))
}

/// Names the first objects and counts the others.
fn names(found: &[String]) -> String {
    let names: Vec<_> = found.iter().take(MAX_NAMED).map(|name| visible(name).into_owned()).collect();
    let more = found.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// Sentence about the objects that use one or several objects, as far as they have been read. Of many objects, only the
/// first `searched` were looked up.
pub(super) fn users_sentence(users: Option<&Users>, count: usize, searched: usize) -> String {
    let object = if count > 1 { "them" } else { "it" };
    let loading = || format!("Looking up the objects that use {object} …");
    let Some(Users { names: found, is_reading, unread }) = users else { return loading() };
    if found.is_empty() && *is_reading {
        return loading();
    }
    let found = match found.as_slice() {
        [] => format!("No object was found that uses {object}."),
        found => format!("Used by: {}.", names(found)),
    };
    let unread = if unread.is_empty() { String::new() } else { format!(" Could not be read: {}.", unread.join(", ")) };
    let limit =
        if count > searched { format!(" Only the first {searched} objects were looked up.") } else { String::new() };
    format!("{found}{unread}{limit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_truncated() {
        assert_eq!(sentence(&[], false), "This object has no dependents.");
        let found: Vec<_> = (0..10).map(|at| format!("pod {at}")).collect();
        assert!(sentence(&found, true).ends_with("pod 7 and 2 more."));
    }

    #[test]
    fn users_are_named_once_a_list_has_some() {
        let users = |names: &[&str], is_reading| Users {
            names: names.iter().map(ToString::to_string).collect(),
            is_reading,
            unread: Vec::new(),
        };
        let users_sentence = |users: Option<&Users>| users_sentence(users, 1, 20);
        let loading = "Looking up the objects that use it …";
        assert_eq!(users_sentence(None), loading);
        assert_eq!(users_sentence(Some(&users(&[], true))), loading);
        assert_eq!(users_sentence(Some(&users(&[], false))), "No object was found that uses it.");
        assert_eq!(users_sentence(Some(&users(&["pod a"], true))), "Used by: pod a.");
        let unread = Users { unread: vec!["Job".to_owned()], ..users(&[], false) };
        assert_eq!(users_sentence(Some(&unread)), "No object was found that uses it. Could not be read: Job.");
    }

    #[test]
    fn sentence_about_many_objects_names_those_that_were_looked_up() {
        assert_eq!(users_sentence(None, 2, 20), "Looking up the objects that use them …");
        assert_eq!(
            users_sentence(Some(&Users::default()), 21, 20),
            "No object was found that uses them. Only the first 20 objects were looked up."
        );
    }
}
