//! Workloads: kinds that make pods from a template, and their pods.

use serde_json::Value;

use crate::condition::condition_is;
use crate::field::Fields;
use crate::kinds::{DAEMON_SET, DEPLOYMENT, JOB, Kind, POD, REPLICA_SET, STATEFUL_SET};
use crate::need::{By, Need};
use crate::selector::selector;
use crate::subject::Subject;

/// The kinds that keep a number of pods running.
pub(crate) const REPLICATED: &[Kind] = &[DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET];

/// Desired number of pods.
pub(crate) fn desired(workload: &Value) -> i64 {
    if DAEMON_SET.is_of(workload) {
        workload.count("status.desiredNumberScheduled")
    } else {
        workload.number("spec.replicas").unwrap_or(1)
    }
}

/// Number of available pods.
pub(crate) fn available(workload: &Value) -> i64 {
    workload.count(if DAEMON_SET.is_of(workload) { "status.numberAvailable" } else { "status.availableReplicas" })
}

/// Need of the pods that its selector selects: its own, and others with the same labels. For a job, the pods that it owns.
pub(crate) fn need_for_pods(workload: &Value) -> Option<Need> {
    let by = if JOB.is_of(workload) {
        By::Owner(workload.uid().to_owned())
    } else {
        By::Labels(selector(workload.at("spec.selector"))?)
    };
    Some(Need::new(POD, workload.namespace(), by))
}

/// The replica sets of a deployment.
pub(crate) fn need_for_replica_sets(deployment: &Value) -> Need {
    Need::new(REPLICA_SET, deployment.namespace(), By::Owner(deployment.uid().to_owned()))
}

/// Its own pods; `None` while they are unknown.
pub(crate) fn pods<'a>(subject: &Subject<'a>) -> Option<Vec<&'a Value>> {
    let workload = subject.object;
    let selected = subject.answer(&need_for_pods(workload)?)?;
    if !DEPLOYMENT.is_of(workload) {
        return Some(selected.iter().filter(|pod| pod.is_owned_by(workload.uid())).collect());
    }
    let sets = subject.answer(&need_for_replica_sets(workload))?;
    Some(selected.iter().filter(|pod| sets.iter().any(|set| pod.is_owned_by(set.uid()))).collect())
}

/// The revision of a deployment or of one of its replica sets.
pub(crate) fn revision(object: &Value) -> &str {
    object.annotation("deployment.kubernetes.io/revision")
}

/// The replica set of a deployment's current template: the one with its revision.
pub(crate) fn new_replica_set<'a>(deployment: &Value, sets: &'a [Value]) -> Option<&'a Value> {
    let current = revision(deployment);
    sets.iter().find(|set| !current.is_empty() && revision(set) == current)
}

/// Whether a pod is ready.
pub(crate) fn is_ready(pod: &Value) -> bool {
    condition_is(pod, "Ready", "True").is_some()
}

/// Whether a pod has ended, well or not.
pub(crate) fn has_ended(pod: &Value) -> bool {
    matches!(pod.text("status.phase"), "Succeeded" | "Failed")
}
