//! Progress of the search for objects: the kinds that are searched, in progress, forbidden, or not searched yet.

use leptos::prelude::*;

use super::normalized;
use super::objects::{Objects, SearchState};
use crate::visible::visible;

/// Sentence about the progress, which opens to the names of the kinds.
pub(super) fn progress(objects: Objects, typed: RwSignal<String>) -> impl IntoView {
    let named = move |state: SearchState| {
        let kinds = objects.kinds.get();
        kinds.iter().filter(|kind| kind.state() == state).map(|kind| kind.label.clone()).collect::<Vec<_>>()
    };
    let unopened =
        move || objects.unopened.with(|unopened| unopened.iter().map(|(label, _)| label.clone()).collect::<Vec<_>>());
    let summary = move || {
        if normalized(&typed.get()).trim().chars().count() < 2 {
            return "Type at least two characters to search objects.".to_owned();
        }
        let searched = named(SearchState::Searched).len();
        let all = objects.kinds.with(Vec::len) + objects.unopened.with(Vec::len);
        let mut parts = vec![format!("Objects of {searched} of {all} kinds searched")];
        for (names, what) in [
            (named(SearchState::InProgress), "under way"),
            (named(SearchState::Forbidden), "not allowed"),
            (named(SearchState::Failed), "failed"),
        ] {
            if !names.is_empty() {
                let more = names.len().saturating_sub(3);
                let few = names[..names.len() - more].join(", ");
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                parts.push(format!("{what}: {few}{more}"));
            }
        }
        visible(&parts.join(" · ")).into_owned()
    };
    let is_part = move || {
        objects.kinds.get().iter().any(|kind| !kind.has_whole_objects && kind.label == "Pods")
            || objects.unopened.with(|unopened| unopened.iter().any(|(label, _)| label == "Pods"))
    };
    let line = move |heading: &'static str, names: Vec<String>| {
        (!names.is_empty()).then(|| view! { <dt>{heading}</dt><dd>{visible(&names.join(", ")).into_owned()}</dd> })
    };
    view! {
        <details class="palette-progress">
            <summary>{summary}</summary>
            <dl>
                {move || line("Searched", named(SearchState::Searched))}
                {move || line("Under way", named(SearchState::InProgress))}
                {move || line("Not allowed", named(SearchState::Forbidden))}
                {move || line("Failed", named(SearchState::Failed))}
                {move || line("Not searched yet", unopened())}
            </dl>
            <Show when=is_part>
                <p>{"Pods are searched by name, label and uid. Show the table of pods in all namespaces, or the overview, to search their IPs and images too."}</p>
            </Show>
        </details>
    }
}
