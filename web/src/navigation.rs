//! Navigation: the kinds of the cluster by heading. A column at the side, or a sheet in a narrow window.

use informer::GroupVersionResource;
use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::counts::Counts;
use crate::discovery::Discovery;
use crate::empty_kinds::EmptyKinds;
use crate::favourites::{self, Favourites};
use crate::focus;
use crate::freshness;
use crate::keys::is_modified;
use crate::kinds::{self, Group, Kind};
use crate::loading;
use crate::navigator::Navigator;
use crate::route::{Route, Screen};
use crate::roving::{Axis, Roving};

/// Navigation. `open` matters in a narrow window only.
#[component]
pub(crate) fn Navigation(
    discovery: Discovery,
    navigator: Navigator,
    open: RwSignal<bool>,
    problems: RwSignal<Option<String>>,
    counts: Counts,
) -> impl IntoView {
    let needle = RwSignal::new(String::new());
    let favourites = Favourites::new();
    let empty = EmptyKinds::new(counts);
    let groups = Memo::new(move |_| favourites.arrange(discovery.resources.with(|resources| kinds::listed(resources))));
    let shown = Memo::new(move |_| {
        let needle = needle.get();
        if needle.is_empty() {
            return empty.removed_from(groups.get());
        }
        // A search finds empty kinds, too.
        groups.with(|groups| groups.iter().filter_map(|group| filtered_group(group, &needle)).collect::<Vec<_>>())
    });
    let best = Memo::new(move |_| {
        let found = |shown: &Vec<Group>| Some(kinds::best(shown, &needle.get())?.info.gvr());
        shown.with(found)
    });
    let list = NodeRef::<Div>::new();
    let roving = Roving::new(list, "a, .empty-kinds", Axis::Vertical);
    show_current(navigator, discovery, needle, list);
    let on_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Enter" => {
                let Some(target) = best.get_untracked() else { return };
                needle.set(String::new());
                open.set(false);
                navigator.go(to_kind(target));
                focus::table();
            }
            "ArrowDown" => {
                focus::to(".kinds a");
            }
            "Escape" if needle.with_untracked(|needle| !needle.is_empty()) => needle.set(String::new()),
            "Escape" if !open.get_untracked() => focus::table(),
            _ => return,
        }
        event.prevent_default();
    };
    let nothing = move || shown.with(Vec::is_empty) && !groups.with(Vec::is_empty);
    view! {
        <nav class="navigation" class:open=move || open.get() aria-label="Kinds">
            <input
                class="field"
                type="search"
                placeholder="Find a kind"
                aria-label="Find a kind"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                title="Enter opens the first match"
                prop:value=move || needle.get()
                on:input=move |event| needle.set(event_target_value(&event))
                on:keydown=on_key
            />
            <div
                class="kinds"
                node_ref=list
                on:keydown=move |event| roving.on_key(&event)
                on:focusin=move |event| roving.on_focus(&event)
            >
                <For
                    each=move || shown.get()
                    key=|group| (group.name.clone(), group.kinds.iter().map(|k| k.info.gvr()).collect::<Vec<_>>())
                    let:group
                >
                    <section>
                        // The screens, which come first, have no heading.
                        {(!group.name.is_empty()).then(|| view! { <h2>{group.name}</h2> })}
                        <ul>
                            {group
                                .kinds
                                .into_iter()
                                .map(|kind| entry(kind, navigator, open, best, problems, favourites, counts))
                                .collect_view()}
                        </ul>
                    </section>
                </For>
                <Show when=nothing>
                    <p class="hint">{"No matching kind."}</p>
                </Show>
                {move || waiting(discovery)}
                <Show when=move || needle.with(String::is_empty)>
                    {loading::hidden_part(move |code| code.empty_kinds(groups, empty), |_| ())}
                </Show>
            </div>
        </nav>
    }
}

fn filtered_group(group: &Group, needle: &str) -> Option<Group> {
    let kinds: Vec<Kind> = group.kinds.iter().filter(|kind| kinds::matches(kind, needle)).cloned().collect();
    (!kinds.is_empty()).then(|| Group { name: group.name.clone(), kinds })
}

/// Goes to a kind, or to another screen. Filter and sort are dropped, because they belong to the previous kind; the
/// namespaces stay.
pub(crate) fn to_kind(target: GroupVersionResource) -> impl Fn(&mut Route) + Clone {
    move |route| {
        *route = Route { namespaces: route.namespaces.take(), ..Route::default() };
        route.screen = kinds::screen(&target);
        if route.screen == Screen::Table {
            route.resource = target.clone();
        }
    }
}

/// Scrolls the current kind into view when it changes, when it arrives, and when the quick filter is cleared. Not when other kinds
/// arrive, which would take the list away from a user who scrolls it; and not when the favourites change: the star that was pressed
/// stays in view.
fn show_current(navigator: Navigator, discovery: Discovery, needle: RwSignal<String>, list: NodeRef<Div>) {
    let wanted = Memo::new(move |_| {
        let current = navigator.resource.get();
        let has_kinds = !discovery.resources.with(Vec::is_empty);
        let is_there = discovery.resources.with(|all| all.iter().any(|info| info.gvr() == current));
        (current, has_kinds && needle.with(String::is_empty), is_there)
    });
    Effect::new(move || {
        let (_, shows, _) = wanted.get();
        if shows {
            // The kinds are rendered in the next frame.
            request_animation_frame(move || {
                let list = list.try_get_untracked().flatten();
                let current = list.and_then(|list| list.query_selector("[aria-current]").ok().flatten());
                if let Some(current) = current {
                    let nearest = ScrollIntoViewOptions::new();
                    nearest.set_block(ScrollLogicalPosition::Nearest);
                    current.scroll_into_view_with_scroll_into_view_options(&nearest);
                }
            });
        }
    });
}

fn entry(
    kind: Kind,
    navigator: Navigator,
    open: RwSignal<bool>,
    best: Memo<Option<GroupVersionResource>>,
    problems: RwSignal<Option<String>>,
    favourites: Favourites,
    counts: Counts,
) -> impl IntoView {
    let tools = favourites::is_kind(&kind).then(|| {
        let kind = kind.clone();
        loading::hidden_part(move |code| code.beside_kind(&kind, favourites, counts), |_| ())
    });
    let starred = favourites::is_kind(&kind).then(|| kind.info.clone());
    let on_key = move |event: KeyboardEvent| {
        if let Some((info, code)) = starred.as_ref().zip(loading::loaded())
            && event.key() == "*"
            && !is_modified(&event)
        {
            event.prevent_default();
            code.toggle_favourite(info, favourites);
        }
    };
    let gvr = kind.info.gvr();
    let change = to_kind(gvr.clone());
    let has_count = kinds::screen(&gvr) == Screen::Problems;
    let href = {
        let change = change.clone();
        move || navigator.hash_with(&change)
    };
    let is_best = {
        let gvr = gvr.clone();
        Memo::new(move |_| best.with(|best| best.as_ref() == Some(&gvr)))
    };
    let current = move || {
        let screen = navigator.screen.get();
        let is_there = screen == kinds::screen(&gvr) && (screen != Screen::Table || navigator.resource.get() == gvr);
        is_there.then_some("page")
    };
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
            <a
                href=href
                class:best=move || is_best.get()
                aria-current=current
                title=kind.info.gvr().to_string()
                on:click=choose
                on:keydown=on_key
            >
                {kind.label}
                {has_count.then_some(move || problems.get().map(|count| view! { <span class="number">{" "}{count}</span> }))}
            </a>
            {tools}
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
                    <strong>{"Cannot list the kinds"}</strong>
                    {format!(" ({}): {}", freshness::code(error.code), error.message)}
                </p>
                <p>{freshness::advice(&error)} " The page retries within 5 s."</p>
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
