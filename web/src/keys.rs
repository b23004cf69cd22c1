//! The keys that work everywhere, and the list of all of them.

use leptos::ev::KeyboardEvent;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::navigator::Navigator;

const KEYS: [(&str, &str); 8] = [
    ("/", "Filter by namespace or name"),
    ("↑ ↓", "Move by a row"),
    ("PgUp PgDn", "Move by a page"),
    ("Home End", "First and last row"),
    ("Enter", "Open the row"),
    ("Esc", "Leave the filter, close the panel"),
    ("?", "This list"),
    ("Tab", "From part to part"),
];

/// Listens for the keys, and is the dialog that lists them.
#[component]
pub(crate) fn Keys(navigator: Navigator, filter: NodeRef<Input>) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let on_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        let typing = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok()).is_some();
        match event.key().as_str() {
            "/" if !typing => {
                event.prevent_default();
                if let Some(input) = filter.get_untracked() {
                    let _ = input.focus();
                    input.select();
                }
            }
            "?" if !typing => {
                if let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) {
                    let _ = dialog.show_modal();
                }
            }
            "Escape" if !typing && !dialog.get_untracked().is_some_and(|dialog| dialog.open()) => {
                navigator.go(|route| route.object = None);
            }
            _ => {}
        }
    });
    on_cleanup(move || on_key.remove());
    view! {
        <dialog class="keys" node_ref=dialog aria-label="Keys">
            <form method="dialog">
                <h2>"Keys"</h2>
                <dl>
                    {KEYS
                        .map(|(keys, meaning)| {
                            let keys = keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view();
                            view! { <dt>{keys}</dt><dd>{meaning}</dd> }
                        })
                        .into_iter()
                        .collect_view()}
                </dl>
                <button class="button" type="submit">"Close"</button>
            </form>
        </dialog>
    }
}
