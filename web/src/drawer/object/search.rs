//! Search in the lines: the number of matches, and buttons to move between them.

use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;

use super::super::lines::Sheet;
use crate::age::thousands;

/// The search.
#[component]
pub(super) fn Search(sheet: Sheet, input: NodeRef<Input>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let search = move |wanted: String| {
        sheet.search(&wanted);
        text.set(wanted);
    };
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            event.prevent_default();
            sheet.find(!event.shift_key());
        }
        "Escape" if text.with_untracked(|text| !text.is_empty()) => {
            // It does not close the drawer.
            event.prevent_default();
            event.stop_propagation();
            search(String::new());
        }
        _ => {}
    };
    let found = move || {
        let (count, at) = sheet.matches();
        match (text.with(String::is_empty), count, at) {
            (true, ..) => String::new(),
            (_, 0, _) => "No match".to_owned(),
            (_, count, Some(at)) => format!("{} of {}", thousands(at as u64), thousands(count as u64)),
            (_, 1, None) => "1 line".to_owned(),
            (_, count, None) => format!("{} lines", thousands(count as u64)),
        }
    };
    let step = move |forward: bool, sign: &'static str, label: &'static str| {
        view! {
            <button
                class="log-switch"
                type="button"
                aria-label=label
                title=label
                disabled=move || sheet.matches().0 == 0
                on:click=move |_| sheet.find(forward)
            >
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    view! {
        <div class="yaml-search" role="search">
            <input
                class="field"
                type="text"
                placeholder="Search this YAML"
                aria-label="Search this YAML"
                title="Search this YAML (/); Enter: next, Shift+Enter: previous"
                aria-keyshortcuts="/"
                spellcheck="false"
                autocomplete="off"
                node_ref=input
                prop:value=move || text.get()
                on:input=move |event| search(event_target_value(&event))
                on:keydown=on_key
            />
            {step(false, "↑", "Previous match (Shift+Enter)")}
            {step(true, "↓", "Next match (Enter)")}
            <span class="log-found" role="status">{found}</span>
        </div>
    }
}
