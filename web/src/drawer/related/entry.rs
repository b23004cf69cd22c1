//! Entry: a related object and its state in words, with a tone.

use std::sync::Arc;

use kube_objects::{Edge, Finding, Relation, Severity};
use leptos::prelude::*;
use serde_json::Value;

use crate::drawer::opened::Opened;
use crate::drawer::related_objects::{NeedState, NeedStates, with_subject};
use crate::tone;

/// All relations in the order of the list, in words.
pub(super) const RELATIONS: [(Relation, &str); 8] = [
    (Relation::Owner, "Owned by"),
    (Relation::Owned, "Owns"),
    (Relation::RunsOn, "Runs on"),
    (Relation::Runs, "Runs"),
    (Relation::Uses, "Uses"),
    (Relation::UsedBy, "Used by"),
    (Relation::Selects, "Selects"),
    (Relation::SelectedBy, "Selected by"),
];

/// A relation in words.
pub(super) fn title(relation: Relation) -> &'static str {
    RELATIONS.iter().find(|(other, _)| *other == relation).map_or("", |(_, title)| title)
}

/// State of an object in words, and its tone. Empty if nothing is known of it.
pub(crate) type Condition = (String, Option<&'static str>);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) edge: Edge,
    pub(super) condition: Condition,
}

/// All entries of an object.
pub(super) fn entries(opened: Opened) -> Memo<Vec<Entry>> {
    let derived = opened.derived;
    Memo::new(move |_| {
        derived
            .related
            .states
            .with(|states| derived.edges.get().into_iter().map(|edge| entry(edge, states)).collect::<Vec<_>>())
    })
}

fn entry(edge: Edge, states: &NeedStates) -> Entry {
    let objects = states.iter().filter_map(|(_, state)| match state {
        NeedState::Found(objects) => Some(objects),
        _ => None,
    });
    let found = objects.flat_map(|objects: &Arc<Vec<Value>>| objects.iter()).find(|object| edge.to.is_to(object));
    let condition = found.map_or_else(Default::default, |object| condition(object, states));
    Entry { edge, condition }
}

/// The worst finding of an object, or its phase or counts.
pub(crate) fn condition(object: &Value, states: &NeedStates) -> Condition {
    let findings: Vec<Finding> = with_subject(object, states, &[], kube_objects::diagnose);
    if let Some(Finding { severity, sentence, .. }) = findings.into_iter().next() {
        let tone = match severity {
            Severity::Error => "bad",
            Severity::Warning => "warn",
            Severity::Info => "idle",
        };
        return (sentence, Some(tone));
    }
    let number = |path: &str| object.pointer(path).and_then(Value::as_i64);
    if let Some(phase) = object.pointer("/status/phase").and_then(Value::as_str) {
        let tone = tone::tone_of("Status", phase).map(tone::Tone::name);
        return (phase.to_owned(), tone);
    }
    match number("/spec/replicas") {
        Some(desired) => (format!("{}/{desired} ready", number("/status/readyReplicas").unwrap_or(0)), None),
        None => (String::new(), None),
    }
}
