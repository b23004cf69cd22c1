//! Deployments: a replica set per template; old ones shrink as the new one becomes ready.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Value, json};

use super::controllers::{desired, owner};
use super::recorder::EventRecord;
use super::world::World;
use crate::names;
use crate::object::{Entry, child_mut};

/// Number of old replica sets that are kept.
const MAX_OLD_SETS: usize = 2;

const REVISION: &str = "deployment.kubernetes.io/revision";

/// Returns the hash that names the replica set of a template.
pub(super) fn template_hash(template: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    template.to_string().hash(&mut hasher);
    names::letters(&mut fastrand::Rng::with_seed(hasher.finish()), 10)
}

/// Creates the replica set of a deployment's current template.
pub(super) fn replica_set(entry: &Entry, deployment: &Value, revision: usize) -> Value {
    let mut template = deployment["spec"]["template"].clone();
    let hash = template_hash(&template);
    child_mut(&mut template, "metadata");
    child_mut(&mut template["metadata"], "labels").insert("pod-template-hash".to_owned(), json!(hash));
    let mut selector = deployment["spec"]["selector"].clone();
    child_mut(&mut selector, "matchLabels").insert("pod-template-hash".to_owned(), json!(hash));
    let replicas = desired(deployment, "replicas");
    json!({
        "metadata": {
            "name": format!("{}-{hash}", entry.name),
            "labels": template["metadata"]["labels"],
            "annotations": {REVISION: revision.to_string(), "deployment.kubernetes.io/desired-replicas": replicas.to_string()},
            "ownerReferences": owner(entry, "apps/v1", "Deployment"),
        },
        "spec": {"replicas": replicas, "selector": selector, "template": template},
        "status": {"replicas": 0},
    })
}

fn revision_of(set: &Value) -> usize {
    set["metadata"]["annotations"][REVISION].as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn count(object: &Value, field: &str) -> usize {
    object["status"][field].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

impl World {
    pub(super) fn reconcile_deployment(&mut self, entry: &Entry) {
        let deployment = entry.value();
        let desired = desired(&deployment, "replicas");
        let name = format!("{}-{}", entry.name, template_hash(&deployment["spec"]["template"]));
        let mut sets: Vec<(Arc<Entry>, Value)> =
            self.owned(&entry.uid, "replicasets.apps").into_iter().map(|set| (Arc::clone(&set), set.value())).collect();
        sets.sort_by_key(|(_, set)| std::cmp::Reverse(revision_of(set)));
        let newest = sets.first().map_or(0, |(_, set)| revision_of(set));
        let (current, old): (Vec<_>, Vec<_>) = sets.into_iter().partition(|(set, _)| set.name == name);
        let ready = match current.first() {
            None => {
                let set = replica_set(entry, &deployment, newest + 1);
                self.create("replicasets.apps", &entry.namespace, set);
                self.record_scaling(entry, &name, desired);
                0
            }
            Some((set, value)) => {
                self.scale(entry, set, value, desired);
                count(value, "readyReplicas")
            }
        };
        let mut replicas = current.first().map_or(0, |(_, set)| count(set, "replicas"));
        let updated = replicas;
        let mut available = ready;
        for (at, (set, value)) in old.iter().enumerate() {
            replicas += count(value, "replicas");
            available += count(value, "readyReplicas");
            if ready >= desired {
                self.scale(entry, set, value, 0);
            }
            if at >= MAX_OLD_SETS && count(value, "replicas") == 0 {
                self.delete("replicasets.apps", &set.key);
            }
        }
        self.report_deployment(entry, [desired, replicas, updated, available]);
    }

    fn scale(&mut self, deployment: &Entry, set: &Entry, value: &Value, replicas: usize) {
        if value["spec"]["replicas"].as_u64() != Some(replicas as u64) {
            self.change("replicasets.apps", &set.key, |object| {
                child_mut(object, "spec").insert("replicas".to_owned(), replicas.into());
            });
            self.record_scaling(deployment, &set.name, replicas);
        }
    }

    fn record_scaling(&mut self, deployment: &Entry, set: &str, replicas: usize) {
        let event = EventRecord {
            about: ("Deployment", "apps/v1"),
            reason: "ScalingReplicaSet",
            message: format!("Scaled replica set {set} to {replicas}"),
            component: "deployment-controller",
            warning: false,
        };
        self.record(deployment, &event);
    }

    fn report_deployment(&self, entry: &Entry, [desired, replicas, updated, available]: [usize; 4]) {
        let now = World::ago(0);
        self.change("deployments.apps", &entry.key, |object| {
            let generation = object["metadata"]["generation"].clone();
            let before = object["status"]["conditions"].clone();
            let condition = |kind: &str, holds: bool, reason: [&str; 2]| {
                let status = if holds { "True" } else { "False" };
                let old =
                    before.as_array().into_iter().flatten().find(|old| old["type"] == kind && old["status"] == status);
                old.cloned().unwrap_or_else(|| {
                    json!({
                        "type": kind, "status": status, "lastUpdateTime": now, "lastTransitionTime": now,
                        "reason": reason[usize::from(!holds)], "message": "",
                    })
                })
            };
            let conditions = [
                condition(
                    "Available",
                    available >= desired,
                    ["MinimumReplicasAvailable", "MinimumReplicasUnavailable"],
                ),
                condition("Progressing", true, ["NewReplicaSetAvailable", ""]),
            ];
            let status = child_mut(object, "status");
            *status = serde_json::Map::new();
            status.insert("observedGeneration".to_owned(), generation);
            status.insert("conditions".to_owned(), json!(conditions));
            let counts = [
                ("replicas", replicas),
                ("updatedReplicas", updated),
                ("readyReplicas", available),
                ("availableReplicas", available),
                ("unavailableReplicas", desired.saturating_sub(available)),
            ];
            // Zeros are omitted, as in Go.
            for (field, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                status.insert(field.to_owned(), count.into());
            }
        });
    }
}
