//! Change: what happened to an object, in one line, from its changed fields.

mod path;

use serde_json::Value;

use path::{last, list_key};

/// Changed field, as the package's recordings have it.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct ChangedField {
    /// kubectl's JSONPath without braces.
    pub path: String,
    /// Value before, if the field existed.
    pub before: Option<Value>,
    /// Value after, if it still exists.
    pub after: Option<Value>,
}

/// Category of a change. Of several fields, the one whose category is first in this order names the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// The object was added.
    Created,
    /// It was deleted, or its deletion began.
    Deleted,
    /// It is removed from its node: evicted, preempted, or displaced by a failing node.
    Eviction,
    /// A container restarted.
    Restart,
    /// Its image or template changed.
    Rollout,
    /// Its number of replicas changed.
    Scale,
    /// Its specification or data changed.
    Config,
    /// Its status changed.
    Status,
    /// Its labels, annotations, owners or finalizers changed.
    Metadata,
}

impl Category {
    /// All, in their order.
    pub const ALL: [Self; 9] = [
        Self::Created,
        Self::Deleted,
        Self::Eviction,
        Self::Restart,
        Self::Rollout,
        Self::Scale,
        Self::Config,
        Self::Status,
        Self::Metadata,
    ];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Created => "Created",
            Self::Deleted => "Deleted",
            Self::Eviction => "Evicted",
            Self::Restart => "Restarted",
            Self::Rollout => "Rollout",
            Self::Scale => "Scaled",
            Self::Config => "Configuration",
            Self::Status => "Status",
            Self::Metadata => "Metadata",
        }
    }
}

/// Describes a changed object: its category, and one line.
pub fn describe_change(fields: &[ChangedField]) -> (Category, String) {
    let told = fields.iter().map(|field| (of_field(field), is_minor(&field.path)));
    // Of equal ones the first in the object.
    let first = told.min_by_key(|((category, _), is_minor)| (*category, *is_minor));
    match (first, fields.len().saturating_sub(1)) {
        (None, _) => (Category::Status, String::new()),
        (Some((told, _)), 0) => told,
        (Some(((category, line), _)), more) => {
            (category, format!("{line}, and {more} more {}", if more == 1 { "field" } else { "fields" }))
        }
    }
}

/// Whether a field only goes with others: the time of a change, or a counter of versions.
fn is_minor(path: &str) -> bool {
    let name = last(path);
    name.ends_with("Time")
        || name.ends_with("Timestamp")
        || matches!(name, "observedGeneration" | "generation" | "qosClass")
}

/// Describes a changed field.
fn of_field(field: &ChangedField) -> (Category, String) {
    let path = field.path.as_str();
    let name = last(path);
    let of = |what: &str| match list_key(path) {
        Some(key) => format!("{key}: {what}"),
        None => what.to_owned(),
    };
    let changed = |what: &str| format!("{} {}", of(what), values(field));
    if path == ".metadata.deletionTimestamp" && field.after.is_some() {
        return (Category::Deleted, "deletion began".to_owned());
    }
    if path.starts_with(".metadata.") {
        return (Category::Metadata, changed(path.trim_start_matches(".metadata.")));
    }
    if is_eviction(field) {
        return (Category::Eviction, changed("evicted"));
    }
    if name == "restartCount" && number(field.after.as_ref()) > number(field.before.as_ref()) {
        let times = number(field.after.as_ref());
        return (Category::Restart, of(&format!("restarted, {times} {} in all", plural(times, "time", "times"))));
    }
    if path.starts_with(".status") {
        let condition = list_key(path).filter(|_| path.contains(".conditions[") && name == "status");
        let line = condition.map_or_else(|| changed(name), |condition| format!("{condition} {}", values(field)));
        return (Category::Status, line);
    }
    if name == "image" {
        return (Category::Rollout, changed("image"));
    }
    if path == ".spec.nodeName" && field.before.is_none() {
        return (Category::Status, format!("scheduled on {}", field.after.as_ref().map(short).unwrap_or_default()));
    }
    if path == ".spec.replicas" {
        return (Category::Scale, changed("replicas"));
    }
    if path.starts_with(".spec.template") {
        return (Category::Rollout, changed(path.trim_start_matches(".spec.template.").trim_start_matches("spec.")));
    }
    (Category::Config, changed(path.trim_start_matches(".spec.").trim_start_matches('.')))
}

fn is_eviction(field: &ChangedField) -> bool {
    let is_text = |text: &str| field.after.as_ref().and_then(Value::as_str) == Some(text);
    (field.path.starts_with(".status.conditions[") && field.path.contains("DisruptionTarget") && is_true(field))
        || (field.path == ".status.reason" && (is_text("Evicted") || is_text("Preempted")))
}

/// Whether a condition became true: its status, or the condition as a whole.
fn is_true(field: &ChangedField) -> bool {
    let after = field.after.as_ref();
    let status = after.and_then(|after| after.get("status")).or(after);
    status.and_then(Value::as_str) == Some("True")
}

fn number(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_u64).unwrap_or_default()
}

fn plural<'w>(count: u64, one: &'w str, several: &'w str) -> &'w str {
    if count == 1 { one } else { several }
}

/// Longest value that is shown in a line, in characters.
const LONGEST: usize = 60;

/// `before → after`, `set to …` or `removed`.
fn values(field: &ChangedField) -> String {
    match (&field.before, &field.after) {
        (Some(before), Some(after)) => format!("{} → {}", short(before), short(after)),
        (None, Some(after)) => format!("set to {}", short(after)),
        (Some(before), None) => format!("removed, was {}", short(before)),
        (None, None) => "changed".to_owned(),
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(_) => "{…}".to_owned(),
        Value::Array(list) => format!("a list of {}", list.len()),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests;
