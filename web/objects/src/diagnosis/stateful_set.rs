//! Rules for stateful sets and daemon sets.

use serde_json::Value;

use super::Rule;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{DAEMON_SET, SERVICE, STATEFUL_SET};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;
use crate::workload::{desired, is_ready, pods};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "StatefulSetWaitsForPod", severity: Severity::Warning, kinds: &[STATEFUL_SET], check: ordered },
    Rule { code: "StatefulSetUpdateBlocked", severity: Severity::Warning, kinds: &[STATEFUL_SET], check: update },
    Rule { code: "StatefulSetServiceMissing", severity: Severity::Warning, kinds: &[STATEFUL_SET], check: service },
    Rule { code: "DaemonSetMisscheduled", severity: Severity::Info, kinds: &[DAEMON_SET], check: misscheduled },
];

/// The number at the end of a pod's name.
fn ordinal(pod: &Value) -> Option<i64> {
    pod.name().rsplit_once('-')?.1.parse().ok()
}

/// The pod with the lowest number that is not ready.
fn first_unready<'a>(subject: &Subject<'a>) -> Option<&'a Value> {
    pods(subject)?.into_iter().filter(|pod| !is_ready(pod)).min_by_key(|pod| ordinal(pod))
}

/// Pods are created one after the other, and one is not ready.
fn ordered(subject: &Subject<'_>) -> Vec<Finding> {
    let set = subject.object;
    let missing = desired(set) - set.count("status.replicas");
    if missing <= 0 || set.text("spec.podManagementPolicy") == "Parallel" {
        return Vec::new();
    }
    let Some(pod) = first_unready(subject) else { return Vec::new() };
    let more = if missing == 1 { "1 more pod is".to_owned() } else { format!("{missing} more pods are") };
    vec![
        Finding::new(
            format!("{more} created only when pod {} is ready (podManagementPolicy OrderedReady).", pod.name()),
            format!("Open pod {}.", pod.name()),
        )
        .field(set, "spec.podManagementPolicy")
        .field(set, "status.replicas")
        .condition_of(pod, "Ready")
        .related(Link::of(pod)),
    ]
}

/// An update stops at a pod that is not ready, and does not replace it, even if it is of the old revision.
fn update(subject: &Subject<'_>) -> Vec<Finding> {
    let set = subject.object;
    let (old, new) = (set.text("status.currentRevision"), set.text("status.updateRevision"));
    let rolling =
        set.text("spec.updateStrategy.type") != "OnDelete" && set.text("spec.podManagementPolicy") != "Parallel";
    if old == new || new.is_empty() || !rolling {
        return Vec::new();
    }
    let of_old = |pod: &&Value| {
        pod.label("controller-revision-hash") == old
            && ordinal(pod) >= Some(set.count("spec.updateStrategy.rollingUpdate.partition"))
    };
    let Some(pod) = first_unready(subject).filter(of_old) else { return Vec::new() };
    vec![
        Finding::new(
            format!("The update to revision {new} does not go on, probably because pod {} is not ready and still of revision {old}: with OrderedReady the controller updates no pod while one is not ready.", pod.name()),
            format!("Repair or delete pod {}: its replacement is of the new revision.", pod.name()),
        )
        .field(set, "status.currentRevision")
        .field(set, "status.updateRevision")
        .condition_of(pod, "Ready")
        .related(Link::of(pod)),
    ]
}

fn service(subject: &Subject<'_>) -> Vec<Finding> {
    let set = subject.object;
    let name = set.text("spec.serviceName");
    if name.is_empty() || !subject.is_absent(&Need::named(SERVICE, set.namespace(), name)) {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("Service {name}, which gives the pods their host names, does not exist."),
            format!("Create a headless service {name}."),
        )
        .field(set, "spec.serviceName")
        .absent(format!("Service {name} in namespace {}", set.namespace()))
        .related(Link::to(SERVICE, set.namespace(), name)),
    ]
}

fn misscheduled(subject: &Subject<'_>) -> Vec<Finding> {
    let set = subject.object;
    let count = set.count("status.numberMisscheduled");
    if count <= 0 {
        return Vec::new();
    }
    let run = if count == 1 { "1 node runs".to_owned() } else { format!("{count} nodes run") };
    vec![
        Finding::new(
            format!("{run} a pod of the daemon set and should not."),
            "Compare the labels and taints of the nodes with the pod template.",
        )
        .field(set, "status.numberMisscheduled"),
    ]
}
