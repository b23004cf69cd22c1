//! Controllers: create the pods of replica sets, stateful sets, daemon sets and jobs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::world::{ObjectId, World};
use crate::defaults;
use crate::kinds::POD_PHASE;
use crate::object::{Entry, child_mut};

/// Maximum number of pods of a workload, regardless of its spec.
const MAX_PODS: u64 = 1000;

/// Creates an owner reference.
pub(super) fn owner(entry: &Entry, api_version: &str, kind: &str) -> Value {
    json!([{
        "apiVersion": api_version, "kind": kind, "name": entry.name, "uid": entry.uid,
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// Creates a pod from a workload's template.
pub(super) fn pod_from_template(workload: &Value, owner: &Value, generate: &str) -> Value {
    let template = &workload["spec"]["template"];
    let object_or_empty = |value: &Value| if value.is_object() { value.clone() } else { Value::Object(Map::default()) };
    let metadata = json!({
        "generateName": generate,
        "labels": object_or_empty(&template["metadata"]["labels"]),
        "annotations": object_or_empty(&template["metadata"]["annotations"]),
        "ownerReferences": owner,
    });
    let mut pod = json!({"status": {"phase": "Pending", "qosClass": "Burstable"}});
    // Moved in, because `json!` copies its arguments.
    pod["metadata"] = metadata;
    pod["spec"] = object_or_empty(&template["spec"]);
    defaults::pod(&mut pod);
    pod
}

fn phase(pod: &Entry) -> &str {
    pod.fields.get(POD_PHASE).map_or("", String::as_str)
}

/// Returns the desired number in a field of a spec.
pub(super) fn desired(object: &Value, field: &str) -> usize {
    let desired = object["spec"][field].as_u64().unwrap_or(1).min(MAX_PODS);
    usize::try_from(desired).unwrap_or(0)
}

impl World {
    /// Reconciles one workload.
    pub(super) fn reconcile(&mut self, id: &ObjectId) {
        let Some(entry) = self.store.find(&id.0, &id.1).filter(|entry| !entry.deleting) else { return };
        match id.0.as_str() {
            "deployments.apps" => self.reconcile_deployment(&entry),
            "replicasets.apps" => self.reconcile_replica_set(&entry),
            "statefulsets.apps" => self.reconcile_stateful_set(&entry),
            "daemonsets.apps" => self.reconcile_daemon_set(&entry),
            "jobs.batch" => self.reconcile_job(&entry),
            _ => {}
        }
    }

    /// Returns a workload's live pods, and the number of ready ones.
    fn alive(&self, workload: &Entry) -> (Vec<Arc<Entry>>, usize) {
        let mut pods = self.owned(&workload.uid, "pods");
        pods.retain(|pod| !pod.deleting && !matches!(phase(pod), "Failed" | "Succeeded"));
        let ready = pods.iter().filter(|pod| pod.ready).count();
        (pods, ready)
    }

    fn report(&self, id: (&str, &Entry), status: &Value) {
        self.change(id.0, &id.1.key, |object| {
            let generation = object["metadata"]["generation"].clone();
            let target = child_mut(object, "status");
            for (field, value) in status.as_object().into_iter().flatten() {
                target.insert(field.clone(), value.clone());
            }
            // The status of a job has none.
            if id.0 != "jobs.batch" {
                target.insert("observedGeneration".to_owned(), generation);
            }
        });
    }

    fn reconcile_replica_set(&mut self, entry: &Entry) {
        let object = entry.value();
        let desired = desired(&object, "replicas");
        let (mut pods, ready) = self.alive(entry);
        for pod in pods.drain(desired.min(pods.len())..) {
            self.delete("pods", &pod.key);
        }
        for _ in pods.len()..desired {
            let owner = owner(entry, "apps/v1", "ReplicaSet");
            let pod = pod_from_template(&object, &owner, &format!("{}-", entry.name));
            pods.extend(self.create("pods", &entry.namespace, pod));
        }
        let (count, ready) = (pods.len(), ready.min(desired));
        let status = json!({"replicas": count, "fullyLabeledReplicas": count, "readyReplicas": ready, "availableReplicas": ready});
        self.report(("replicasets.apps", entry), &status);
    }

    fn reconcile_stateful_set(&mut self, entry: &Entry) {
        let object = entry.value();
        let desired = desired(&object, "replicas");
        let (pods, ready) = self.alive(entry);
        let ordinal = |pod: &Entry| pod.name.rsplit('-').next().and_then(|text| text.parse::<usize>().ok());
        for pod in pods.iter().filter(|pod| ordinal(pod).is_none_or(|ordinal| ordinal >= desired)) {
            self.delete("pods", &pod.key);
        }
        for number in 0..desired {
            if pods.iter().any(|pod| ordinal(pod) == Some(number)) {
                continue;
            }
            let mut pod = pod_from_template(&object, &owner(entry, "apps/v1", "StatefulSet"), "");
            pod["metadata"]["name"] = format!("{}-{number}", entry.name).into();
            pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"] = number.to_string().into();
            // Rejected while its predecessor is terminating; the predecessor's end triggers another reconciliation.
            self.create("pods", &entry.namespace, pod);
        }
        let revision = self.record_revision(entry, "StatefulSet");
        let status = json!({
            "replicas": pods.len(), "readyReplicas": ready, "currentReplicas": pods.len(), "updatedReplicas": pods.len(),
            "availableReplicas": ready, "collisionCount": 0, "currentRevision": revision, "updateRevision": revision,
        });
        self.report(("statefulsets.apps", entry), &status);
    }

    fn reconcile_daemon_set(&mut self, entry: &Entry) {
        let object = entry.value();
        let Ok((nodes, _)) = self.store.snapshot("nodes", None) else { return };
        let (pods, ready) = self.alive(entry);
        let taken: Vec<String> =
            pods.iter().map(|pod| pod.value()["spec"]["nodeName"].as_str().unwrap_or_default().to_owned()).collect();
        for node in nodes.values().filter(|node| !taken.contains(&node.name)) {
            let owner = owner(entry, "apps/v1", "DaemonSet");
            let mut pod = pod_from_template(&object, &owner, &format!("{}-", entry.name));
            pod["spec"]["nodeName"] = node.name.clone().into();
            self.create("pods", &entry.namespace, pod);
        }
        self.record_revision(entry, "DaemonSet");
        let status = json!({
            "currentNumberScheduled": pods.len(), "desiredNumberScheduled": nodes.len(), "numberReady": ready,
            "numberAvailable": ready, "numberMisscheduled": 0, "updatedNumberScheduled": pods.len(),
        });
        self.report(("daemonsets.apps", entry), &status);
    }

    fn reconcile_job(&mut self, entry: &Entry) {
        let object = entry.value();
        let completions = desired(&object, "completions");
        let (pods, ready) = self.alive(entry);
        let all = self.owned(&entry.uid, "pods");
        let succeeded = all.iter().filter(|pod| phase(pod) == "Succeeded").count();
        let failed = all.iter().filter(|pod| phase(pod) == "Failed").count();
        let complete = succeeded >= completions;
        let mut active = pods.len();
        while !complete && active < desired(&object, "parallelism").min(completions - succeeded) {
            let mut pod = pod_from_template(&object, &owner(entry, "batch/v1", "Job"), &format!("{}-", entry.name));
            pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] = entry.name.clone().into();
            if self.create("pods", &entry.namespace, pod).is_none() {
                break;
            }
            active += 1;
        }
        let mut status =
            json!({"active": active, "succeeded": succeeded, "failed": failed, "ready": ready, "terminating": 0});
        if !object["status"]["startTime"].is_string() {
            status["startTime"] = World::ago(0).into();
        }
        if complete && !object["status"]["completionTime"].is_string() {
            let now = World::ago(0);
            status["completionTime"] = json!(now);
            status["conditions"] = json!([{
                "type": "Complete", "status": "True", "lastProbeTime": now, "lastTransitionTime": now,
                "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods",
            }]);
        }
        self.report(("jobs.batch", entry), &status);
    }
}
