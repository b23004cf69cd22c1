//! Dependents: what the garbage collector deletes with an object, by owner references.

use std::collections::{BTreeMap, BTreeSet};

use super::owned;
use super::request::Target;
use super::subject::Subjects;
use crate::client::requests;
use crate::visible::visible;

/// At most so many dependents are named.
const NAMED: usize = 8;

/// Which resources the controller of a resource makes.
fn children(resource: &str) -> &'static [&'static str] {
    match resource {
        "apps/v1/deployments" => &["apps/v1/replicasets", "v1/pods"],
        "batch/v1/cronjobs" => &["batch/v1/jobs", "v1/pods"],
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
pub(super) async fn of(subjects: Subjects) -> Result<Vec<String>, String> {
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
            let path = target.beside(resource);
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
pub(super) fn searched(search: &owned::Search, are_many: bool) -> String {
    let scope = owned::scope(search);
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
    let names: Vec<_> = found.iter().take(NAMED).map(|name| visible(name).into_owned()).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{subject} dependents: {}{more}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut() {
        assert_eq!(sentence(&[], false), "This object has no dependents.");
        let found: Vec<_> = (0..10).map(|at| format!("pod {at}")).collect();
        assert!(sentence(&found, true).ends_with("pod 7 and 2 more."));
    }
}
