//! Summaries of autoscalers, disruption budgets, definitions and quotas.

use serde_json::Value;

use super::deployment::selector_text;
use super::general::{MOST, cut};
use crate::diagnosis::scale_target;
use crate::field::Fields;
use crate::quantity::quantity;
use crate::section::{Cell, Facts, Sections, Tone, scalar};
use crate::subject::Subject;

/// Target and current figure of each metric.
pub(super) fn autoscaler(subject: &Subject<'_>, sections: &mut Sections) {
    let autoscaler = subject.object;
    let mut facts = Facts::default();
    facts.cell("Scales", Cell::kind_link(scale_target(autoscaler)));
    let (current, most) = (autoscaler.count("status.currentReplicas"), autoscaler.count("spec.maxReplicas"));
    let tone = (current >= most).then_some(Tone::Warn);
    facts.cell(
        "Replicas",
        Cell::text(format!("{current}, wanted {}", autoscaler.count("status.desiredReplicas"))).with_tone(tone),
    );
    facts.text("Range", format!("{} to {most}", autoscaler.number("spec.minReplicas").unwrap_or(1)));
    facts.time("Last scaled", autoscaler, "status.lastScaleTime");
    sections.facts("HorizontalPodAutoscaler", facts);
    let current = autoscaler.list("status.currentMetrics");
    let row = |metric: &Value| {
        let now = current.iter().find(|other| identity(other) == identity(metric));
        let now = now.map_or_else(String::new, |now| figure(source(now).at("current")));
        vec![Cell::text(cut(&identity(metric))), Cell::text(now), Cell::text(figure(source(metric).at("target")))]
    };
    let rows = autoscaler.list("spec.metrics").iter().take(MOST).map(row).collect();
    sections.table("Metrics", &["Metric", "Now", "Target"], rows);
}

/// The part of a metric that its type names: `resource`, `pods`, `object`, `external`, `containerResource`.
fn source(metric: &Value) -> &Value {
    let kinds = [
        ("Resource", "resource"),
        ("ContainerResource", "containerResource"),
        ("Pods", "pods"),
        ("Object", "object"),
        ("External", "external"),
    ];
    let path = kinds.iter().find(|(kind, _)| *kind == metric.text("type"));
    path.map_or(&Value::Null, |(_, path)| metric.at(path))
}

/// Name of a metric: `cpu`, `cpu of container web`, `requests_per_second of Ingress web`.
fn identity(metric: &Value) -> String {
    let source = source(metric);
    let name = if source.text("name").is_empty() { source.text("metric.name") } else { source.text("name") };
    let of = match metric.text("type") {
        "ContainerResource" => format!(" of container {}", source.text("container")),
        "Object" => format!(" of {} {}", source.text("describedObject.kind"), source.text("describedObject.name")),
        "Pods" => " of pods".to_owned(),
        _ => String::new(),
    };
    format!("{name}{of}")
}

/// A figure: `62 %`, `250m`.
fn figure(value: &Value) -> String {
    match value.number("averageUtilization") {
        Some(percent) => format!("{percent} %"),
        None if value.has("averageValue") => format!("{} per pod", cut(&scalar(value.at("averageValue")))),
        None => cut(&scalar(value.at("value"))),
    }
}

pub(super) fn disruption_budget(subject: &Subject<'_>, sections: &mut Sections) {
    let budget = subject.object;
    let mut facts = Facts::default();
    let allowed = budget.count("status.disruptionsAllowed");
    let tone = if allowed > 0 { Tone::Ok } else { Tone::Warn };
    facts.cell("Evictions allowed now", Cell::toned(allowed.to_string(), tone));
    facts.field("At least available", budget, "spec.minAvailable");
    facts.field("At most unavailable", budget, "spec.maxUnavailable");
    facts.field("Healthy", budget, "status.currentHealthy");
    facts.field("Required healthy", budget, "status.desiredHealthy");
    facts.field("Pods", budget, "status.expectedPods");
    facts.field("Unhealthy pods", budget, "spec.unhealthyPodEvictionPolicy");
    facts.text("Selector", selector_text(budget));
    sections.facts("PodDisruptionBudget", facts);
}

pub(super) fn definition(subject: &Subject<'_>, sections: &mut Sections) {
    let definition = subject.object;
    let mut facts = Facts::default();
    facts.field("Kind", definition, "spec.names.kind");
    facts.field("Group", definition, "spec.group");
    facts.field("Scope", definition, "spec.scope");
    facts.field("Plural", definition, "spec.names.plural");
    let short = definition.list("spec.names.shortNames").iter().take(MOST);
    facts.cells("Short names", short.map(|name| Cell::text(scalar(name))));
    facts.field("Conversion", definition, "spec.conversion.strategy");
    let stored = definition.list("status.storedVersions").iter().take(MOST);
    facts.cells("Stored versions", stored.map(|version| Cell::text(scalar(version))));
    sections.facts("CustomResourceDefinition", facts);
    let yes = |is: bool| Cell::text(if is { "yes" } else { "no" });
    let version = |version: &Value| {
        vec![
            Cell::text(cut(version.text("name"))),
            yes(version.is("served")),
            yes(version.is("storage")),
            yes(version.is("deprecated")),
            Cell::text(subresources(version)),
        ]
    };
    let versions = definition.list("spec.versions");
    let rows = versions.iter().take(MOST).map(version).collect();
    sections.table("Versions", &["Version", "Served", "Stored", "Deprecated", "Subresources"], rows);
    let columns = versions.iter().flat_map(|version| {
        version.list("additionalPrinterColumns").iter().map(|column| {
            let path = ["name", "type", "jsonPath", "description"];
            let mut row = vec![Cell::text(cut(version.text("name")))];
            row.extend(path.map(|path| Cell::text(cut(column.text(path)))));
            row
        })
    });
    sections.table("Columns", &["Version", "Column", "Type", "Path", "Description"], columns.take(MOST).collect());
}

fn subresources(version: &Value) -> String {
    cut(&version.members("subresources").map(|(name, _)| name).collect::<Vec<_>>().join(", "))
}

/// Used and hard limit of each resource.
pub(super) fn quota(subject: &Subject<'_>, sections: &mut Sections) {
    let quota = subject.object;
    let row = |(name, hard): (&str, &Value)| {
        let used = quota.at("status.used").member(name);
        let full = matches!((quantity(used), quantity(hard)), (Some(used), Some(hard)) if used >= hard);
        let share = match (quantity(used), quantity(hard)) {
            (Some(used), Some(hard)) if hard > 0.0 => format!("{:.0} %", used / hard * 100.0),
            _ => String::new(),
        };
        vec![
            Cell::text(cut(name)),
            Cell::text(cut(&scalar(used))).with_tone(full.then_some(Tone::Warn)),
            Cell::text(cut(&scalar(hard))),
            Cell::text(share),
        ]
    };
    let rows = quota.members("status.hard").take(MOST).map(row).collect();
    sections.table("Quota", &["Resource", "Used", "Limit", "Share"], rows);
}
