//! The keys that work everywhere, and the help: all of them, and the language of the filter.

use leptos::ev::KeyboardEvent;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::filter::LANGUAGE;
use crate::navigator::Navigator;

const KEYS: [(&str, &str); 9] = [
    ("/", "Filter the rows"),
    ("↑ ↓", "Move by a row"),
    ("PgUp PgDn", "Move by a page"),
    ("Home End", "First and last row"),
    ("Enter", "Open the row; on a header, order by it"),
    ("Shift Enter", "On a header: order by it as well"),
    ("Esc", "Leave the filter, close the panel"),
    ("?", "This help"),
    ("Tab", "From part to part"),
];

/// Listens for the keys, and is the dialog with the help.
#[component]
pub(crate) fn Keys(navigator: Navigator, filter: NodeRef<Input>, dialog: NodeRef<Dialog>) -> impl IntoView {
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
        <dialog class="keys" node_ref=dialog aria-label="Help">
            <form method="dialog">
                // First, so that the focus that it gets does not scroll a small window to the end.
                <button class="icon-button" type="submit" aria-label="Close" title="Close (Esc)">
                    <span aria-hidden="true">"✕"</span>
                </button>
                <section>
                    <h2>"Filter: keeps the rows that …"</h2>
                    <dl>
                        {LANGUAGE
                            .map(|(typed, meaning)| view! { <dt><code>{typed}</code></dt><dd>{meaning}</dd> })
                            .into_iter()
                            .collect_view()}
                    </dl>
                    <p class="hint">
                        "Words must all match, in capitals or not. A column is called by its header, with - for a blank."
                    </p>
                </section>
                <section>
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
                </section>
            </form>
        </dialog>
    }
}
