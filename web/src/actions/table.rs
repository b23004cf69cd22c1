//! Table of actions: which kinds have which action, its key in the menu, and the right it needs.

use std::collections::BTreeSet;

use informer::GroupVersionResource;
use serde_json::Value;

/// One thing that can be done to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Edit,
    Labels,
    Scale,
    Restart,
    Pause,
    Resume,
    RollBack,
    Suspend,
    Unsuspend,
    Trigger,
    Cordon,
    Uncordon,
    Drain,
    Evict,
    Debug,
    Delete,
}

impl Action {
    /// Whether pods end by it, or something is deleted.
    pub(super) fn is_destructive(self) -> bool {
        matches!(self, Self::Restart | Self::Suspend | Self::Evict | Self::Drain | Self::Delete | Self::RollBack)
    }

    /// Whether it can be done to several objects at once. The others show much of one object.
    fn is_for_many(self) -> bool {
        !matches!(self, Self::Edit | Self::RollBack | Self::Drain | Self::Debug)
    }
}

/// The right that an action needs: a verb, and the resource if it is not the object's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) verb: &'static str,
    /// Another resource, as `group/version/resource`.
    pub(super) resource: Option<&'static str>,
    pub(super) subresource: Option<&'static str>,
    /// Whether it is about the object by its name; a new object has none yet, and a drain is about many pods.
    pub(super) named: bool,
}

/// Entry of the menu for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) action: Action,
    pub(super) label: &'static str,
    /// Key that chooses it while the menu is open.
    pub(super) key: &'static str,
    pub(super) right: Right,
}

const fn own(verb: &'static str) -> Right {
    Right { verb, resource: None, subresource: None, named: true }
}

const fn sub(verb: &'static str, subresource: &'static str) -> Right {
    Right { verb, resource: None, subresource: Some(subresource), named: true }
}

const PATCH: Right = own("patch");
const CREATE_JOB: Right = Right { verb: "create", resource: Some("batch/v1/jobs"), subresource: None, named: false };
const EVICT_PODS: Right =
    Right { verb: "create", resource: Some("v1/pods"), subresource: Some("eviction"), named: false };

/// All actions, in the order of the menu.
const ITEMS: [Item; 16] = [
    Item { action: Action::Edit, label: "Edit YAML …", key: "e", right: PATCH },
    Item { action: Action::Labels, label: "Labels and annotations …", key: "l", right: PATCH },
    Item { action: Action::Scale, label: "Scale …", key: "s", right: sub("patch", "scale") },
    Item { action: Action::Restart, label: "Restart …", key: "r", right: PATCH },
    Item { action: Action::Pause, label: "Pause rollout …", key: "p", right: PATCH },
    Item { action: Action::Resume, label: "Resume rollout …", key: "p", right: PATCH },
    Item { action: Action::RollBack, label: "Roll back …", key: "b", right: PATCH },
    Item { action: Action::Suspend, label: "Suspend …", key: "u", right: PATCH },
    Item { action: Action::Unsuspend, label: "Resume …", key: "u", right: PATCH },
    Item { action: Action::Trigger, label: "Run now …", key: "t", right: CREATE_JOB },
    Item { action: Action::Cordon, label: "Cordon …", key: "c", right: PATCH },
    Item { action: Action::Uncordon, label: "Uncordon …", key: "c", right: PATCH },
    Item { action: Action::Drain, label: "Drain …", key: "w", right: EVICT_PODS },
    Item { action: Action::Evict, label: "Evict …", key: "v", right: sub("create", "eviction") },
    Item { action: Action::Debug, label: "Debug container …", key: "g", right: sub("patch", "ephemeralcontainers") },
    Item { action: Action::Delete, label: "Delete …", key: "d", right: own("delete") },
];

/// The actions of one object or several, which are null until they are known; each with the places of the objects that it applies to.
pub(super) fn items(of: &GroupVersionResource, objects: &[Value]) -> Vec<(Item, Vec<usize>)> {
    let mut keys = BTreeSet::new();
    let places = |action| (0..objects.len()).filter(|at| applies(action, of, &objects[*at])).collect::<Vec<_>>();
    let items = ITEMS.into_iter().filter(|item| objects.len() == 1 || item.action.is_for_many());
    let items = items.map(|item| (item, places(item.action))).filter(|(_, places)| !places.is_empty());
    // Some may be paused and others not: the second action has no key then.
    items
        .map(|(item, places)| (Item { key: if keys.insert(item.key) { item.key } else { "" }, ..item }, places))
        .collect()
}

fn applies(action: Action, of: &GroupVersionResource, object: &Value) -> bool {
    let is = |group: &str, resources: &[&str]| of.group == group && resources.contains(&of.resource.as_str());
    let flag = |name: &str| object["spec"][name].as_bool().unwrap_or(false);
    match action {
        Action::Edit | Action::Labels | Action::Delete => true,
        Action::Scale => {
            is("apps", &["deployments", "statefulsets", "replicasets"]) || is("", &["replicationcontrollers"])
        }
        Action::Restart => is("apps", &["deployments", "statefulsets", "daemonsets"]),
        Action::RollBack => is("apps", &["deployments"]),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::body;
    use super::super::request::{Request, Target};
    use super::*;

    fn of(resource: &str, object: &Value) -> Vec<Action> {
        of_all(resource, std::slice::from_ref(object)).into_iter().map(|(action, _)| action).collect()
    }

    fn of_all(resource: &str, objects: &[Value]) -> Vec<(Action, Vec<usize>)> {
        let items = items(&resource.parse().expect("a resource"), objects);
        items.into_iter().map(|(item, places)| (item.action, places)).collect()
    }

    #[test]
    fn each_kind_has_its_actions() {
        use Action::*;
        assert_eq!(of("v1/configmaps", &json!({})), [Edit, Labels, Delete]);
        assert_eq!(of("v1/secrets", &json!({})), [Edit, Labels, Delete]);
        assert_eq!(of("v1/pods", &json!({})), [Edit, Labels, Evict, Debug, Delete]);
        assert_eq!(of("apps/v1/statefulsets", &json!({})), [Edit, Labels, Scale, Restart, Delete]);
        assert_eq!(of("apps/v1/daemonsets", &json!({})), [Edit, Labels, Restart, Delete]);
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
        for resource in ["v1/pods", "v1/nodes", "apps/v1/deployments", "batch/v1/cronjobs", "batch/v1/jobs"] {
            let items = items(&resource.parse().expect("a resource"), &[Value::Null]);
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
        let items = items(&"batch/v1/cronjobs".parse().expect("a resource"), &objects);
        assert_eq!(items.iter().map(|(item, _)| item.key).collect::<Vec<_>>(), ["l", "u", "", "t", "d"]);
        assert_eq!(of_all("v1/nodes", &[cron(false), cron(false)]).len(), 3, "a drain is of one node");
    }

    #[test]
    fn an_action_needs_the_right_for_the_request_that_it_makes() {
        let patch = || Request::Patch(json!({}));
        let request = |action| match action {
            // The parts of the page patch the object, or evict the pods of the node.
            Action::Edit | Action::Labels | Action::Restart | Action::Pause | Action::Resume | Action::RollBack => {
                patch()
            }
            Action::Suspend | Action::Unsuspend | Action::Cordon | Action::Uncordon => patch(),
            Action::Scale => Request::Scale(1),
            Action::Trigger => Request::Create(body::job(&Value::Null)),
            Action::Evict | Action::Drain => Request::Evict,
            Action::Debug => Request::Debug(json!({})),
            Action::Delete => Request::Delete { propagation: "background", grace: None },
        };
        let target = Target { resource: "v1/pods".to_owned(), namespace: None, name: "p".to_owned() };
        for item in ITEMS {
            let (method, arguments) = request(item.action).call(&target, "u");
            let right = item.right;
            let verb = if method == "evict" { "create" } else { method };
            let subresource = if method == "evict" { Some("eviction") } else { arguments[0]["subresource"].as_str() };
            assert_eq!((right.verb, right.subresource), (verb, subresource), "{}", item.label);
            let kind = (arguments[0]["apiVersion"].as_str(), arguments[0]["kind"].as_str());
            let created = (method == "create").then_some((Some("batch/v1"), Some("Job")));
            assert_eq!(created.is_some(), right.resource == Some("batch/v1/jobs"), "{}", item.label);
            assert!(created.is_none_or(|created| created == kind), "{}", item.label);
        }
    }
}
