//! Sections that objects of every kind have: conditions, metadata, and the spec of an unknown kind.

use serde_json::Value;

use crate::field::Fields;
use crate::link::Link;
use crate::section::{Cell, Facts, Sections, Tone, scalar};

/// Most rows of a table, and most values of a fact: a summary is no list.
pub(super) const MOST: usize = 200;

/// Longest text of a cell, in characters.
const LONGEST: usize = 2_000;

/// The annotation in which `kubectl apply` keeps the whole object: with the values of a Secret.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// A text of the cluster, cut if it is long.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Conditions that are good when they are `False`.
fn is_good_when_false(kind: &str) -> bool {
    const GOOD: [&str; 13] = [
        "ReplicaFailure",
        "Failed",
        "FailureTarget",
        "Suspended",
        "MemoryPressure",
        "DiskPressure",
        "PIDPressure",
        "NetworkUnavailable",
        "DisruptionTarget",
        "ScalingLimited",
        "NonStructuralSchema",
        "Terminating",
        "Stalled",
    ];
    GOOD.contains(&kind)
        || kind.starts_with("NamespaceDeletion")
        || kind.ends_with("Remaining")
        || kind.ends_with("Failure")
}

/// `status.conditions` as a table.
pub(super) fn conditions(object: &Value, sections: &mut Sections) {
    let row = |condition: &Value| {
        let (kind, status) = (condition.text("type"), condition.text("status"));
        let good = if is_good_when_false(kind) { "False" } else { "True" };
        let tone = match status {
            _ if kind == "Suspended" || kind == "ScalingLimited" => None,
            status if status == good => Some(Tone::Ok),
            "True" | "False" => Some(Tone::Bad),
            _ => Some(Tone::Warn),
        };
        // A completed pod is not ready, which is not a problem.
        let idle = matches!(condition.text("reason"), "PodCompleted");
        vec![
            Cell::text(cut(kind)),
            Cell::text(cut(status)).with_tone(if idle { Some(Tone::Idle) } else { tone }),
            Cell::text(cut(condition.text("reason"))),
            Cell::text(cut(condition.text("message"))),
            Cell::time(condition.moment("lastTransitionTime")),
        ]
    };
    let rows = object.list("status.conditions").iter().take(MOST).map(row).collect();
    sections.table("Conditions", &["Type", "Status", "Reason", "Message", "Since"], rows);
}

/// Labels, annotations, owners, finalizers, deletion, times.
pub(super) fn metadata(object: &Value, sections: &mut Sections) {
    let mut facts = Facts::default();
    facts.time("Created", object, "metadata.creationTimestamp");
    if object.has("metadata.deletionTimestamp") {
        let grace = object.number("metadata.deletionGracePeriodSeconds");
        let text = grace.map_or_else(String::new, |grace| format!("grace period {grace} s"));
        facts.cell("Deletion", Cell::toned(text, Tone::Warn).at(object.moment("metadata.deletionTimestamp")));
    }
    let owners = object.list("metadata.ownerReferences").iter().take(MOST);
    facts.cells("Owners", owners.map(|owner| Cell::kind_link(Link::of_reference(owner, object.namespace()))));
    let finalizers = object.list("metadata.finalizers").iter().take(MOST);
    facts.cells("Finalizers", finalizers.map(|finalizer| Cell::text(cut(&scalar(finalizer)))));
    facts.field("Generation", object, "metadata.generation");
    facts.field("UID", object, "metadata.uid");
    let labels = object.members("metadata.labels").take(MOST);
    facts.cells("Labels", labels.map(|(key, value)| Cell::text(cut(&format!("{key}={}", scalar(value))))));
    let annotations = object.members("metadata.annotations").filter(|(key, _)| *key != LAST_APPLIED).take(MOST);
    facts.cells("Annotations", annotations.map(|(key, value)| Cell::text(cut(&format!("{key}={}", scalar(value))))));
    sections.facts("Metadata", facts);
}

/// Top-level fields that are no facts of a kind without a special summary: identity, what has a section, and contents.
const NO_FIELDS: [&str; 6] = ["apiVersion", "kind", "metadata", "spec", "status", "data"];

/// The fields of a kind without a special summary: those beside spec and status, of the spec, of the status.
pub(super) fn at_a_glance(object: &Value, sections: &mut Sections) {
    let mut facts = Facts::default();
    for (name, value) in object.members("").filter(|(name, _)| !NO_FIELDS.contains(name)).take(MOST) {
        glance(name, value, 0, &mut facts);
    }
    sections.facts("Fields", facts);
    for (title, path) in [("Spec", "spec"), ("Status", "status")] {
        let mut facts = Facts::default();
        for (name, value) in object.members(path).take(MOST) {
            glance(name, value, 0, &mut facts);
        }
        sections.facts(title, facts);
    }
}

/// Most values of a field at a glance.
const FEW: usize = 20;

/// A field: a scalar as it is, a list of scalars in a line, a list of objects by their names, an object or a short list by its
/// fields two levels down, a count otherwise.
fn glance(name: &str, value: &Value, depth: usize, facts: &mut Facts) {
    match value {
        _ if name == "conditions" => {}
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            several(name, items.iter().map(scalar), items.len(), facts);
        }
        Value::Array(items) if items.iter().all(|item| name_of(item).is_some()) => {
            several(name, items.iter().filter_map(name_of), items.len(), facts);
        }
        Value::Array(items) if depth < 2 && items.len() <= 3 => {
            for (at, item) in items.iter().enumerate() {
                glance(&format!("{name}[{at}]"), item, depth + 1, facts);
            }
        }
        Value::Array(items) => facts.text(name, crate::words::count(items.len(), "entry")),
        Value::Object(members) if depth < 2 => {
            for (inner, value) in members.iter().take(FEW) {
                glance(&format!("{name}.{inner}"), value, depth + 1, facts);
            }
        }
        Value::Object(members) => facts.text(name, crate::words::count(members.len(), "field")),
        _ => facts.text(name, cut(&scalar(value))),
    }
}

/// The first values of a list, and how many more there are.
fn several(name: &str, values: impl Iterator<Item = String>, all: usize, facts: &mut Facts) {
    let more = (all > FEW).then(|| Cell::text(format!("and {} more", all - FEW)));
    facts.cells(name, values.take(FEW).map(|value| Cell::text(cut(&value))).chain(more));
}

/// The field that names an object of a list.
fn name_of(item: &Value) -> Option<String> {
    let names = ["name", "metadata.name", "key", "ip", "host", "id", "type"];
    names.iter().map(|path| scalar(item.at(path))).find(|name| !name.is_empty())
}
