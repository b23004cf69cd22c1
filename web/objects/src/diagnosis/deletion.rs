//! Rules for objects that are deleted and still there: namespaces, and all other kinds with finalizers.

use serde_json::Value;

use super::Rule;
use crate::condition::{condition_is, explanation};
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{CLAIM, NAMESPACE, POD, VOLUME};
use crate::subject::Subject;
use crate::words::{duration, names, quoted};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "NamespaceStuckTerminating", severity: Severity::Error, kinds: &[NAMESPACE], check: namespace },
    Rule { code: "StuckTerminating", severity: Severity::Error, kinds: &[], check: finalizers },
];

/// Normal duration of a deletion in milliseconds; a longer one is reported.
const PATIENCE: f64 = 60_000.0;

fn overdue(subject: &Subject<'_>) -> Option<String> {
    let since = subject.since(subject.object.moment("metadata.deletionTimestamp"));
    since.filter(|since| *since > PATIENCE).map(duration)
}

fn namespace(subject: &Subject<'_>) -> Vec<Finding> {
    let namespace = subject.object;
    let Some(overdue) = overdue(subject) else { return Vec::new() };
    // The most exact one first: after a discovery failure the server does not know the remaining objects.
    let kinds = [
        ("NamespaceDeletionDiscoveryFailure", "the apiserver cannot find out which kinds there are"),
        ("NamespaceDeletionGroupVersionParsingFailure", "the apiserver cannot read the version of an API"),
        ("NamespaceDeletionContentFailure", "objects cannot be deleted"),
        ("NamespaceFinalizersRemaining", "objects with finalizers are left"),
        ("NamespaceContentRemaining", "objects are left"),
    ];
    let found = kinds.iter().find_map(|(kind, why)| Some((kind, why, condition_is(namespace, kind, "True")?)));
    let Some((kind, why, condition)) = found else {
        let finalizers = names(namespace.list("spec.finalizers").iter().filter_map(Value::as_str));
        return vec![
            Finding::new(
                format!("The namespace was deleted {overdue} ago and is still there; finalizer {finalizers} holds it."),
                "Check that kube-controller-manager runs, or the controller of the finalizer.",
            )
            .field(namespace, "metadata.deletionTimestamp")
            .field(namespace, "spec.finalizers"),
        ];
    };
    let next = match *kind {
        "NamespaceDeletionDiscoveryFailure" => {
            "Open the APIServices that are not available: their kinds cannot be listed."
        }
        "NamespaceFinalizersRemaining" => {
            "Find the objects with these finalizers, and check the controllers that remove them."
        }
        _ => "Read the message, and delete the objects that it names.",
    };
    let mut finding = Finding::new(
        format!(
            "The namespace was deleted {overdue} ago and is still there, because {why}: {}",
            quoted(explanation(condition))
        ),
        next,
    )
    .cause(*kind)
    .field(namespace, "metadata.deletionTimestamp")
    .condition(namespace, kind);
    for (other, _) in kinds.iter().filter(|(other, _)| other != kind) {
        if condition_is(namespace, other, "True").is_some() {
            finding = finding.condition(namespace, other);
        }
    }
    vec![finding]
}

/// Any other object. A pod has a grace period, and separate rules.
fn finalizers(subject: &Subject<'_>) -> Vec<Finding> {
    let object = subject.object;
    let finalizers: Vec<&str> = object.list("metadata.finalizers").iter().filter_map(Value::as_str).collect();
    let Some(overdue) =
        overdue(subject).filter(|_| !finalizers.is_empty() && !POD.is_of(object) && !NAMESPACE.is_of(object))
    else {
        return Vec::new();
    };
    let next = if CLAIM.is_of(object) && finalizers.contains(&"kubernetes.io/pvc-protection") {
        "Delete the pods that use the claim: it is protected while they exist."
    } else if VOLUME.is_of(object) && finalizers.contains(&"kubernetes.io/pv-protection") {
        "Delete the claim that is bound to the volume: it is protected until then."
    } else if finalizers.contains(&"foregroundDeletion") {
        "Open its dependents: it is deleted after all of them."
    } else {
        "Check the controller that set the finalizer: it removes it when its work is done."
    };
    vec![
        Finding::new(
            format!(
                "The object was deleted {overdue} ago and is still there; finalizer {} holds it.",
                names(finalizers.iter().copied())
            ),
            next,
        )
        .cause(finalizers.join(" "))
        .field(object, "metadata.deletionTimestamp")
        .field(object, "metadata.finalizers"),
    ]
}
