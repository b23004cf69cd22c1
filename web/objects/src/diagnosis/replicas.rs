//! Rules for all workloads: pods that are not available, and changes that are not observed.

use serde_json::Value;

use super::{Rule, diagnose};
use crate::condition::{condition_is, explanation};
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::link::Link;
use crate::subject::Subject;
use crate::words::quoted;
use crate::workload::{REPLICATED, available, desired, is_ready, pods};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "NoPodAvailable", severity: Severity::Error, kinds: REPLICATED, check: none_available },
    Rule { code: "PodsUnavailable", severity: Severity::Warning, kinds: REPLICATED, check: some_unavailable },
    Rule { code: "ChangeNotObserved", severity: Severity::Warning, kinds: REPLICATED, check: not_observed },
];

/// Normal time of a pod until it is ready, in milliseconds.
const PATIENCE: f64 = 60_000.0;

fn none_available(subject: &Subject<'_>) -> Vec<Finding> {
    let workload = subject.object;
    if desired(workload) > 0 && available(workload) == 0 { unavailable(subject) } else { Vec::new() }
}

fn some_unavailable(subject: &Subject<'_>) -> Vec<Finding> {
    let (desired, available) = (desired(subject.object), available(subject.object));
    if available > 0 && available < desired { unavailable(subject) } else { Vec::new() }
}

/// Number of unavailable pods, and the problem of the first of them.
fn unavailable(subject: &Subject<'_>) -> Vec<Finding> {
    let workload = subject.object;
    let (desired, available) = (desired(workload), available(workload));
    let Some(pods) = pods(subject) else { return unavailable_by_condition(subject) };
    let bad: Vec<&Value> =
        pods.into_iter().filter(|pod| !is_ready(pod) && pod.text("status.phase") != "Succeeded").collect();
    // Pods of one workload are alike; thousands of them are not all judged.
    let found: Vec<(&Value, Finding)> = bad
        .iter()
        .take(100)
        .filter_map(|pod| diagnose(&subject.about(pod)).into_iter().next().map(|finding| (*pod, finding)))
        .collect();
    let old = |pod: &&Value| subject.since(pod.moment("metadata.creationTimestamp")).is_some_and(|age| age > PATIENCE);
    if found.is_empty() && !bad.iter().any(old) {
        return unavailable_by_condition(subject);
    }
    let head = head(available, desired);
    let (sentence, next) = if let Some((pod, finding)) = found.first() {
        let alike = found.iter().filter(|(_, other)| other.code == finding.code).count();
        let who = if alike > 1 {
            format!("{alike} pods have the same problem, for example {}", pod.name())
        } else {
            format!("Pod {}", pod.name())
        };
        (format!("{head} {who}: {}", finding.sentence), finding.next.clone())
    } else {
        let names = crate::words::names(bad.iter().map(|pod| pod.name()));
        (format!("{head} Not ready: {names}."), "Open one of these pods.".to_owned())
    };
    let mut finding = Finding::new(sentence, next).condition(workload, "Available");
    for pod in bad.iter().take(10) {
        finding = finding.related(Link::of(pod)).condition_of(pod, "Ready");
    }
    if let Some((pod, of_pod)) = found.into_iter().next() {
        let of = Link::of(pod);
        finding.evidence.extend(of_pod.evidence.into_iter().map(|evidence| evidence.of_other(Some(&of))));
    }
    vec![finding]
}

fn head(available: i64, desired: i64) -> String {
    match (available, desired) {
        (0, 1) => "The only pod is not available.".to_owned(),
        (0, _) => format!("None of {desired} pods is available."),
        _ => format!("{available} of {desired} pods are available."),
    }
}

/// Pods are unknown or without a problem: reports the controller's condition once it has lasted for a while.
fn unavailable_by_condition(subject: &Subject<'_>) -> Vec<Finding> {
    let workload = subject.object;
    let Some(condition) = condition_is(workload, "Available", "False") else { return Vec::new() };
    if subject.since(condition.moment("lastTransitionTime")).is_none_or(|since| since < PATIENCE) {
        return Vec::new();
    }
    let head = head(available(workload), desired(workload));
    vec![
        Finding::new(format!("{head} {}", quoted(explanation(condition))), "Open its pods.")
            .condition(workload, "Available"),
    ]
}

/// The controller has not processed the last change of the spec in time. Only the caller knows the time of the change: the
/// object has it only in its managed fields, which a cache drops.
fn not_observed(subject: &Subject<'_>) -> Vec<Finding> {
    let workload = subject.object;
    let (Some(generation), observed) =
        (workload.number("metadata.generation"), workload.count("status.observedGeneration"))
    else {
        return Vec::new();
    };
    let quiet = subject.since(subject.generation_seen).is_some_and(|since| since > 30_000.0);
    if observed >= generation || !quiet {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("The controller has not processed the last change of the spec (generation {generation}, observed {observed})."),
            "Check that kube-controller-manager runs.",
        )
        .field(workload, "metadata.generation")
        .field(workload, "status.observedGeneration"),
    ]
}
