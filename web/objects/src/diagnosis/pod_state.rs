//! Rules for the pod as a whole: eviction, deletion, sandbox, volumes, a node that is lost.

use super::Rule;
use crate::condition::{condition, condition_is, explanation};
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{NODE, POD};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;
use crate::words::{duration, names, quoted};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "PodEvicted", severity: Severity::Error, kinds: &[POD], check: evicted },
    Rule { code: "PodRejected", severity: Severity::Error, kinds: &[POD], check: rejected },
    Rule { code: "PodNodeGone", severity: Severity::Error, kinds: &[POD], check: node_gone },
    Rule { code: "PodNodeNotReady", severity: Severity::Error, kinds: &[POD], check: node_not_ready },
    Rule { code: "PodStuckTerminating", severity: Severity::Error, kinds: &[POD], check: stuck_terminating },
    Rule { code: "PodMountFails", severity: Severity::Error, kinds: &[POD], check: mount },
    Rule { code: "PodSandboxFails", severity: Severity::Error, kinds: &[POD], check: sandbox },
    Rule { code: "PodDisrupted", severity: Severity::Warning, kinds: &[POD], check: disrupted },
    Rule { code: "PodReadinessGate", severity: Severity::Warning, kinds: &[POD], check: readiness_gate },
];

/// Reasons of `status.reason` that have a sentence of their own.
const EVICTED: &str = "Evicted";

fn evicted(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    if pod.text("status.phase") != "Failed" || pod.text("status.reason") != EVICTED {
        return Vec::new();
    }
    let node = pod.text("spec.nodeName");
    vec![
        Finding::new(
            format!("The kubelet of node {node} evicted the pod: {}", quoted(pod.text("status.message"))),
            "Set requests that match the pod's usage, or free the resource on the node. This pod can be deleted.",
        )
        .field(pod, "status.reason")
        .field(pod, "status.message")
        .event(event::last(subject, pod, &["Evicted"], |_| true))
        .related(Link::to(NODE, "", node)),
    ]
}

/// The kubelet did not accept the pod, or ended it: `NodeAffinity`, `OutOfcpu`, `UnexpectedAdmissionError`, `Terminated`.
fn rejected(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let reason = pod.text("status.reason");
    if pod.text("status.phase") != "Failed" || reason.is_empty() || reason == EVICTED {
        return Vec::new();
    }
    let (node, message) = (pod.text("spec.nodeName"), pod.text("status.message"));
    let what =
        if reason == "DeadlineExceeded" { "exceeded its deadline" } else { "was rejected or ended by the kubelet" };
    let said = if message.is_empty() { String::new() } else { format!(": {}", quoted(message)) };
    let sentence = format!("The pod {what} ({reason}){said}");
    vec![
        Finding::new(
            if sentence.ends_with(['.', '!', '?', '…']) { sentence } else { format!("{sentence}.") },
            "Delete the pod once its reason is understood; its controller has probably replaced it, as controllers do with failed pods.",
        )
        .cause(reason)
        .field(pod, "status.reason")
        .field(pod, "status.message")
        .related(Link::to(NODE, "", node)),
    ]
}

fn node_gone(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let node = pod.text("spec.nodeName");
    let ended = matches!(pod.text("status.phase"), "Succeeded" | "Failed");
    if node.is_empty() || ended || !subject.is_absent(&Need::named(NODE, "", node)) {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("The pod is assigned to node {node}, which does not exist any more."),
            "The pod garbage collector removes it; if it stays, delete the pod with --grace-period=0 --force.",
        )
        .field(pod, "spec.nodeName")
        .absent(format!("Node {node}"))
        .condition(pod, "Ready"),
    ]
}

fn node_not_ready(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let name = pod.text("spec.nodeName");
    if name.is_empty() || matches!(pod.text("status.phase"), "Succeeded" | "Failed") {
        return Vec::new();
    }
    let lost = pod.text("status.reason") == "NodeLost";
    let node = subject.one(&Need::named(NODE, "", name));
    let not_ready = node.and_then(|node| condition(node, "Ready").filter(|ready| ready.text("status") != "True"));
    let sentence = match not_ready {
        Some(ready) if ready.text("status") == "Unknown" => {
            format!(
                "Node {name} does not report any more, so the state of this pod is not current: {}",
                quoted(explanation(ready))
            )
        }
        Some(ready) => format!("Node {name} is not ready, so this pod may not run: {}", quoted(explanation(ready))),
        None if lost => format!("Node {name}, which runs this pod, is lost: {}", quoted(pod.text("status.message"))),
        None => return Vec::new(),
    };
    let mut finding =
        Finding::new(sentence, format!("Open node {name}: its diagnosis says more.")).related(Link::to(NODE, "", name));
    if let Some(node) = node {
        finding = finding.condition_of(node, "Ready");
    }
    if lost {
        finding = finding.field(pod, "status.reason").field(pod, "status.message");
    }
    vec![finding.condition(pod, "Ready")]
}

fn stuck_terminating(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    // The server writes the moment at which the grace period ends.
    let Some(overdue) = subject.since(pod.moment("metadata.deletionTimestamp")).filter(|overdue| *overdue > 30_000.0)
    else {
        return Vec::new();
    };
    let finalizers: Vec<&str> = pod.list("metadata.finalizers").iter().filter_map(serde_json::Value::as_str).collect();
    let grace = pod.count("metadata.deletionGracePeriodSeconds");
    let runs = super::container::containers(pod).filter(|container| container.status.has("state.running"));
    let running: Vec<&str> = runs.map(|container| container.name()).collect();
    let overdue = duration(overdue);
    let (sentence, next) = if !running.is_empty() {
        (
            format!(
                "The pod should have ended {overdue} ago (grace period {grace} s), and its status still reports {} as running.",
                names(running.iter().copied())
            ),
            "Check the node's kubelet: it ends the containers. Force deletion only if the node is really gone.",
        )
    } else if !finalizers.is_empty() {
        (
            format!(
                "The pod should have been deleted {overdue} ago; finalizer {} holds it.",
                names(finalizers.iter().copied())
            ),
            "Check the controller that set the finalizer: it removes it when its work is done.",
        )
    } else {
        (
            format!(
                "The pod should have been deleted {overdue} ago (grace period {grace} s), and its kubelet has not confirmed it."
            ),
            "Check the node's kubelet. Force deletion only if the node is really gone.",
        )
    };
    let mut finding = Finding::new(sentence, next)
        .cause(finalizers.join(" "))
        .field(pod, "metadata.deletionTimestamp")
        .field(pod, "metadata.deletionGracePeriodSeconds")
        .event(event::last(subject, pod, &["FailedKillPod", "FailedPreStopHook"], |_| true));
    if !finalizers.is_empty() {
        finding = finding.field(pod, "metadata.finalizers");
    }
    vec![finding.related(Link::to(NODE, "", pod.text("spec.nodeName")))]
}

/// Whether the pod has a node, and its volumes and its sandbox are not ready yet.
fn is_being_set_up(pod: &serde_json::Value) -> bool {
    pod.text("status.phase") == "Pending"
        && condition_is(pod, "PodReadyToStartContainers", "True").is_none()
        && !pod.text("spec.nodeName").is_empty()
        && !pod.has("metadata.deletionTimestamp")
}

/// Whether an event is of the last ten minutes: the kubelet tries again every two minutes, and reports each failure.
fn is_recent(subject: &Subject<'_>, event: &serde_json::Value) -> bool {
    subject.since(event::last_seen(event)).is_some_and(|ago| ago < 600_000.0)
}

fn mount(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let reasons = ["FailedMount", "FailedAttachVolume", "FailedMapVolume"];
    let event = event::last(subject, pod, &reasons, |_| true);
    let Some(event) = event.filter(|event| is_being_set_up(pod) && is_recent(subject, event)) else {
        return Vec::new();
    };
    let message = event::message(event);
    let absent = ["configmap \"", "secret \""].iter().find_map(|start| {
        let (name, rest) = message.split_once(start)?.1.split_once('"')?;
        rest.starts_with(" not found")
            .then_some((if start.starts_with('c') { crate::kinds::CONFIG_MAP } else { crate::kinds::SECRET }, name))
    });
    let finding = match absent {
        Some((kind, name)) => Finding::new(
            format!(
                "The pod's containers are not started, because {} {name}, which a volume uses, does not exist.",
                kind.kind
            ),
            format!("Create {} {name}, correct its name, or mark the volume as optional.", kind.kind),
        )
        .related(Link::to(kind, pod.namespace(), name)),
        None => Finding::new(
            format!(
                "The pod's containers are not started, because a volume cannot be {}: {}",
                if event.text("reason") == "FailedMount" { "mounted" } else { "attached" },
                quoted(message)
            ),
            "Read the message; check the claim, its volume and the storage driver on the node.",
        ),
    };
    vec![finding.event(Some(event)).condition(pod, "PodReadyToStartContainers")]
}

fn sandbox(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let Some(event) = event::last(subject, pod, &["FailedCreatePodSandBox", "NetworkNotReady"], |_| true) else {
        return Vec::new();
    };
    // A later attempt may have succeeded.
    if !is_being_set_up(pod) || !is_recent(subject, event) {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!(
                "The pod's containers are not started, because its network or sandbox cannot be set up: {}",
                quoted(event::message(event))
            ),
            "Check the network plugin (CNI) and the container runtime on the node.",
        )
        .event(Some(event))
        .condition(pod, "PodReadyToStartContainers")
        .related(Link::to(NODE, "", pod.text("spec.nodeName"))),
    ]
}

fn disrupted(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let Some(target) = condition_is(pod, "DisruptionTarget", "True").filter(|_| pod.text("status.reason") != EVICTED)
    else {
        return Vec::new();
    };
    let by = match target.text("reason") {
        "PreemptionByScheduler" => "the scheduler preempts it for a pod of higher priority",
        "DeletionByTaintManager" => "its node has a taint that it does not tolerate",
        "EvictionByEvictionAPI" => "it was evicted, for example by a drain",
        "DeletionByPodGC" => "the pod garbage collector removes it",
        "TerminationByKubelet" => "the kubelet ends it",
        _ => "it is a target of disruption",
    };
    vec![
        Finding::new(
            format!("The pod is being ended, because {by}: {}", quoted(explanation(target))),
            "Check that its controller has replaced it.",
        )
        .condition(pod, "DisruptionTarget"),
    ]
}

fn readiness_gate(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    if condition_is(pod, "ContainersReady", "True").is_none()
        || condition_is(pod, "Ready", "True").is_some()
        || pod.has("metadata.deletionTimestamp")
    {
        return Vec::new();
    }
    let gates = pod.list("spec.readinessGates").iter().map(|gate| gate.text("conditionType"));
    let closed: Vec<&str> = gates.filter(|gate| condition_is(pod, gate, "True").is_none()).collect();
    if closed.is_empty() {
        return Vec::new();
    }
    let mut finding = Finding::new(
        format!(
            "All containers are ready, and the pod waits for its readiness gate {}.",
            names(closed.iter().copied())
        ),
        "Check the controller that sets this condition.",
    )
    .condition(pod, "Ready");
    for gate in closed {
        finding = finding.condition(pod, gate);
    }
    vec![finding]
}
