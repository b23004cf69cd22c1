//! Rules for deployments: stuck and paused rollouts.

use super::Rule;
use crate::condition::{condition_is, explanation};
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::DEPLOYMENT;
use crate::link::Link;
use crate::subject::Subject;
use crate::words::quoted;
use crate::workload::{need_for_replica_sets, new_replica_set};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "RolloutStuck", severity: Severity::Error, kinds: &[DEPLOYMENT], check: stuck },
    Rule { code: "RolloutPaused", severity: Severity::Info, kinds: &[DEPLOYMENT], check: paused },
];

fn stuck(subject: &Subject<'_>) -> Vec<Finding> {
    let deployment = subject.object;
    let condition = condition_is(deployment, "Progressing", "False");
    let Some(condition) = condition.filter(|condition| condition.text("reason") == "ProgressDeadlineExceeded") else {
        return Vec::new();
    };
    let (wanted, updated) = (crate::workload::desired(deployment), deployment.count("status.updatedReplicas"));
    let deadline = deployment.number("spec.progressDeadlineSeconds").unwrap_or(600);
    let set = new_replica_set(deployment, subject.found(&need_for_replica_sets(deployment)));
    let ready = set.map(|set| format!(", {} of them ready", set.count("status.readyReplicas"))).unwrap_or_default();
    let mut finding = Finding::new(
        format!("The rollout made no progress for {deadline} s: {updated} of {wanted} pods are of the new version{ready}. {}", quoted(explanation(condition))),
        "Open a pod of the new ReplicaSet, or roll back to the previous revision.",
    )
    .condition(deployment, "Progressing")
    .field(deployment, "status.updatedReplicas");
    if let Some(set) = set {
        finding = finding.related(Link::of(set));
        // A ReplicaSet without ready pods has no such field.
        if !set.at("status.readyReplicas").is_null() {
            finding = finding.field_of(set, "status.readyReplicas");
        }
    }
    vec![finding]
}

fn paused(subject: &Subject<'_>) -> Vec<Finding> {
    let deployment = subject.object;
    if !deployment.is("spec.paused") {
        return Vec::new();
    }
    vec![
        Finding::new(
            "The rollout is paused: changes of the template have no effect until it is resumed.",
            "Resume it when the change is complete.",
        )
        .field(deployment, "spec.paused")
        .condition(deployment, "Progressing"),
    ]
}
