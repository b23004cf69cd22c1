//! Application: navigation, tools, table, and the panel of the open object.

use std::time::Duration;

use informer_engine::message::ToEngine;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::banner::Banner;
use crate::discovery::Discovery;
use crate::drawer::Drawer;
use crate::engine::Engine;
use crate::filter::Filter;
use crate::focus;
use crate::keys::Keys;
use crate::layers;
use crate::namespace::Namespace;
use crate::navigation::Navigation;
use crate::navigator::Navigator;
use crate::source::Source;
use crate::status_line::StatusLine;
use crate::table::Table;
use crate::theme::Theme;
use crate::view_state::ViewState;
use crate::worker;

/// The whole page.
#[component]
pub(crate) fn App() -> impl IntoView {
    let engine = Engine::new();
    worker::start(engine);
    leave_with_the_page(engine);
    wake_with_the_page(engine);
    let navigator = Navigator::new();
    let discovery = Discovery::new();
    let source = Source::new(engine, navigator, discovery.resources);
    discovery.follow(engine, source);
    let now = ticking();
    let navigation_open = RwSignal::new(false);
    let state = ViewState::new();
    let filter = NodeRef::<Input>::new();
    let help = NodeRef::<Dialog>::new();
    let finder = NodeRef::<Input>::new();
    layers::follow(navigation_open, ".navigation, .kind-button");
    layers::close_on_press_outside();
    focus::keep();
    return_from_drawer(navigator);
    Effect::new(move || {
        let scope = navigator.namespace.get().map_or(String::new(), |namespace| format!(" · {namespace}"));
        document().set_title(&format!("{}{scope} · kube-informer", source.label.get()));
    });
    view! {
        <div class="app">
            <button class="skip" type="button" on:click=move |_| focus::table()>
                {"Skip to the table"}
            </button>
            <Banner engine=engine navigator=navigator />
            <header class="bar">
                <button
                    class="kind-button"
                    type="button"
                    aria-expanded=move || if navigation_open.get() { "true" } else { "false" }
                    on:click=move |_| navigation_open.update(|open| *open = !*open)
                >
                    {move || source.label.get()}
                    <span aria-hidden="true">{" ▾"}</span>
                </button>
                <a class="brand" href="#/v1/pods">
                    <img src={"icon.svg"} alt="" width="24" height="24" />
                    "kube-informer"
                </a>
                <Namespace engine=engine navigator=navigator namespaced=source.namespaced />
                <Filter engine=engine navigator=navigator state=state input=filter help=help />
                <StatusLine engine=engine source=source now=now />
                <Theme />
            </header>
            <div class="body">
                <Navigation discovery=discovery navigator=navigator open=navigation_open finder=finder />
                <main>
                    <h1 class="visually-hidden">{move || source.label.get()}</h1>
                    <Table engine=engine navigator=navigator source=source state=state now=now />
                </main>
                {move || {
                    let key = navigator.object.get()?;
                    Some(view! { <Drawer engine=engine navigator=navigator source=source now=now key=key /> })
                }}
            </div>
            <Keys navigator=navigator filter=filter finder=finder navigation_open=navigation_open dialog=help />
        </div>
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

/// The time, for every age on the page, from one timer.
fn ticking() -> RwSignal<f64> {
    let now = RwSignal::new(js_sys::Date::now());
    if let Ok(timer) = set_interval_with_handle(move || now.set(js_sys::Date::now()), Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
    now
}

/// Reasons to try again now, rather than when the backoff says, and to doubt what is silent: the network is back, somebody
/// looks. While the page is visible, the engine sends heartbeats to a silent server.
fn wake_with_the_page(engine: Engine) {
    let show = move || engine.send(&ToEngine::Visible { visible: !document().hidden() });
    show();
    let wake = move || engine.send(&ToEngine::Wake);
    let online = window_event_listener_untyped("online", move |_| wake());
    let looks = window_event_listener_untyped("visibilitychange", move |_| {
        show();
        if !document().hidden() {
            wake();
        }
    });
    on_cleanup(move || {
        online.remove();
        looks.remove();
    });
}

/// Lets the engine go with the page. A page that comes back from the browser's cache has lost it, and begins anew.
fn leave_with_the_page(engine: Engine) {
    let left = window_event_listener_untyped("pagehide", move |_| engine.send(&ToEngine::Close));
    let back = window_event_listener_untyped("pageshow", |event| {
        if event.dyn_ref::<web_sys::PageTransitionEvent>().is_some_and(web_sys::PageTransitionEvent::persisted) {
            let _ = window().location().reload();
        }
    });
    on_cleanup(move || {
        left.remove();
        back.remove();
    });
}
