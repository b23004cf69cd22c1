//! Labels and annotations: each as lines of `key=value`; only what was changed is sent.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::super::opened::Opened;
use super::run::{Run, named, object};
use crate::actions::body;
use crate::actions::request::Request;
use crate::dialog::Window;

/// The dialog.
pub(super) fn labels(opened: Opened, close: Callback<()>) -> impl IntoView {
    let object = object(opened.followed.json.get_untracked().as_deref());
    let entries = |name: &str| object["metadata"][name].as_object().cloned().unwrap_or_default();
    let before = StoredValue::new((entries("labels"), entries("annotations")));
    let text = |entries: &Map<String, Value>| RwSignal::new(body::print_entries(entries));
    let (labels, annotations) = before.with_value(|(labels, annotations)| (text(labels), text(annotations)));
    let patch = move || -> Result<Value, String> {
        let (new_labels, new_annotations) = (
            labels.with(|text| body::read_entries(text)).map_err(|error| format!("Labels: {error}"))?,
            annotations.with(|text| body::read_entries(text)).map_err(|error| format!("Annotations: {error}"))?,
        );
        Ok(before.with_value(|(labels, annotations)| {
            let mut metadata = Map::new();
            let changed = [
                ("labels", body::entries(labels, &new_labels)),
                ("annotations", body::entries(annotations, &new_annotations)),
            ];
            metadata.extend(
                changed
                    .into_iter()
                    .filter(|(_, patch)| !patch.is_empty())
                    .map(|(name, patch)| (name.to_owned(), patch.into())),
            );
            json!({ "metadata": metadata })
        }))
    };
    let is_empty = |patch: &Value| patch["metadata"].as_object().is_none_or(Map::is_empty);
    let run = Run::new(opened, close);
    let area = move |label: &'static str, text: RwSignal<String>| {
        view! {
            <label>
                <span>{label}</span>
                <textarea
                    class="field"
                    rows="6"
                    spellcheck="false"
                    prop:value=text.get_untracked()
                    on:input=move |event| text.set(event_target_value(&event))
                ></textarea>
            </label>
        }
    };
    view! {
        <Window title=format!("Labels and annotations: {}", named(&object, opened)) close=close stays=true>
            <p class="note">{"One key=value on each line. A deleted line deletes the key."}</p>
            {area("Labels", labels)}
            {area("Annotations", annotations)}
            {move || patch().err().map(|error| view! { <p class="warning" role="status">{error}</p> })}
            {run.outcome()}
            <footer>
                <button class="button" type="button" on:click=move |_| close.run(())>
                    {"Close"}
                </button>
                <button
                    class="button primary"
                    type="button"
                    disabled=move || run.is_busy() || patch().as_ref().map_or(true, is_empty)
                    on:click=move |_| {
                        if let Ok(patch) = untrack(patch) {
                            run.send(Request::Patch(patch));
                        }
                    }
                >
                    {"Save"}
                </button>
            </footer>
        </Window>
    }
}
