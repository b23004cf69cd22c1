//! Progress of the search for objects: which kinds are searched, under way, refused, or have yet to come.

use leptos::prelude::*;

use super::objects::{Objects, State};
use super::wanted;
use crate::visible::visible;

/// The sentence, which opens to the names of the kinds.
pub(super) fn progress(objects: Objects, typed: RwSignal<String>) -> impl IntoView {
    let named = move |state: State| {
        let kinds = objects.kinds.get();
        kinds.iter().filter(|kind| kind.state() == state).map(|kind| kind.label.clone()).collect::<Vec<_>>()
    };
    let rest = move || objects.rest.with(|rest| rest.iter().map(|(label, _)| label.clone()).collect::<Vec<_>>());
    let summary = move || {
        if wanted(&typed.get()).trim().chars().count() < 2 {
            return "Type at least two characters to search objects.".to_owned();
        }
        let searched = named(State::Searched).len();
        let all = objects.kinds.with(Vec::len) + objects.rest.with(Vec::len);
        let mut parts = vec![format!("Objects of {searched} of {all} kinds searched")];
        for (names, what) in [
            (named(State::UnderWay), "under way"),
            (named(State::Forbidden), "not allowed"),
            (named(State::Failed), "failed"),
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
        objects.kinds.get().iter().any(|kind| !kind.is_whole && kind.label == "Pods")
            || objects.rest.with(|rest| rest.iter().any(|(label, _)| label == "Pods"))
    };
    let line = move |heading: &'static str, names: Vec<String>| {
        (!names.is_empty()).then(|| view! { <dt>{heading}</dt><dd>{visible(&names.join(", ")).into_owned()}</dd> })
    };
    view! {
        <details class="palette-progress">
            <summary>{summary}</summary>
            <dl>
                {move || line("Searched", named(State::Searched))}
                {move || line("Under way", named(State::UnderWay))}
                {move || line("Not allowed", named(State::Forbidden))}
                {move || line("Failed", named(State::Failed))}
                {move || line("Not searched yet", rest())}
            </dl>
            <Show when=is_part>
                <p>{"Pods are searched by name, label and uid. Show the table of pods in all namespaces, or the overview, to search their IPs and images too."}</p>
            </Show>
        </details>
    }
}
