//! Namespace chooser: the text box. Its list is deferred code (`namespace_list.rs`); names can be typed without it.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::loading::{self, PageState};
use crate::navigator::Navigator;
use crate::{focus, namespaces};

/// Name of the choice of all namespaces.
pub(crate) const ALL: &str = "All namespaces";

/// Text box of the chooser. The list is open while something may be typed. Cluster-scoped kinds disable it.
#[component]
pub(crate) fn Namespace(page: PageState) -> impl IntoView {
    let PageState { navigator, source, .. } = page;
    let typed = RwSignal::new(None::<String>);
    // The keys of the list are handled before, once it is there.
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Enter" => {
                let names = typed.get_untracked().unwrap_or_default();
                if namespaces::names(&names).next().is_some() {
                    choose(navigator, Some(names));
                }
            }
            "Escape" => {}
            _ => return,
        }
        event.prevent_default();
        typed.set(None);
        focus::table();
    };
    let chosen = move || navigator.namespaces.get().map_or_else(|| ALL.to_owned(), |text| namespaces::short(&text));
    let shown = move || match typed.get() {
        Some(typed) => typed,
        None if source.namespaced.get() => chosen(),
        None => "No namespaces".to_owned(),
    };
    view! {
        <div class="namespace">
            <input
                class="field"
                type="text"
                role="combobox"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-label="Namespace"
                aria-autocomplete="list"
                aria-controls="namespaces"
                aria-expanded="false"
                placeholder=chosen
                disabled=move || !source.namespaced.get()
                prop:value=shown
                on:focus=move |_| {
                    loading::load_now();
                    typed.set(Some(String::new()));
                }
                on:blur=move |_| typed.set(None)
                on:input=move |event| typed.set(Some(event_target_value(&event)))
                on:keydown=on_key
            />
            {loading::hidden_part(
                move |code| code.namespaces(page, typed),
                move |content| {
                    view! {
                        <div
                            class="options"
                            hidden=move || typed.with(Option::is_none)
                            on:mousedown=|press| focus::keep_in_box(&press)
                        >
                            {content}
                        </div>
                    }
                },
            )}
        </div>
    }
}

/// Shows some namespaces, or all. An open object may be in none of them.
pub(crate) fn choose(navigator: Navigator, names: Option<String>) {
    navigator.go(|route| {
        route.namespaces = names;
        route.object = None;
    });
}
