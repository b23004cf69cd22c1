//! Search field for lines: the input, the buttons to the previous and the next match, and the number of matches.

use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;

use crate::age::thousands;

/// Input of a search. Enter goes to the next match and Shift+Enter to the previous one; Escape empties it.
pub(super) fn field(
    label: &'static str,
    input: NodeRef<Input>,
    text: RwSignal<String>,
    is_invalid: impl Fn() -> bool + Send + Sync + 'static,
    search: impl Fn(String) + Copy + 'static,
    jump: impl Fn(bool) + 'static,
) -> impl IntoView {
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            event.prevent_default();
            jump(!event.shift_key());
        }
        "Escape" if text.with_untracked(|text| !text.is_empty()) => {
            // It does not close the drawer.
            event.prevent_default();
            event.stop_propagation();
            search(String::new());
        }
        _ => {}
    };
    view! {
        <input
            class="field"
            type="text"
            placeholder=label
            aria-label=label
            title=format!("{label} (/); Enter: next, Shift+Enter: previous")
            aria-keyshortcuts="/"
            spellcheck="false"
            autocomplete="off"
            node_ref=input
            prop:value=move || text.get()
            aria-invalid=move || is_invalid().then_some("true")
            on:input=move |event| search(event_target_value(&event))
            on:keydown=on_key
        />
    }
}

/// Buttons to the previous and to the next match; disabled without a match.
pub(super) fn steps(
    has_match: impl Fn() -> bool + Copy + Send + Sync + 'static,
    jump: impl Fn(bool) + Copy + 'static,
) -> impl IntoView {
    let step = move |forward: bool, sign: &'static str, label: &'static str| {
        view! {
            <button
                class="log-switch"
                type="button"
                aria-label=label
                title=label
                disabled=move || !has_match()
                on:click=move |_| jump(forward)
            >
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    (step(false, "↑", "Previous match (Shift+Enter)"), step(true, "↓", "Next match (Enter)"))
}

/// Number of lines that match, with the number of the current one, counted from 1.
pub(super) fn found(count: usize, current: Option<usize>) -> String {
    let number = thousands(count as u64);
    match (count, current) {
        (0, _) => "No match".to_owned(),
        (_, Some(current)) => format!("{} of {number}", thousands(current as u64)),
        (1, None) => "1 line".to_owned(),
        (_, None) => format!("{number} lines"),
    }
}
