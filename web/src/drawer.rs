//! Drawer: the open object beside the table, its YAML and its events, both live.

mod events;
mod handle;
mod lines;
mod object;

use leptos::html::Aside;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::cluster::Cluster;
use crate::navigator::Navigator;
use crate::source::Source;
use crate::visible::visible;
use events::Events;
use handle::Handle;
use object::Object;

/// What is known of the followed object.
#[derive(Clone, Copy)]
struct Followed {
    /// Its JSON, the last one if it is gone.
    json: RwSignal<Option<String>>,
    /// Whether it was there and is gone, as far as a cache that is complete can tell.
    deleted: Memo<bool>,
    /// Whether the table holds Secrets.
    is_secret: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Yaml,
    Events,
}

/// The panel of the route's object; made anew for each object.
#[component]
pub(crate) fn Drawer(
    cluster: Cluster,
    navigator: Navigator,
    source: Source,
    now: RwSignal<f64>,
    key: String,
) -> impl IntoView {
    let tab = RwSignal::new(Tab::Yaml);
    let (namespace, name) = key.split_once('/').map_or(("", key.as_str()), |(namespace, name)| (namespace, name));
    let (namespace, name) = (namespace.to_owned(), name.to_owned());
    let is_secret =
        navigator.resource.with_untracked(|resource| resource.group.is_empty() && resource.resource == "secrets");
    let followed = follow(source, key, is_secret);
    let events_in = Some(namespace.clone()).filter(|namespace| !namespace.is_empty());
    let (shown_namespace, shown_name) = (visible(&namespace).into_owned(), visible(&name).into_owned());
    let (drawer, width) = (NodeRef::<Aside>::new(), handle::remembered());
    let close = move |_| navigator.go(|route| route.object = None);
    let tab_button = move |of: Tab, id: &'static str, label: &'static str| {
        let selected = move || tab.get() == of;
        view! {
            <button
                type="button"
                role="tab"
                id=id
                aria-controls="drawer-panel"
                aria-selected=move || if selected() { "true" } else { "false" }
                tabindex=move || if selected() { "0" } else { "-1" }
                on:click=move |_| tab.set(of)
            >
                {label}
            </button>
        }
    };
    view! {
        <aside
            class="drawer"
            class:gone=move || followed.deleted.get()
            class:sized=move || width.get().is_some()
            aria-label=shown_name.clone()
            node_ref=drawer
            style=("--drawer-width", move || width.get().map(|width| format!("{width}px")))
        >
            <Handle width=width drawer=drawer />
            <header>
                <div class="what">
                    <p>{move || source.label.get()} {(!namespace.is_empty()).then(|| format!(" · {shown_namespace}"))}</p>
                    <h2 title=shown_name.clone()>{shown_name.clone()}</h2>
                </div>
                <button class="icon-button" type="button" aria-label="Close" title="Close (Esc)" on:click=close>
                    <span aria-hidden="true">{"✕"}</span>
                </button>
            </header>
            <Show when=move || followed.deleted.get()>
                <p class="notice" role="status">{"Deleted. This is its last known state."}</p>
            </Show>
            <div class="tabs" role="tablist" on:keydown=move |event| arrow(&event, tab)>
                {tab_button(Tab::Yaml, "tab-yaml", "YAML")} {tab_button(Tab::Events, "tab-events", "Events")}
            </div>
            <div class="panel" id="drawer-panel" role="tabpanel">
                {move || match tab.get() {
                    Tab::Yaml => view! { <Object followed=followed source=source /> }.into_any(),
                    Tab::Events => {
                        let namespace = events_in.clone();
                        view! { <Events cluster=cluster followed=followed namespace=namespace now=now /> }.into_any()
                    }
                }}
            </div>
        </aside>
    }
}

/// One tab takes part in the order of the Tab key; the arrows go from one to the other, as in any list of tabs.
fn arrow(event: &web_sys::KeyboardEvent, tab: RwSignal<Tab>) {
    if !matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight") {
        return;
    }
    event.prevent_default();
    // The table would move its row.
    event.stop_propagation();
    let (next, id) = match tab.get_untracked() {
        Tab::Yaml => (Tab::Events, "tab-events"),
        Tab::Events => (Tab::Yaml, "tab-yaml"),
    };
    tab.set(next);
    if let Some(element) = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // A button that cannot be focused is not worth an error.
        let _ = element.focus();
    }
}

fn follow(source: Source, key: String, is_secret: bool) -> Followed {
    let (json, absent) = (RwSignal::new(None), RwSignal::new(false));
    // An informer that has just begun knows no object at all: that is no deletion.
    let synced = Memo::new(move |_| source.status.with(|status| status.has_synced));
    let deleted = Memo::new(move |_| absent.get() && synced.get() && json.with(Option::is_some));
    let current = StoredValue::new_local(None);
    Effect::new(move || {
        // In place of the one before, which ends with that.
        current.set_value(None);
        let Some(informer) = source.informer.get() else { return };
        // The package tells once a frame, however fast the object changes.
        current.set_value(informer.object(&key, move |text| {
            // The panel may be closed by now.
            absent.try_set(text.is_none());
            if text.is_some() {
                json.try_set(text);
            }
        }));
    });
    on_cleanup(move || drop(current.try_update_value(Option::take)));
    Followed { json, deleted, is_secret }
}
