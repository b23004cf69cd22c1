//! Rules for autoscalers and disruption budgets.

use super::Rule;
use crate::condition::{condition_is, explanation};
use crate::field::Fields;
use crate::finding::{Finding, Severity};
use crate::kinds::{AUTOSCALER, DISRUPTION_BUDGET};
use crate::link::Link;
use crate::subject::Subject;
use crate::words::quoted;

pub(super) const RULES: &[Rule] = &[
    Rule { code: "AutoscalerNoTarget", severity: Severity::Error, kinds: &[AUTOSCALER], check: no_target },
    Rule { code: "AutoscalerNoMetrics", severity: Severity::Error, kinds: &[AUTOSCALER], check: no_metrics },
    Rule { code: "AutoscalerAtMaximum", severity: Severity::Warning, kinds: &[AUTOSCALER], check: at_maximum },
    Rule { code: "AutoscalerDisabled", severity: Severity::Info, kinds: &[AUTOSCALER], check: disabled },
    Rule { code: "BudgetNotMet", severity: Severity::Warning, kinds: &[DISRUPTION_BUDGET], check: budget },
];

/// The link to the target of an autoscaler.
pub(crate) fn target(autoscaler: &serde_json::Value) -> Link {
    Link::of_reference(autoscaler.at("spec.scaleTargetRef"), autoscaler.namespace())
}

fn no_target(subject: &Subject<'_>) -> Vec<Finding> {
    let autoscaler = subject.object;
    let condition = condition_is(autoscaler, "AbleToScale", "False");
    let Some(condition) = condition.filter(|condition| condition.text("reason") != "BackoffBoth") else {
        return Vec::new();
    };
    let target = target(autoscaler);
    vec![
        Finding::new(
            format!("The autoscaler cannot scale {} {}: {}", target.kind, target.name, quoted(explanation(condition))),
            "Correct spec.scaleTargetRef, or create the object that it names.",
        )
        .condition(autoscaler, "AbleToScale")
        .related(target),
    ]
}

fn no_metrics(subject: &Subject<'_>) -> Vec<Finding> {
    let autoscaler = subject.object;
    let condition = condition_is(autoscaler, "ScalingActive", "False");
    let Some(condition) = condition.filter(|condition| condition.text("reason") != "ScalingDisabled") else {
        return Vec::new();
    };
    let next = match explanation(condition) {
        said if said.contains("missing request for") => "Set the resource's request for all containers of the pods.",
        said if said.contains("could not find the requested resource") || said.contains("no metrics returned") => {
            "Check that metrics-server, or the adapter of the metric, is installed and answers."
        }
        _ => "Read the message; check metrics-server or the adapter of the metric.",
    };
    vec![
        Finding::new(
            format!("The autoscaler does not scale, because it has no figures: {}", quoted(explanation(condition))),
            next,
        )
        .condition(autoscaler, "ScalingActive")
        .related(target(autoscaler)),
    ]
}

fn at_maximum(subject: &Subject<'_>) -> Vec<Finding> {
    let autoscaler = subject.object;
    let limited = condition_is(autoscaler, "ScalingLimited", "True")
        .filter(|condition| condition.text("reason") == "TooManyReplicas");
    if limited.is_none() {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!(
                "The autoscaler is at its maximum of {} replicas and would scale further.",
                autoscaler.count("spec.maxReplicas")
            ),
            "Raise spec.maxReplicas, or find out why the load is that high.",
        )
        .condition(autoscaler, "ScalingLimited")
        .field(autoscaler, "spec.maxReplicas")
        .field(autoscaler, "status.currentReplicas")
        .related(target(autoscaler)),
    ]
}

fn disabled(subject: &Subject<'_>) -> Vec<Finding> {
    let autoscaler = subject.object;
    let condition = condition_is(autoscaler, "ScalingActive", "False");
    if condition.is_none_or(|condition| condition.text("reason") != "ScalingDisabled") {
        return Vec::new();
    }
    vec![
        Finding::new(
            "The autoscaler does nothing, because its target is scaled to zero.",
            "Scale the target to one or more.",
        )
        .condition(autoscaler, "ScalingActive")
        .related(target(autoscaler)),
    ]
}

fn budget(subject: &Subject<'_>) -> Vec<Finding> {
    let budget = subject.object;
    let (healthy, desired) = (budget.count("status.currentHealthy"), budget.count("status.desiredHealthy"));
    let expected = budget.count("status.expectedPods");
    if expected == 0 || healthy >= desired {
        return Vec::new();
    }
    vec![
        Finding::new(
            format!("{healthy} of {expected} pods count as healthy, and the budget requires {desired}: evictions of healthy pods, and so drains, are refused."),
            "Open the pods that are not ready.",
        )
        .field(budget, "status.currentHealthy")
        .field(budget, "status.desiredHealthy")
        .condition(budget, "DisruptionAllowed"),
    ]
}
