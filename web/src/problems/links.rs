//! Addresses of the objects of a problem: each object's page, and the table with all of them.

use std::collections::BTreeSet;

use informer::ResourceInfo;
use kube_objects::Link;

use super::kinds::KINDS;
use super::order::Line;
use crate::discovery::resource_of;
use crate::route::Route;

/// Maximum number of owners that a filter of the table names.
const MAX_OWNERS: usize = 5;

/// The page of an object; `None` while discovery does not list its kind.
pub(super) fn object(resources: &[ResourceInfo], link: &Link, namespaces: Option<String>) -> Option<Route> {
    let info = resource_of(resources, &link.group, &link.kind)?;
    let key = match &*link.namespace {
        in_namespace if info.namespaced && !in_namespace.is_empty() => format!("{in_namespace}/{}", link.name),
        _ => link.name.clone(),
    };
    Some(Route { resource: info.gvr(), namespaces, object: Some(key), full: true, ..Route::default() })
}

/// The table of the objects of a line: those of its kind that may be unhealthy and have the same owner.
pub(super) fn table(resources: &[ResourceInfo], line: &Line, namespaces: Option<String>) -> Option<Route> {
    let first = &line.members.first()?.member.link;
    let info = resource_of(resources, &first.group, &first.kind)?;
    let may_be_unwell = KINDS.iter().find(|kind| kind.name == first.kind && kind.group == first.group)?.filter;
    let owners: BTreeSet<&str> = line.members.iter().map(|listed| listed.member.controller.as_str()).collect();
    // Uids are the server's; one with a quote in it would end the term.
    let is_plain = |uid: &&&str| !uid.is_empty() && uid.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let terms: Vec<String> = owners
        .iter()
        // The table of all that may be unhealthy contains them; a part of the owners would not.
        .filter(|uid| owners.len() <= MAX_OWNERS && is_plain(uid))
        .map(|uid| format!("field=\"{{.metadata.ownerReferences[*].uid}}={uid}\""))
        .collect();
    let filter = match (may_be_unwell.is_empty(), terms.is_empty()) {
        (_, true) => may_be_unwell.to_owned(),
        (true, false) => terms.join(" OR "),
        (false, false) => format!("({may_be_unwell}) ({})", terms.join(" OR ")),
    };
    let namespaces =
        namespaces.or_else(|| Some(first.namespace.clone()).filter(|name| info.namespaced && !name.is_empty()));
    Some(Route { resource: info.gvr(), namespaces, filter, ..Route::default() })
}

#[cfg(test)]
mod tests {
    use informer_engine::Query;
    use serde_json::json;

    use super::*;
    use crate::problems::order::lines;

    #[test]
    fn an_object_has_a_page_and_its_line_a_table() {
        let info = |value| serde_json::from_value::<ResourceInfo>(value).expect("a resource");
        let resources = [
            info(
                json!({"group": "", "version": "v1", "resource": "pods", "kind": "Pod", "namespaced": true, "verbs": []}),
            ),
            info(
                json!({"group": "", "version": "v1", "resource": "nodes", "kind": "Node", "namespaced": false, "verbs": []}),
            ),
        ];
        let hash = |route: Option<Route>| route.map(|route| route.to_hash());
        let node = hash(object(&resources, &Link::new("", "Node", "", "a"), None));
        assert_eq!(node.as_deref(), Some("#/v1/nodes?object=a&full=1"));
        let pod = hash(object(&resources, &Link::new("", "Pod", "shop", "a"), Some("shop".to_owned())));
        assert_eq!(pod.as_deref(), Some("#/v1/pods?namespace=shop&object=shop%2Fa&full=1"));
        assert_eq!(object(&resources, &Link::new("apps", "Deployment", "shop", "a"), None), None);
        let pod = |name: &str, uid: &str| {
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop",
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": uid, "controller": true}]},
                "status": {"phase": "Failed", "reason": "Evicted"}})
        };
        let pods = [pod("a", "u-1"), pod("b", "u-2"), pod("c", "\"(")];
        let problems = kube_objects::problems(&pods.iter().collect::<Vec<_>>(), &[], 0.0);
        let route = table(&resources, &lines(&[], &problems)[0], None).expect("a table");
        assert!(
            route.filter.ends_with(
                r#"(field="{.metadata.ownerReferences[*].uid}=u-1" OR field="{.metadata.ownerReferences[*].uid}=u-2")"#
            ),
            "{}",
            route.filter
        );
        assert!(route.filter.parse::<Query>().is_ok());
        assert_eq!(route.namespaces.as_deref(), Some("shop"));
    }
}
