//! Rules for nodes: readiness, pressure, network, cordon.

use super::Rule;
use crate::condition::{condition, condition_is, explanation};
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::NODE;
use crate::subject::Subject;
use crate::words::{duration, quoted};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "NodeLost", severity: Severity::Error, kinds: &[NODE], check: lost },
    Rule { code: "NodeNotReady", severity: Severity::Error, kinds: &[NODE], check: not_ready },
    Rule { code: "NodeNetworkUnavailable", severity: Severity::Error, kinds: &[NODE], check: network },
    Rule { code: "NodePressure", severity: Severity::Warning, kinds: &[NODE], check: pressure },
    Rule { code: "NodeCordoned", severity: Severity::Info, kinds: &[NODE], check: cordoned },
];

fn lost(subject: &Subject<'_>) -> Vec<Finding> {
    let node = subject.object;
    let Some(ready) = condition_is(node, "Ready", "Unknown") else { return Vec::new() };
    let heard = subject.since(ready.moment("lastHeartbeatTime"));
    let since = heard.map_or_else(String::new, |since| format!(" for {}", duration(since)));
    vec![
        Finding::new(
            format!("The kubelet has not reported{since}: {}", quoted(explanation(ready))),
            "Check that the machine runs, that its kubelet runs, and that it reaches the apiserver.",
        )
        .condition(node, "Ready"),
    ]
}

fn not_ready(subject: &Subject<'_>) -> Vec<Finding> {
    let node = subject.object;
    let Some(ready) = condition_is(node, "Ready", "False") else { return Vec::new() };
    vec![
        Finding::new(
            format!("The node is not ready: {}", quoted(explanation(ready))),
            "Read the kubelet's message, and its log on the node.",
        )
        .cause(ready.text("reason"))
        .condition(node, "Ready"),
    ]
}

fn network(subject: &Subject<'_>) -> Vec<Finding> {
    let node = subject.object;
    let Some(condition) = condition_is(node, "NetworkUnavailable", "True") else { return Vec::new() };
    vec![
        Finding::new(
            format!("The network of the node is not set up: {}", quoted(explanation(condition))),
            "Check the network plugin's pod on this node.",
        )
        .condition(node, "NetworkUnavailable"),
    ]
}

fn pressure(subject: &Subject<'_>) -> Vec<Finding> {
    let node = subject.object;
    let kinds = [
        ("MemoryPressure", "memory", "Find the pods that use the most memory; the kubelet evicts pods."),
        ("DiskPressure", "disk space", "Free disk space: images, logs, emptyDir volumes; the kubelet evicts pods."),
        ("PIDPressure", "process ids", "Find the pods that start the most processes; the kubelet evicts pods."),
    ];
    let found = kinds.into_iter().filter_map(|(kind, what, next)| {
        let condition = condition_is(node, kind, "True")?;
        Some(
            Finding::new(format!("The node runs short of {what}: {}", quoted(explanation(condition))), next)
                .cause(kind)
                .condition(node, kind),
        )
    });
    found.collect()
}

fn cordoned(subject: &Subject<'_>) -> Vec<Finding> {
    let node = subject.object;
    if !node.is("spec.unschedulable") {
        return Vec::new();
    }
    let finding =
        Finding::new("The node is cordoned: it takes no new pods.", "Uncordon it when its maintenance is done.");
    let finding = finding.field(node, "spec.unschedulable");
    vec![if condition(node, "Ready").is_some() { finding.condition(node, "Ready") } else { finding }]
}
