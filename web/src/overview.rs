//! Overview: the state of the cluster, or of a namespace, in numbers; each is a link to the table behind it. Deferred code.
//!
//! The engine counts (`SharedInformer.aggregate()`), so the overview receives numbers and no objects. Its informers are open while it
//! is shown, and linger as those of the table do.

mod amounts;
mod capacity;
mod cards;
mod counts;
mod feed;
mod figures;
mod frame;
mod rows;
mod states;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::cluster::Cluster;
use crate::focus;
use crate::keys::is_shortcut;
use crate::navigator::Navigator;
use crate::route::{Route, Screen};
use crate::visible::visible;
use counts::{EVENTS, NODES, PODS};
use feed::Feed;

/// Opens the overview with the key `o`.
pub(crate) fn listen(navigator: Navigator) {
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.key() == "o" && is_shortcut(&event) {
            event.prevent_default();
            navigator.go(|route| {
                let namespace = route.namespace.take();
                *route = Route { screen: Screen::Overview, namespace, ..Route::default() };
            });
            focus::table();
        }
    });
    on_cleanup(move || by_key.remove());
}

/// The page. Another namespace opens other informers.
#[component]
pub(crate) fn Overview(cluster: Cluster, navigator: Navigator) -> impl IntoView {
    view! {
        <main class="overview" tabindex="0" aria-label="Overview">
            <h1 class="visually-hidden">{"Overview"}</h1>
            {move || cards_of(cluster, navigator.namespace.get())}
        </main>
    }
}

fn cards_of(cluster: Cluster, namespace: Option<String>) -> impl IntoView {
    let feed = |kind| Feed::open(cluster, kind, namespace.as_ref());
    let (pods, nodes, events) = (feed(&PODS), feed(&NODES), feed(&EVENTS));
    let scope =
        namespace.as_ref().map_or_else(|| "All namespaces".to_owned(), |name| format!("Namespace {}", visible(name)));
    view! {
        <p class="scope">{scope}</p>
        <div class="cards">
            {cards::pods(pods, namespace.clone())} {cards::nodes(nodes)}
            {capacity::capacity(pods, nodes, namespace.as_ref())} {cards::workloads(cluster, namespace.as_ref())}
            {cards::warnings(events, namespace.clone())} {cards::top_namespaces(pods)}
            {cards::top_nodes(pods, namespace)}
        </div>
    }
}
