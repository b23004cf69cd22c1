//! Labels and annotations: each as lines of `key=value`; only changes are sent.
//!
//! For several objects the lines are the common entries; `key-` removes a key that only some have, or with other
//! values.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::body::{self, Entries};
use super::outcome::SubmitButton;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use crate::dialog::Window;
use crate::visible::visible;

/// One of the two maps of an object's metadata, and the text in its box.
#[derive(Clone, Copy)]
struct Area {
    label: &'static str,
    field: &'static str,
    common: StoredValue<Map<String, Value>>,
    text: RwSignal<String>,
}

impl Area {
    /// Returns the patch; the error names the line.
    fn patch(self) -> Result<Map<String, Value>, String> {
        let entries = self.text.with(|text| Entries::read(text)).map_err(|error| format!("{}: {error}", self.label))?;
        Ok(self.common.with_value(|before| entries.patch(before)))
    }
}

/// Labels or annotations of an object, without kubectl's last-applied-configuration, which contains the whole object
/// with the values of a Secret.
fn entries(object: &Value, field: &str) -> Map<String, Value> {
    let mut entries = object["metadata"][field].as_object().cloned().unwrap_or_default();
    entries.remove("kubectl.kubernetes.io/last-applied-configuration");
    entries
}

/// Dialog of the labels and annotations.
pub(super) fn labels(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let objects = subjects.objects();
    let new_area = |label: &'static str, field: &'static str| {
        let maps: Vec<_> = objects.iter().map(|object| entries(object, field)).collect();
        let (common, other) = body::common(&maps);
        let text = RwSignal::new(body::print_entries(&common));
        (Area { label, field, common: StoredValue::new(common), text }, other)
    };
    let (labels, other_labels) = new_area("Labels", "labels");
    let (annotations, other_annotations) = new_area("Annotations", "annotations");
    let patch = move || -> Result<Value, String> {
        let mut metadata = Map::new();
        for part in [labels, annotations] {
            let patch = part.patch()?;
            if !patch.is_empty() {
                metadata.insert(part.field.to_owned(), patch.into());
            }
        }
        Ok(json!({ "metadata": metadata }))
    };
    let is_empty = |patch: &Value| patch["metadata"].as_object().is_none_or(Map::is_empty);
    // A line that cannot be read yet is a change, too.
    let is_changed = Signal::derive(move || !patch().is_ok_and(|patch| is_empty(&patch)));
    let run = Run::new(subjects, close);
    let send = move || {
        if let Ok(patch) = untrack(patch) {
            run.send(Request::Patch(patch));
        }
    };
    let message = if subjects.are_many() {
        "One key=value per line; the lines are common to all objects. Delete a line to remove its key from all objects. Add key- to remove a key that only some objects have."
    } else {
        "One key=value per line. Delete a line to remove its key."
    };
    view! {
        <Window title=format!("Labels and annotations: {}", subjects.description()) close=close stays=is_changed>
            <p class="note">{message}</p>
            {area(labels, &other_labels)}
            {area(annotations, &other_annotations)}
            {move || patch().err().map(|error| view! { <p class="warning" role="status">{error}</p> })}
            {run.outcome()}
            {run.footer(
                SubmitButton { label: "Save", is_danger: false },
                move || patch().is_ok_and(|patch| !is_empty(&patch)),
                send,
            )}
        </Window>
    }
}

/// Text box, and the keys that are not in it because they differ.
fn area(part: Area, other: &[String]) -> impl IntoView + use<> {
    let differ =
        (!other.is_empty()).then(|| format!("Missing on some objects, or with different values: {}", other.join(", ")));
    view! {
        <label>
            <span>{part.label}</span>
            <textarea
                class="field"
                rows="6"
                spellcheck="false"
                prop:value=part.text.get_untracked()
                on:input=move |event| part.text.set(event_target_value(&event))
            ></textarea>
        </label>
        {differ.map(|message| view! { <p class="note">{visible(&message).into_owned()}</p> })}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_applied_configuration_is_hidden() {
        let annotations = json!({ "note": "n", "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"key\":\"secret\"}}" });
        let shown = entries(&json!({ "metadata": { "annotations": annotations } }), "annotations");
        assert_eq!(Value::from(shown), json!({ "note": "n" }));
    }
}
