//! Namespace chooser: a text box with a live list of the existing namespaces.

use informer::{ErrorCode, InformerStatus};
use informer_engine::OrderBy;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::cluster::{Cluster, Scope};
use crate::focus;
use crate::navigator::Navigator;
use crate::view::Query;

/// The maximum length of the list; other names can be typed.
const SHOWN: usize = 2000;

/// Entry for all namespaces.
const ALL: &str = "All namespaces";

/// Chooser. Cluster-scoped kinds disable it.
#[component]
pub(crate) fn Namespace(cluster: Cluster, navigator: Navigator, namespaced: Memo<bool>) -> impl IntoView {
    let (names, status) = live_names(cluster);
    let typed = RwSignal::new(None::<String>);
    let active = RwSignal::new(0_usize);
    let options = Memo::new(move |_| matching(&names.get(), typed.get().as_deref().unwrap_or_default()));
    let choose = move |name: Option<String>| {
        typed.set(None);
        focus::table();
        navigator.go(|route| {
            route.namespace = name;
            route.object = None;
        });
    };
    let on_key = move |event: KeyboardEvent| {
        let count = options.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => active.update(|at| *at = (*at + 1).min(count.saturating_sub(1))),
            "ArrowUp" => active.update(|at| *at = at.saturating_sub(1)),
            "Enter" => {
                let listed = options.with_untracked(|options| options.get(active.get_untracked()).cloned());
                // A typed name counts even if it is not listed: listing may be forbidden.
                let typed = typed.get_untracked().map(|typed| typed.trim().to_owned()).filter(|t| !t.is_empty());
                choose(listed.unwrap_or(typed));
            }
            "Escape" => {
                typed.set(None);
                focus::table();
            }
            _ => return,
        }
        event.prevent_default();
    };
    let open = move || typed.with(Option::is_some);
    let shown = move || match (typed.get(), namespaced.get()) {
        (Some(typed), _) => typed,
        (None, true) => navigator.namespace.get().unwrap_or_else(|| ALL.to_owned()),
        (None, false) => "No namespaces".to_owned(),
    };
    view! {
        <div class="namespace">
            <input
                class="field"
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                aria-label="Namespace"
                aria-autocomplete="list"
                aria-controls="namespaces"
                aria-expanded=move || if open() { "true" } else { "false" }
                aria-activedescendant=move || open().then(|| format!("namespace-{}", active.get()))
                placeholder=move || navigator.namespace.get().unwrap_or_else(|| ALL.to_owned())
                disabled=move || !namespaced.get()
                prop:value=shown
                on:focus=move |_| {
                    typed.set(Some(String::new()));
                    let current = navigator.namespace.get_untracked();
                    let at = options.with_untracked(|options| options.iter().position(|name| *name == current));
                    active.set(at.unwrap_or(0));
                }
                on:blur=move |_| typed.set(None)
                on:input=move |event| {
                    active.set(0);
                    typed.set(Some(event_target_value(&event)));
                }
                on:keydown=on_key
            />
            <Show when=open>
                // Chromium lets Tab focus a scrollable list, and the list closes when the box loses the focus.
                <ul class="options" id="namespaces" role="listbox" tabindex="-1" aria-label="Namespaces" on:mousedown=|press| focus::stay(&press)>
                    {move || hint(&status.get(), names.with(Vec::is_empty))}
                    {move || {
                        let options = options.get().into_iter().enumerate();
                        options.map(|(at, name)| option(at, name, active, choose)).collect_view()
                    }}
                </ul>
            </Show>
        </div>
    }
}

fn option(
    at: usize,
    name: Option<String>,
    active: RwSignal<usize>,
    choose: impl Fn(Option<String>) + Copy + 'static,
) -> impl IntoView {
    let label = name.clone().unwrap_or_else(|| ALL.to_owned());
    // The choice removes the list before the list hears of the press.
    let press = move |event: leptos::ev::MouseEvent| {
        focus::stay(&event);
        choose(name.clone());
    };
    view! {
        <li
            id=format!("namespace-{at}")
            role="option"
            aria-selected=move || if active.get() == at { "true" } else { "false" }
            on:mousedown=press
        >
            {label}
        </li>
    }
}

fn hint(status: &InformerStatus, empty: bool) -> Option<impl IntoView + use<>> {
    let error = status.last_error.as_ref()?;
    let text = match error.code {
        ErrorCode::Forbidden | ErrorCode::Unauthorized if empty => {
            "You are not allowed to list namespaces. Type a name and press Enter."
        }
        _ if empty => "Cannot list namespaces. Type a name and press Enter.",
        _ => return None,
    };
    Some(view! { <li class="hint" role="presentation">{text}</li> })
}

/// All namespaces first, unless the text excludes it.
fn matching(names: &[String], typed: &str) -> Vec<Option<String>> {
    // Names of namespaces are ASCII.
    let typed = typed.trim().to_ascii_lowercase();
    let all = typed.is_empty() || ALL.to_ascii_lowercase().starts_with(&typed);
    let found = names.iter().filter(|name| name.contains(&typed)).cloned().map(Some);
    all.then_some(None).into_iter().chain(found).collect()
}

/// Names of the namespaces, updated by an informer of their own while the page is open.
pub(crate) fn live_names(cluster: Cluster) -> (RwSignal<Vec<String>>, RwSignal<InformerStatus>) {
    let names = RwSignal::new(Vec::new());
    let status = RwSignal::new(InformerStatus::default());
    let informer = cluster.informer("v1/namespaces", &Scope::default(), move |new| status.set(new));
    let query = Query { order_by: vec![OrderBy::ascending("Name")], ..Query::default() };
    let view = informer.view(&query, SHOWN, move |view| {
        let sorted: Vec<String> = view.snapshot().rows().iter().map(|row| row.key()).collect();
        // Namespaces change without a change of names.
        if names.with_untracked(|known| *known != sorted) {
            names.set(sorted);
        }
    });
    StoredValue::new_local((informer, view));
    (names, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_narrows_the_list() {
        let names = ["default".to_owned(), "kube-system".to_owned()];
        assert_eq!(matching(&names, ""), [None, Some("default".to_owned()), Some("kube-system".to_owned())]);
        assert_eq!(matching(&names, "Kube"), [Some("kube-system".to_owned())]);
        assert_eq!(matching(&names, "al"), [None]);
        assert!(matching(&names, "zzz").is_empty());
    }
}
