//! Rules for workloads whose pods cannot be created.

use serde_json::Value;

use super::Rule;
use crate::condition::{condition_is, explanation};
use crate::event;
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{
    DAEMON_SET, DEPLOYMENT, JOB, Kind, MUTATING_WEBHOOKS, QUOTA, REPLICA_SET, SERVICE, STATEFUL_SET,
    VALIDATING_WEBHOOKS,
};
use crate::link::Link;
use crate::need::Need;
use crate::subject::Subject;
use crate::words::quoted;
use crate::workload::desired;

const KINDS: &[Kind] = &[DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET, JOB];

pub(super) const RULES: &[Rule] = &[
    Rule { code: "PodsBlockedByWebhook", severity: Severity::Error, kinds: KINDS, check: blocked_by_webhook },
    Rule { code: "PodsCannotBeCreated", severity: Severity::Error, kinds: KINDS, check: cannot_create },
];

const CONFIGURATIONS: [Kind; 2] = [VALIDATING_WEBHOOKS, MUTATING_WEBHOOKS];

/// How the apiserver begins the message about a webhook that does not answer.
const UNANSWERED: &str = "failed calling webhook ";

/// Why pods of a workload cannot be created: the server's message, and the event that has it.
fn failure<'a>(subject: &Subject<'a>) -> Option<(&'a str, Option<&'a Value>)> {
    let workload = subject.object;
    let failure =
        condition_is(workload, "ReplicaFailure", "True").filter(|condition| condition.text("reason") != "FailedDelete");
    // Stateful sets, daemon sets and jobs report it only in events.
    let recent = |event: &&Value| subject.since(event::last_seen(event)).is_some_and(|ago| ago < 3_600_000.0);
    let short = match workload.text("kind") {
        "DaemonSet" => workload.count("status.currentNumberScheduled") < desired(workload),
        "StatefulSet" => workload.count("status.replicas") < desired(workload),
        "Job" => workload.count("status.active") == 0 && !workload.has("status.completionTime"),
        _ => false,
    };
    let event = event::last(subject, workload, &["FailedCreate"], |_| true).filter(recent);
    match (failure, event) {
        (Some(condition), _) => Some((explanation(condition), event)),
        (None, Some(found)) if short => Some((event::message(found), event)),
        _ => None,
    }
}

/// Needs of the webhook that a refusal names: the configurations, of which one has it.
pub(crate) fn needs_for_webhook(subject: &Subject<'_>) -> Vec<Need> {
    let names_webhook = failure(subject).is_some_and(|(message, _)| webhook_of(message).is_some());
    if names_webhook { CONFIGURATIONS.map(|kind| Need::all(kind, "")).into() } else { Vec::new() }
}

fn cannot_create(subject: &Subject<'_>) -> Vec<Finding> {
    let workload = subject.object;
    let Some((message, event)) = failure(subject).filter(|(message, _)| !message.contains(UNANSWERED)) else {
        return Vec::new();
    };
    let (sentence, next) = refusal(message);
    let mut finding = Finding::new(sentence, next).condition(workload, "ReplicaFailure").event(event);
    if let Some(quota) = quota_of(message) {
        finding = finding.related(Link::to(QUOTA, workload.namespace(), quota));
    }
    if let Some((configuration, _)) = webhook_of(message).and_then(|name| webhook(subject, name)) {
        finding = finding.related(Link::of(configuration));
    }
    vec![finding]
}

fn blocked_by_webhook(subject: &Subject<'_>) -> Vec<Finding> {
    let workload = subject.object;
    let Some((message, event)) = failure(subject).filter(|(message, _)| message.contains(UNANSWERED)) else {
        return Vec::new();
    };
    let name = webhook_of(message).unwrap_or_default();
    let found = webhook(subject, name);
    let of = found.map_or_else(String::new, |(configuration, _)| {
        format!(" of {} {}", configuration.text("kind"), configuration.name())
    });
    let mut finding = Finding::new(
        format!("Pods cannot be created, because webhook {name}{of} does not answer: {}", quoted(message)),
        "Check the service behind the webhook, or delete the configuration if its server was uninstalled.",
    )
    .cause(name)
    .condition(workload, "ReplicaFailure")
    .event(event);
    if let Some((configuration, webhook)) = found {
        let path = format!("webhooks[{name}].failurePolicy");
        finding = finding.value_of(configuration, path, webhook.text("failurePolicy")).related(Link::of(configuration));
        let service = webhook.at("clientConfig.service");
        finding = finding.related(Link::to(SERVICE, service.text("namespace"), service.text("name")));
    }
    vec![finding]
}

/// The webhook that a refusal names, in quotes after one of two phrases of the apiserver.
fn webhook_of(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once(UNANSWERED).or_else(|| message.split_once("admission webhook "))?;
    rest.strip_prefix('"')?.split('"').next().filter(|name| !name.is_empty())
}

/// A webhook by its name, and the configuration that has it.
fn webhook<'a>(subject: &Subject<'a>, name: &str) -> Option<(&'a Value, &'a Value)> {
    let configurations = CONFIGURATIONS.into_iter().flat_map(|kind| subject.found(&Need::all(kind, "")));
    let mut webhooks = configurations
        .flat_map(|configuration| configuration.list("webhooks").iter().map(move |webhook| (configuration, webhook)));
    webhooks.find(|(_, webhook)| webhook.text("name") == name)
}

/// The quota that a refusal names.
fn quota_of(message: &str) -> Option<&str> {
    message.split_once("exceeded quota: ")?.1.split(',').next()
}

/// A refusal of the apiserver in words.
fn refusal(message: &str) -> (String, &'static str) {
    if let Some((_, rest)) = message.split_once("exceeded quota: ") {
        let parts: Vec<&str> = rest.split(", ").collect();
        let quota = parts.first().copied().unwrap_or_default();
        let limits: Vec<&str> = parts.iter().skip(1).copied().collect();
        return (
            format!(
                "Pods cannot be created, because they would exceed ResourceQuota {quota} ({}).",
                limits.join(", ").trim_end_matches('.')
            ),
            "Raise the quota, free some of it, or lower the pods' requests.",
        );
    }
    if message.contains("violates PodSecurity") {
        return (
            format!(
                "Pods cannot be created, because they violate the namespace's Pod Security level: {}",
                quoted(message)
            ),
            "Change the pod's security context, or the namespace's pod-security labels.",
        );
    }
    if message.contains("serviceaccount") && message.contains("not found") {
        return (
            format!("Pods cannot be created, because their service account does not exist: {}", quoted(message)),
            "Create the service account, or correct its name in the template.",
        );
    }
    if message.contains("admission webhook") {
        return (
            format!("Pods cannot be created, because an admission webhook denies them: {}", quoted(message)),
            "Change the template as the webhook requires.",
        );
    }
    (format!("Pods cannot be created: {}", quoted(message)), "Read the server's message, and correct the template.")
}
