//! Revisions of a workload: its earlier pod templates, and the objects that store them.

use std::cmp::Reverse;

use serde_json::Value;

/// The resource that stores the revisions of a workload: a Deployment has a `ReplicaSet` for each, a `StatefulSet` or
/// `DaemonSet` a `ControllerRevision`.
pub(super) fn resource(workload: &str) -> &'static str {
    if workload == "apps/v1/deployments" { "apps/v1/replicasets" } else { "apps/v1/controllerrevisions" }
}

/// Revision of a workload.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Revision {
    pub(super) number: u64,
    pub(super) template: Value,
}

impl Revision {
    /// The revision in a `ReplicaSet` or a `ControllerRevision`; none if it was not made by a controller.
    fn from_object(object: &Value) -> Option<Self> {
        // The data is the strategic merge patch that `kubectl rollout undo` sends: it replaces the whole template.
        if let Some(number) = object["revision"].as_u64() {
            let mut template = without_nulls(&object["data"]["spec"]["template"]);
            template.as_object_mut()?.remove("$patch");
            return Some(Self { number, template });
        }
        let mut template = without_nulls(&object["spec"]["template"]);
        // Only the ReplicaSet has this label.
        if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
            labels.remove("pod-template-hash");
        }
        Some(Self { number: current(object)?, template })
    }
}

/// Number of the revision of a Deployment or of a `ReplicaSet`.
fn current(object: &Value) -> Option<u64> {
    object["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str()?.parse().ok()
}

/// A template without nulls, which older servers write for fields without a value: `creationTimestamp: null`.
pub(super) fn without_nulls(template: &Value) -> Value {
    match template {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        value => value.clone(),
    }
}

/// The revisions of a workload among a list of objects, newest first, without the current one: that with the number of
/// the Deployment, or those with the template of the `StatefulSet` or `DaemonSet`.
pub(super) fn other_revisions(workload: &Value, list: &[Value]) -> Vec<Revision> {
    let uid = &workload["metadata"]["uid"];
    let is_owned = |object: &&Value| {
        let mut owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
        owners.any(|owner| owner["uid"] == *uid)
    };
    let (number, template) = (current(workload), without_nulls(&workload["spec"]["template"]));
    let is_other = |object: &Value, revision: &Revision| {
        if object["revision"].is_null() { Some(revision.number) != number } else { revision.template != template }
    };
    let revision_of = |object: &Value| Revision::from_object(object).filter(|revision| is_other(object, revision));
    let mut found: Vec<_> = list.iter().filter(is_owned).filter_map(revision_of).collect();
    found.sort_by_key(|revision| Reverse(revision.number));
    found
}

/// Note about the way in which a workload replaces its pods, if it is not the usual one.
pub(super) fn note(workload: &Value) -> Option<&'static str> {
    let spec = &workload["spec"];
    if spec["paused"] == true {
        Some("The rollout is paused: the pods stay as they are until it is resumed.")
    } else if spec["updateStrategy"]["type"] == "OnDelete" {
        Some("The update strategy is OnDelete: a pod gets the template of the revision when it is deleted.")
    } else if spec["podManagementPolicy"] == "OrderedReady" {
        Some("The pods are replaced in order: one that does not become ready holds up the others until it is deleted.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(image: &str) -> Value {
        json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "image": image }] } })
    }

    fn owned(uid: &str) -> Value {
        json!({ "ownerReferences": [{ "uid": uid }] })
    }

    fn numbers(found: &[Revision]) -> Vec<u64> {
        found.iter().map(|revision| revision.number).collect()
    }

    #[test]
    fn a_deployment_has_the_revisions_of_its_replica_sets() {
        let number = |at: u64| json!({ "deployment.kubernetes.io/revision": at.to_string() });
        let set = |uid: &str, at: u64| {
            let mut template = template(&format!("web:{at}"));
            template["metadata"]["labels"]["pod-template-hash"] = "5f".into();
            let mut set = json!({ "metadata": owned(uid), "spec": { "template": template } });
            set["metadata"]["annotations"] = number(at);
            set
        };
        let workload = json!({ "metadata": { "uid": "u", "annotations": number(10) } });
        let mut foreign = set("u", 1);
        foreign["metadata"]["annotations"] = Value::Null;
        let found = other_revisions(&workload, &[set("u", 9), set("u", 10), set("u", 8), set("other", 7), foreign]);
        assert_eq!(numbers(&found), [9, 8]);
        assert_eq!(found[0].template, template("web:9"), "without the label of the ReplicaSet");
    }

    #[test]
    fn a_stateful_set_has_its_controller_revisions() {
        let revision = |uid: &str, at: u64| {
            let mut template = template(&format!("web:{at}"));
            template["$patch"] = "replace".into();
            template["metadata"]["creationTimestamp"] = Value::Null;
            json!({ "metadata": owned(uid), "revision": at, "data": { "spec": { "template": template } } })
        };
        let mut label = revision("u", 3);
        label["data"]["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "own".into();
        let list = [revision("u", 9), revision("u", 10), revision("u", 8), revision("other", 7), label];
        let mut workload = json!({ "metadata": { "uid": "u" }, "spec": { "template": template("web:9") } });
        let found = other_revisions(&workload, &list);
        assert_eq!(numbers(&found), [10, 8, 3], "the current template may not be the newest revision yet");
        assert_eq!(found[1].template, template("web:8"), "without the directive of the patch");
        assert_eq!(found[2].template["metadata"]["labels"]["pod-template-hash"], "own", "a label like any other");
        workload["spec"]["template"]["metadata"]["creationTimestamp"] = Value::Null;
        assert_eq!(numbers(&other_revisions(&workload, &list)), [10, 8, 3]);
        let empty = json!({ "metadata": owned("u"), "revision": 1, "data": {} });
        assert_eq!(other_revisions(&workload, &[empty]), [], "there is no template");
    }

    #[test]
    fn the_reason_that_blocks_pods_is_named() {
        let of = |spec: Value| note(&json!({ "spec": spec })).unwrap_or_default();
        assert!(of(json!({ "paused": true })).starts_with("The rollout is paused"));
        let strategy = json!({ "type": "OnDelete" });
        assert!(of(json!({ "updateStrategy": strategy, "podManagementPolicy": "OrderedReady" })).contains("OnDelete"));
        assert!(of(json!({ "podManagementPolicy": "OrderedReady" })).contains("in order"));
        assert_eq!(of(json!({ "podManagementPolicy": "Parallel" })), "");
    }
}
