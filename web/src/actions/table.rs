//! Table of actions: which kinds have which action, its key in the menu, and the rights it needs.

use std::collections::BTreeSet;

use informer::{GroupVersionResource, ResourceInfo};
use serde_json::Value;

pub(super) use super::action::Action;
use super::rights::{Right, is_served, rights};

/// Entry of the menu for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) action: Action,
    pub(super) label: &'static str,
    /// Key that chooses it while the menu is open.
    pub(super) key: &'static str,
    /// All rights that it needs.
    pub(super) rights: &'static [Right],
}

/// Actions with their labels and keys, in the order of the menu.
pub(super) const ITEMS: [(Action, &str, &str); 16] = [
    (Action::Edit, "Edit YAML …", "e"),
    (Action::Labels, "Labels and annotations …", "l"),
    (Action::Scale, "Scale …", "s"),
    (Action::Restart, "Restart …", "r"),
    (Action::Pause, "Pause rollout …", "p"),
    (Action::Resume, "Resume rollout …", "p"),
    (Action::RollBack, "Roll back …", "b"),
    (Action::Suspend, "Suspend …", "u"),
    (Action::Unsuspend, "Resume …", "u"),
    (Action::Trigger, "Run now …", "t"),
    (Action::Cordon, "Cordon …", "c"),
    (Action::Uncordon, "Uncordon …", "c"),
    (Action::Drain, "Drain …", "w"),
    (Action::Evict, "Evict …", "v"),
    (Action::Debug, "Debug container …", "g"),
    (Action::Delete, "Delete …", "d"),
];

/// The actions of one object or several, which are null until they are known; each with the indexes of the objects that
/// it applies to. `info` is the discovery data of their resource.
pub(super) fn items(
    resource_id: &GroupVersionResource,
    info: Option<&ResourceInfo>,
    objects: &[Value],
) -> Vec<(Item, Vec<usize>)> {
    let resource = resource_id.to_string();
    let mut keys = BTreeSet::new();
    let indexes =
        |action| (0..objects.len()).filter(|at| applies(action, resource_id, info, &objects[*at])).collect::<Vec<_>>();
    let items =
        ITEMS.into_iter().map(|(action, label, key)| Item { action, label, key, rights: rights(action, &resource) });
    let items = items.filter(|item| objects.len() == 1 || item.action.is_for_many());
    let items = items.filter(|item| item.rights.iter().all(|right| is_served(*right, info)));
    let items = items.map(|item| (item, indexes(item.action))).filter(|(_, indexes)| !indexes.is_empty());
    // Some may be paused and others not: the second action has no key then.
    items
        .map(|(item, indexes)| (Item { key: if keys.insert(item.key) { item.key } else { "" }, ..item }, indexes))
        .collect()
}

fn applies(action: Action, resource_id: &GroupVersionResource, info: Option<&ResourceInfo>, object: &Value) -> bool {
    let is = |group: &str, resources: &[&str]| {
        resource_id.group == group && resources.contains(&resource_id.resource.as_str())
    };
    let flag = |name: &str| object["spec"][name].as_bool().unwrap_or(false);
    match action {
        Action::Edit | Action::Labels | Action::Delete => true,
        Action::Scale => info.map_or_else(|| has_replicas(&resource_id.to_string()), |info| info.scale),
        Action::Restart | Action::RollBack => is("apps", &["deployments", "statefulsets", "daemonsets"]),
        Action::Pause => is("apps", &["deployments"]) && !flag("paused"),
        Action::Resume => is("apps", &["deployments"]) && flag("paused"),
        Action::Suspend => is("batch", &["cronjobs", "jobs"]) && !flag("suspend"),
        Action::Unsuspend => is("batch", &["cronjobs", "jobs"]) && flag("suspend"),
        Action::Trigger => is("batch", &["cronjobs"]),
        Action::Cordon => is("", &["nodes"]) && !flag("unschedulable"),
        Action::Uncordon => is("", &["nodes"]) && flag("unschedulable"),
        Action::Drain => is("", &["nodes"]),
        Action::Evict | Action::Debug => is("", &["pods"]),
    }
}

/// Whether objects of a resource have their number of replicas in `spec.replicas`. Of other kinds with a scale, only
/// the definition says where it is.
pub(super) fn has_replicas(resource: &str) -> bool {
    let known = ["apps/v1/deployments", "apps/v1/statefulsets", "apps/v1/replicasets", "v1/replicationcontrollers"];
    known.contains(&resource)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(resource: &str, object: &Value) -> Vec<Action> {
        of_all(resource, std::slice::from_ref(object)).into_iter().map(|(action, _)| action).collect()
    }

    fn of_all(resource: &str, objects: &[Value]) -> Vec<(Action, Vec<usize>)> {
        let items = items(&resource.parse().expect("a resource"), None, objects);
        items.into_iter().map(|(item, indexes)| (item.action, indexes)).collect()
    }

    #[test]
    fn each_kind_has_its_actions() {
        use Action::*;
        assert_eq!(of("v1/configmaps", &json!({})), [Edit, Labels, Delete]);
        assert_eq!(of("v1/secrets", &json!({})), [Edit, Labels, Delete]);
        assert_eq!(of("v1/pods", &json!({})), [Edit, Labels, Evict, Debug, Delete]);
        assert_eq!(of("apps/v1/statefulsets", &json!({})), [Edit, Labels, Scale, Restart, RollBack, Delete]);
        assert_eq!(of("apps/v1/daemonsets", &json!({})), [Edit, Labels, Restart, RollBack, Delete]);
        assert_eq!(of("apps/v1/replicasets", &json!({})), [Edit, Labels, Scale, Delete]);
        assert_eq!(of("v1/replicationcontrollers", &json!({})), [Edit, Labels, Scale, Delete]);
        assert_eq!(of("example.com/v1/deployments", &json!({})), [Edit, Labels, Delete], "of another group");
    }

    #[test]
    fn what_is_paused_can_be_resumed_only() {
        use Action::*;
        let deployment = |paused| of("apps/v1/deployments", &json!({ "spec": { "paused": paused } }));
        assert_eq!(deployment(false), [Edit, Labels, Scale, Restart, Pause, RollBack, Delete]);
        assert_eq!(deployment(true), [Edit, Labels, Scale, Restart, Resume, RollBack, Delete]);
        let cron = |suspend| of("batch/v1/cronjobs", &json!({ "spec": { "suspend": suspend } }));
        assert_eq!(cron(false), [Edit, Labels, Suspend, Trigger, Delete]);
        assert_eq!(cron(true), [Edit, Labels, Unsuspend, Trigger, Delete]);
        let node = |unschedulable| of("v1/nodes", &json!({ "spec": { "unschedulable": unschedulable } }));
        assert_eq!(node(false), [Edit, Labels, Cordon, Drain, Delete]);
        assert_eq!(node(true), [Edit, Labels, Uncordon, Drain, Delete]);
    }

    #[test]
    fn no_menu_has_a_key_twice() {
        for resource in [
            "v1/pods",
            "v1/nodes",
            "apps/v1/deployments",
            "apps/v1/statefulsets",
            "apps/v1/daemonsets",
            "batch/v1/cronjobs",
            "batch/v1/jobs",
        ] {
            let items = items(&resource.parse().expect("a resource"), None, &[Value::Null]);
            assert!(items.iter().all(|(item, _)| !item.key.is_empty()), "{resource}");
        }
    }

    #[test]
    fn several_objects_have_the_actions_of_each_of_them() {
        use Action::*;
        let cron = |suspend| json!({ "spec": { "suspend": suspend } });
        let objects = [cron(false), cron(true), cron(false)];
        let all = vec![0, 1, 2];
        assert_eq!(
            of_all("batch/v1/cronjobs", &objects),
            [
                (Labels, all.clone()),
                (Suspend, vec![0, 2]),
                (Unsuspend, vec![1]),
                (Trigger, all.clone()),
                (Delete, all.clone())
            ]
        );
        let items = items(&"batch/v1/cronjobs".parse().expect("a resource"), None, &objects);
        assert_eq!(items.iter().map(|(item, _)| item.key).collect::<Vec<_>>(), ["l", "u", "", "t", "d"]);
        let node = [json!({}), json!({})];
        let of_nodes: Vec<_> = of_all("v1/nodes", &node).into_iter().map(|(action, _)| action).collect();
        assert_eq!(of_nodes, [Labels, Cordon, Drain, Delete]);
        let sets: Vec<_> = of_all("apps/v1/statefulsets", &node).into_iter().map(|(action, _)| action).collect();
        assert_eq!(sets, [Labels, Scale, Restart, Delete], "a roll back shows much of one object");
    }

    fn discovered(resource: &str, verbs: &[&str], scale: bool) -> Vec<Action> {
        let of: GroupVersionResource = resource.parse().expect("a resource");
        let info = ResourceInfo {
            group: of.group.clone(),
            version: of.version.clone(),
            resource: of.resource.clone(),
            kind: String::new(),
            namespaced: true,
            verbs: verbs.iter().map(ToString::to_string).collect(),
            short_names: Vec::new(),
            scale,
        };
        items(&of, Some(&info), &[json!({})]).into_iter().map(|(item, _)| item.action).collect()
    }

    #[test]
    fn what_the_server_does_not_serve_is_not_offered() {
        use Action::*;
        let all = ["create", "delete", "get", "list", "patch", "update", "watch"];
        assert_eq!(discovered("metrics.k8s.io/v1beta1/pods", &["get", "list"], false), []);
        assert_eq!(discovered("example.com/v1/things", &["delete", "get", "list"], false), [Delete]);
        assert_eq!(discovered("example.com/v1/things", &all, false), [Edit, Labels, Delete]);
        assert_eq!(discovered("example.com/v1/things", &all, true), [Edit, Labels, Scale, Delete]);
        assert_eq!(discovered("v1/pods", &["get", "list"], false), [Evict, Debug], "their subresources are others");
    }
}
