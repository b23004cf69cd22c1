//! Application: navigation, tools, table, and the panel of the open object.

use std::time::Duration;

use informer::Freshness;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;

use crate::banner::Banner;
use crate::cluster::Cluster;
use crate::counts::Counts;
use crate::discovery::Discovery;
use crate::filter::Filter;
use crate::focus;
use crate::keys::Keys;
use crate::layers;
use crate::layouts::Layouts;
use crate::loading::{self, PageState};
use crate::namespace::Namespace;
use crate::namespaces;
use crate::navigation::Navigation;
use crate::navigator::Navigator;
use crate::route::Screen;
use crate::shown_time;
use crate::source::Source;
use crate::status_line::StatusLine;
use crate::table::Table;
use crate::theme::Theme;
use crate::view_state::ViewState;
use crate::visible::visible;

/// The screen that replaces the table, which the style sheet hides then. Tracked.
fn other_screen(page: PageState, problems: RwSignal<Option<String>>) -> Option<impl IntoView> {
    let screen = page.navigator.screen.get();
    let (_, name) = screen.words()?;
    let unloaded = move |placeholder| {
        view! { <main class="overview" tabindex="0" aria-label=name>{placeholder}</main> }
    };
    Some(loading::part(
        move |code| match screen {
            Screen::Changes => code.changes(page),
            Screen::Problems => code.problems(page, problems),
            Screen::Map => code.map(page),
            Screen::Inspector => code.inspector(page),
            _ => code.overview(page),
        },
        unloaded,
    ))
}

/// The whole page.
#[component]
pub(crate) fn App(cluster: Cluster) -> impl IntoView {
    let navigator = Navigator::new();
    let discovery = Discovery::new();
    let source = Source::new(cluster, navigator, discovery.resources);
    discovery.follow(cluster);
    let now = ticking();
    let navigation_open = RwSignal::new(false);
    let state = ViewState::new();
    let layouts = Layouts::new(navigator);
    let filter = NodeRef::<Input>::new();
    let help = NodeRef::<Dialog>::new();
    let palette = RwSignal::new(false);
    layers::register(navigation_open, ".navigation, .kind-button");
    layers::close_on_press_outside();
    focus::restore_lost_focus();
    return_from_drawer(navigator);
    load_when_idle(source, state);
    let title = Memo::new(move |_| match navigator.screen.get().words() {
        Some((_, name)) => name.to_owned(),
        None => source.label.get(),
    });
    let page = PageState { cluster, navigator, source, resources: discovery.resources, now };
    let counts = Counts::new(navigator, state);
    Effect::new(move || {
        if let Some(code) = loading::loaded() {
            untrack(|| code.follow_kinds(page, counts, discovery));
        }
    });
    // The number of problems, once the page of problems has been opened (`problems.rs`).
    let problems = RwSignal::new(None::<String>);
    Effect::new(move || {
        let scope = navigator.namespaces.get().map_or(String::new(), |text| format!(" · {}", namespaces::short(&text)));
        let count =
            problems.get().filter(|count| !count.starts_with('0')).map_or(String::new(), |count| format!("({count}) "));
        document().set_title(&format!("{count}{}{scope} · kube-informer", title.get()));
    });
    view! {
        <div class="app">
            <button class="skip" type="button" on:click=move |_| focus::table()>
                {"Skip to the table"}
            </button>
            <Banner cluster=cluster navigator=navigator />
            <header class="bar">
                <button
                    class="kind-button"
                    type="button"
                    aria-expanded=move || if navigation_open.get() { "true" } else { "false" }
                    on:click=move |_| navigation_open.update(|open| *open = !*open)
                >
                    {move || title.get()}
                    <span aria-hidden="true">{" ▾"}</span>
                </button>
                <a class="brand" href="#/overview">
                    <img src={"icon.svg"} alt="" width="24" height="24" />
                    "kube-informer"
                </a>
                <Namespace page=page />
                <Filter navigator=navigator state=state input=filter help=help />
                <StatusLine cluster=cluster source=source now=now />
                {loading::hidden_part(move |code| code.tools(page, palette), |_| ())}
                <Theme />
            </header>
            <div
                class="body"
                class:other-screen=move || navigator.screen.get() != Screen::Table
                class:full=move || navigator.full.get() && navigator.object.with(Option::is_some)
            >
                <Navigation discovery=discovery navigator=navigator open=navigation_open problems=problems counts=counts />
                <main>
                    <h1 class="visually-hidden">{move || source.label.get()}</h1>
                    <Table cluster=cluster resources=discovery.resources navigator=navigator source=source state=state layouts=layouts now=now />
                </main>
                {move || other_screen(page, problems)}
                {move || {
                    // A link may lead to an object of the same name and another kind.
                    navigator.resource.track();
                    let key = navigator.object.get()?;
                    let name = visible(&key).into_owned();
                    Some(loading::part(
                        move |code| code.drawer(page, key.clone()),
                        move |placeholder| unloaded_drawer(navigator, &name, placeholder),
                    ))
                }}
            </div>
            {loading::hidden_part(
                move |code| code.palette(page, palette),
                move |placeholder| view! { <div hidden=move || !palette.get()>{placeholder}</div> },
            )}
            <Keys navigator=navigator filter=filter palette=palette dialog=help />
        </div>
    }
}

/// Loads the deferred code with the first rows, which are painted in this frame or the one before; and again when a
/// lost server is back, because the file may have been lost with it.
fn load_when_idle(source: Source, state: ViewState) {
    let has_server = Memo::new(move |_| {
        state.totals.with(Option::is_some) && source.status.with(|status| status.freshness != Freshness::Disconnected)
    });
    Effect::new(move || {
        if has_server.get() {
            loading::when_idle();
        }
    });
}

/// The panel of the open object until its code has loaded.
fn unloaded_drawer(navigator: Navigator, name: &str, placeholder: AnyView) -> impl IntoView + use<> {
    view! {
        <aside class="drawer" aria-label=name.to_owned()>
            <header>
                <div class="what">
                    <h2 title=name.to_owned()>{name.to_owned()}</h2>
                </div>
                <button
                    class="icon-button"
                    type="button"
                    aria-label="Close"
                    title="Close (Esc)"
                    on:click=move |_| navigator.go(|route| route.object = None)
                >
                    <span aria-hidden="true">{"✕"}</span>
                </button>
            </header>
            {placeholder}
        </aside>
    }
}

/// When the drawer closes, the focus that was in it returns to the table.
fn return_from_drawer(navigator: Navigator) {
    Effect::new(move |was_open: Option<bool>| {
        let is_open = navigator.object.with(Option::is_some);
        if was_open == Some(true) && !is_open && (focus::current().is_none() || focus::is_in(".drawer")) {
            focus::table();
        }
        is_open
    });
}

/// The time that the page shows, for every age on it, from one timer.
fn ticking() -> RwSignal<f64> {
    let now = RwSignal::new(shown_time::now());
    if let Ok(timer) = set_interval_with_handle(move || now.set(shown_time::now()), Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
    now
}
