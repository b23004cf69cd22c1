//! The kinds of the cluster, by heading: a column at the side, or a sheet where the window is narrow.

use leptos::prelude::*;

use crate::discovery::Discovery;
use crate::freshness;
use crate::kinds::{self, Group, Kind};
use crate::navigator::Navigator;
use crate::route::Route;

/// The navigation. `open` matters only where the window is narrow.
#[component]
pub(crate) fn Navigation(discovery: Discovery, navigator: Navigator, open: RwSignal<bool>) -> impl IntoView {
    let needle = RwSignal::new(String::new());
    let groups = Memo::new(move |_| discovery.resources.with(|resources| kinds::grouped(resources)));
    let shown = Memo::new(move |_| {
        let needle = needle.get();
        groups.with(|groups| groups.iter().filter_map(|group| narrowed(group, &needle)).collect::<Vec<_>>())
    });
    let nothing = move || shown.with(Vec::is_empty) && !groups.with(Vec::is_empty);
    view! {
        <nav class="navigation" class:open=move || open.get() aria-label="Kinds">
            <input
                class="field"
                type="search"
                placeholder="Find a kind"
                aria-label="Find a kind"
                prop:value=move || needle.get()
                on:input=move |event| needle.set(event_target_value(&event))
            />
            <div class="kinds">
                <For
                    each=move || shown.get()
                    key=|group| (group.name.clone(), group.kinds.iter().map(|k| k.info.gvr()).collect::<Vec<_>>())
                    let:group
                >
                    <section>
                        <h2>{group.name}</h2>
                        <ul>
                            {group.kinds.into_iter().map(|kind| entry(kind, navigator, open)).collect_view()}
                        </ul>
                    </section>
                </For>
                <Show when=nothing>
                    <p class="hint">"No kind of that name."</p>
                </Show>
                {move || waiting(discovery)}
            </div>
        </nav>
    }
}

fn narrowed(group: &Group, needle: &str) -> Option<Group> {
    let kinds: Vec<Kind> = group.kinds.iter().filter(|kind| kinds::matches(kind, needle)).cloned().collect();
    (!kinds.is_empty()).then(|| Group { name: group.name.clone(), kinds })
}

fn entry(kind: Kind, navigator: Navigator, open: RwSignal<bool>) -> impl IntoView {
    let gvr = kind.info.gvr();
    let target = gvr.clone();
    // Another kind has other objects and other words to filter by; the namespace stays.
    let change = move |route: &mut Route| {
        *route = Route { resource: target.clone(), namespace: route.namespace.take(), ..Route::default() };
    };
    let href = {
        let change = change.clone();
        move || navigator.hash_with(&change)
    };
    let current = move || (navigator.resource.get() == gvr).then_some("page");
    let choose = move |event: leptos::ev::MouseEvent| {
        open.set(false);
        // With a modifier key the browser opens the link elsewhere.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            navigator.go(&change);
        }
    };
    view! {
        <li>
            <a href=href aria-current=current on:click=choose title=kind.info.gvr().to_string()>
                {kind.label}
            </a>
        </li>
    }
}

fn waiting(discovery: Discovery) -> Option<AnyView> {
    if !discovery.resources.with(Vec::is_empty) {
        return None;
    }
    Some(match discovery.error.get() {
        Some(error) => view! {
            <div class="trouble" role="alert">
                <p>
                    <strong>"The kinds could not be listed"</strong>
                    {format!(" ({}): {}", freshness::code(error.code), error.message)}
                </p>
                <p>{freshness::advice(&error)} " The next try comes by itself within 5 s."</p>
            </div>
        }
        .into_any(),
        None => view! {
            <div class="bones" aria-hidden="true">
                {(0..9).map(|_| view! { <span class="bone"></span> }).collect_view()}
            </div>
        }
        .into_any(),
    })
}
