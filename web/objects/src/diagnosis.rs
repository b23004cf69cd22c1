//! Diagnosis: the table of rules, and their findings.

mod autoscaler;
mod container;
mod deletion;
mod deployment;
mod extension;
mod ingress;
mod job;
mod node;
mod pod_creation;
mod pod_image;
mod pod_scheduling;
mod pod_state;
mod probe;
mod replicas;
mod service;
mod stateful_set;
mod storage;

use crate::finding::{Finding, Severity};
use crate::kinds::Kind;
use crate::subject::Subject;

pub(crate) use autoscaler::target as scale_target;
pub(crate) use extension::webhooks;
pub(crate) use ingress::services as ingress_services;
pub(crate) use job::need_for_jobs;
pub(crate) use pod_creation::needs_for_webhook;
pub(crate) use pod_scheduling::claims;
pub(crate) use service::need_for_pods as need_for_service_pods;
pub(crate) use storage::class as storage_class;

/// A rule: one code, the kinds that it applies to, and a pure function.
pub struct Rule {
    /// Stable name.
    pub code: &'static str,
    /// Severity of its findings.
    pub severity: Severity,
    /// Kinds that it applies to; empty for all.
    pub kinds: &'static [Kind],
    check: fn(&Subject<'_>) -> Vec<Finding>,
}

/// All rules, by subject. Within a severity, findings are in this order: the more exact reason comes first.
pub const RULES: &[&[Rule]] = &[
    pod_scheduling::RULES,
    pod_image::RULES,
    container::RULES,
    probe::RULES,
    pod_state::RULES,
    deployment::RULES,
    pod_creation::RULES,
    replicas::RULES,
    stateful_set::RULES,
    job::RULES,
    service::RULES,
    ingress::RULES,
    autoscaler::RULES,
    storage::RULES,
    node::RULES,
    extension::RULES,
    deletion::RULES,
];

/// Returns the problems of an object, the most severe first; none if it is healthy.
///
/// A rule reports only facts from the server. A conclusion is marked with "probably" and names its reason.
pub fn diagnose(subject: &Subject<'_>) -> Vec<Finding> {
    let rules = RULES.iter().copied().flatten();
    let rules = rules.filter(|rule| rule.kinds.is_empty() || rule.kinds.iter().any(|kind| kind.is_of(subject.object)));
    let mut findings: Vec<Finding> = rules
        .flat_map(|rule| {
            let (code, severity) = (rule.code, rule.severity);
            (rule.check)(subject).into_iter().map(move |finding| Finding { severity, code, ..finding })
        })
        .collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}
