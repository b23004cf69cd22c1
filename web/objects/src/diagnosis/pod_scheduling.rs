//! Rules for pods that no node runs yet: predicates, claims, gates, quota of the queue.

use serde_json::Value;

use super::Rule;
use crate::condition::{condition, condition_is, explanation};
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{CLAIM, POD};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;
use crate::words::{duration, names, quoted};

pub(super) const RULES: &[Rule] = &[
    Rule { code: "PodClaimMissing", severity: Severity::Error, kinds: &[POD], check: claim_missing },
    Rule { code: "PodClaimUnbound", severity: Severity::Error, kinds: &[POD], check: claim_unbound },
    Rule { code: "PodUnschedulable", severity: Severity::Error, kinds: &[POD], check: unschedulable },
    Rule { code: "PodSchedulingGated", severity: Severity::Info, kinds: &[POD], check: gated },
    Rule { code: "PodNotScheduled", severity: Severity::Warning, kinds: &[POD], check: not_scheduled },
];

/// The scheduler's text before the predicates: `0/3 nodes are available: `.
const AVAILABLE: &str = " nodes are available: ";

/// Whether the pod waits for a node.
fn waits(pod: &Value) -> bool {
    pod.text("status.phase") == "Pending"
        && pod.text("spec.nodeName").is_empty()
        && !pod.has("metadata.deletionTimestamp")
}

/// Last message of the scheduler: the condition or, without one, the event.
fn refusal<'a>(subject: &Subject<'a>) -> Option<&'a str> {
    let pod = subject.object;
    let condition = condition_is(pod, "PodScheduled", "False");
    let condition = condition.filter(|condition| condition.text("reason") == "Unschedulable").map(explanation);
    condition.or_else(|| event::last(subject, pod, &["FailedScheduling"], |_| true).map(event::message))
}

/// Names of the claims of a pod, with those that are made for it.
pub(crate) fn claims(pod: &Value) -> Vec<String> {
    let volumes = pod.list("spec.volumes").iter();
    let names = volumes.filter_map(|volume| {
        let named = volume.text("persistentVolumeClaim.claimName");
        let own = volume.at("ephemeral").is_object().then(|| format!("{}-{}", pod.name(), volume.text("name")));
        own.or_else(|| (!named.is_empty()).then(|| named.to_owned()))
    });
    names.collect()
}

fn claim_missing(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    if !waits(pod) {
        return Vec::new();
    }
    let missing = |name: &String| subject.is_absent(&Need::named(CLAIM, pod.namespace(), name));
    let findings = claims(pod).into_iter().filter(missing).map(|name| {
        Finding::new(
            format!("The pod waits for PersistentVolumeClaim {name}, which does not exist."),
            format!(
                "Create PersistentVolumeClaim {name} in namespace {}, or correct the name in the pod's volumes.",
                pod.namespace()
            ),
        )
        .absent(format!("PersistentVolumeClaim {name} in namespace {}", pod.namespace()))
        .condition(pod, "PodScheduled")
        .related(Link::to(CLAIM, pod.namespace(), &name))
    });
    findings.collect()
}

fn claim_unbound(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let said_unbound = refusal(subject).is_some_and(|said| said.contains("unbound immediate PersistentVolumeClaims"));
    if !waits(pod) || !said_unbound {
        return Vec::new();
    }
    let claims = claims(pod);
    let found = claims.iter().flat_map(|name| subject.found(&Need::named(CLAIM, pod.namespace(), name)));
    let unbound: Vec<&Value> = found.filter(|claim| claim.text("status.phase") != "Bound").collect();
    let which = if unbound.is_empty() {
        format!("one of its PersistentVolumeClaims ({})", names(claims.iter().map(String::as_str)))
    } else {
        format!("PersistentVolumeClaim {}", names(unbound.iter().map(|claim| claim.name())))
    };
    let mut finding = Finding::new(
        format!("No node can run the pod until {which} is bound to a volume."),
        "Open the claim: its own diagnosis says why it has no volume.",
    )
    .condition(pod, "PodScheduled");
    for claim in unbound {
        finding = finding.field_of(claim, "status.phase").related(Link::of(claim));
    }
    if finding.related.is_empty() {
        for name in &claims {
            finding = finding.related(Link::to(CLAIM, pod.namespace(), name));
        }
    }
    vec![finding]
}

fn unschedulable(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let Some(message) = refusal(subject).filter(|_| waits(pod)) else { return Vec::new() };
    if message.contains("unbound immediate PersistentVolumeClaims")
        || message.contains("persistentvolumeclaim \"") && message.contains("not found")
    {
        return Vec::new();
    }
    let predicates = Predicates::read(message);
    let sentence = match &predicates {
        Some(predicates) => format!("No node can run the pod: {}", predicates.sentence()),
        None => format!("The scheduler cannot place the pod: {}", quoted(message)),
    };
    let cause = predicates.as_ref().map_or_else(|| message.to_owned(), Predicates::cause);
    let next = predicates.map_or_else(
        || "Read the scheduler's message; change the pod's requests, affinity or tolerations accordingly.".to_owned(),
        |predicates| predicates.next().to_owned(),
    );
    let event = event::last(subject, pod, &["FailedScheduling"], |_| true);
    vec![Finding::new(sentence, next).cause(cause).condition(pod, "PodScheduled").event(event)]
}

/// The scheduler's refusal, taken apart: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had …`.
struct Predicates<'a> {
    nodes: &'a str,
    reasons: Vec<&'a str>,
    preemption: &'a str,
}

impl<'a> Predicates<'a> {
    fn read(message: &'a str) -> Option<Self> {
        let (available, rest) = message.split_once(AVAILABLE)?;
        let (_, nodes) = available.rsplit_once('/')?;
        let (reasons, preemption) = match rest.split_once(" preemption: ") {
            Some((reasons, preemption)) => (reasons, preemption),
            None => (rest, ""),
        };
        let reasons: Vec<&str> = split_reasons(reasons.trim_end_matches(['.', ' ']));
        (!nodes.is_empty() && nodes.bytes().all(|b| b.is_ascii_digit())).then_some(Self { nodes, reasons, preemption })
    }

    fn sentence(&self) -> String {
        let reasons: Vec<String> = self.reasons.iter().map(|reason| in_words(reason)).collect();
        let of = if self.nodes == "1" { "the only node".to_owned() } else { format!("of {} nodes", self.nodes) };
        format!("{of}, {}.", reasons.join(", "))
    }

    /// The reasons without the numbers of nodes, which differ from one attempt to the next.
    fn cause(&self) -> String {
        let bare = |reason: &&'a str| reason.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let reasons: std::collections::BTreeSet<&str> = self.reasons.iter().map(bare).collect();
        reasons.into_iter().collect::<Vec<_>>().join(", ")
    }

    fn next(&self) -> &'static str {
        let has = |text: &str| self.reasons.iter().any(|reason| reason.contains(text));
        if has("Insufficient") || has("Too many pods") {
            "Lower the pod's requests, free capacity on a node, or add a node."
        } else if has("untolerated taint") {
            "Add a toleration to the pod, or remove the taint from a node."
        } else if has("affinity") || has("selector") || has("topology spread") {
            "Compare the pod's node selector, affinity and spread constraints with the labels of the nodes."
        } else if has("unschedulable") {
            "Uncordon a node, or add one."
        } else if has("volume") {
            "Check in which zone the pod's volumes are, and how many volumes a node can attach."
        } else if self.preemption.is_empty() {
            "Compare the pod's requirements with the nodes."
        } else {
            "Read the scheduler's message, and compare the pod's requirements with the nodes."
        }
    }
}

/// The reasons of a refusal, cut at commas outside braces: a taint is written `{key: value}`.
fn split_reasons(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_i32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            ',' if depth <= 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found.retain(|reason| !reason.is_empty());
    found
}

/// One reason in words: the scheduler's words with a verb, `2 have too little free cpu`.
fn in_words(reason: &str) -> String {
    let Some((nodes, what)) = reason.split_once(' ').filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit())) else {
        return reason.to_owned();
    };
    let has = if nodes == "1" { "has" } else { "have" };
    if let Some(resource) = what.strip_prefix("Insufficient ") {
        return format!("{nodes} {has} too little free {resource}");
    }
    if what.starts_with("Too many pods") {
        return format!("{nodes} {has} no room for another pod");
    }
    let what = what.strip_prefix("node(s) ").unwrap_or(what);
    match what {
        "were unschedulable" => format!("{nodes} {} cordoned", if nodes == "1" { "is" } else { "are" }),
        "didn't match Pod's node affinity/selector" => {
            format!(
                "{nodes} {} not match the pod's node affinity or selector",
                if nodes == "1" { "does" } else { "do" }
            )
        }
        "didn't match pod anti-affinity rules" => format!("{nodes} {has} pods that the pod's anti-affinity excludes"),
        "didn't match pod affinity rules" => format!("{nodes} {has} no pods that the pod's affinity requires"),
        "didn't have free ports for the requested pod ports" => format!("{nodes} {has} the pod's host port in use"),
        _ => match what.strip_prefix("had untolerated taint(s)").or_else(|| what.strip_prefix("had untolerated taint"))
        {
            Some(taint) if taint.trim().is_empty() => format!("{nodes} {has} a taint that the pod does not tolerate"),
            Some(taint) => {
                let taint = taint.trim().trim_start_matches('{').trim_end_matches('}').replace(": ", "=");
                format!("{nodes} {has} the taint {} that the pod does not tolerate", taint.trim_end_matches('='))
            }
            None => format!("{nodes} {what}"),
        },
    }
}

fn gated(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let gates = pod.list("spec.schedulingGates");
    if !waits(pod) || gates.is_empty() {
        return Vec::new();
    }
    let gates = names(gates.iter().map(|gate| gate.text("name")));
    vec![
        Finding::new(
            format!("The pod is not scheduled yet because of its scheduling gate {gates}."),
            "The controller that set the gate removes it; check that this controller runs.",
        )
        .cause(gates)
        .field(pod, "spec.schedulingGates")
        .condition(pod, "PodScheduled"),
    ]
}

/// The scheduler has not processed the pod at all.
fn not_scheduled(subject: &Subject<'_>) -> Vec<Finding> {
    let pod = subject.object;
    let Some(waited) = subject.since(pod.moment("metadata.creationTimestamp")).filter(|waited| *waited > 30_000.0)
    else {
        return Vec::new();
    };
    // Unknown events may contain the refusal.
    let silent = condition(pod, "PodScheduled").is_none()
        && pod.list("spec.schedulingGates").is_empty()
        && subject.events(pod).is_some()
        && refusal(subject).is_none();
    if !waits(pod) || !silent {
        return Vec::new();
    }
    let scheduler = match pod.text("spec.schedulerName") {
        "" => "default-scheduler",
        name => name,
    };
    vec![
        Finding::new(
            format!("No scheduler has processed the pod for {}; {scheduler} probably does not run, because the pod has neither a PodScheduled condition nor an event of it.", duration(waited)),
            format!("Check that the scheduler {scheduler} runs."),
        )
        .field(pod, "spec.schedulerName")
        .field(pod, "metadata.creationTimestamp"),
    ]
}
