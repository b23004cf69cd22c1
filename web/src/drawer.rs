//! Drawer: the open object beside the table, in tabs (`drawer/tabs.rs`), live.

mod around;
mod events;
mod handle;
mod history;
mod known;
mod last_lines;
mod lines;
mod link;
mod logs;
mod object;
mod opened;
mod related;
mod search;
mod shell;
mod summary;
mod tabs;
mod zone;

use leptos::html::Aside;
use leptos::prelude::*;

use crate::actions::{Menu, Subjects, added, on_shortcut, parsed};
use crate::focus;
use crate::keys::is_shortcut;
use crate::loading::PageState;
use crate::visible::visible;
use handle::Handle;
use opened::Opened;
use tabs::Tabs;

/// The panel of the route's object; made anew for each object.
#[component]
pub(crate) fn Drawer(page: PageState, key: String) -> impl IntoView {
    let PageState { cluster, navigator, source, .. } = page;
    let opened = Opened::new(page, key);
    let followed = opened.followed;
    let shown_name = visible(&opened.name()).into_owned();
    let shown_namespace = opened.namespace().map(|namespace| format!(" · {}", visible(&namespace)));
    let (drawer, width) = (NodeRef::<Aside>::new(), handle::remembered());
    let close = move |_| navigator.go(|route| route.object = None);
    let full = navigator.full;
    let resize = move || navigator.go(|route| route.full = !route.full);
    let on_key = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "f" && is_shortcut(&event) {
            event.prevent_default();
            resize();
        }
    });
    on_cleanup(move || on_key.remove());
    // The table below a full page is hidden, and a followed link no longer exists: the focus goes to the new tabs.
    let followed_link = link::take_followed();
    Effect::new(move |before: Option<()>| {
        if full.get() || (before.is_none() && followed_link) {
            request_animation_frame(|| {
                if !focus::is_in(".drawer") {
                    focus::to(".drawer [role=tab][aria-selected=true]");
                }
            });
        }
    });
    let menu_open = RwSignal::new(false);
    on_shortcut(move || menu_open.set(true));
    let subjects = Subjects::new(cluster, opened.resource(), source.label.get_untracked(), vec![opened.subject()]);
    // A debug container was added: its shell is in the tab.
    let added = added();
    let is_here = {
        let added = added.clone();
        move || {
            let Some(pod) = added.with(|added| added.as_ref().map(|added| added.pod.clone())) else { return false };
            opened.followed.json.with(|json| parsed(json.as_deref())["metadata"]["uid"] == pod.as_str())
        }
    };
    Effect::new({
        let is_here = is_here.clone();
        move || {
            if is_here() {
                navigator.go(|route| route.tab = Some("shell".to_owned()));
            }
        }
    });
    on_cleanup(move || {
        if untrack(is_here) {
            added.set(None);
        }
    });
    let resize_label = move || if full.get() { "Show beside the table" } else { "Show on the full page" };
    view! {
        <aside
            class="drawer"
            class:gone=move || followed.deleted.get()
            class:full=move || full.get()
            class:sized=move || width.get().is_some()
            aria-label=shown_name.clone()
            node_ref=drawer
            style=("--drawer-width", move || width.get().map(|width| format!("{width}px")))
        >
            <Handle width=width drawer=drawer />
            <header>
                <div class="what">
                    <p>{move || source.label.get()} {shown_namespace}</p>
                    <h2 title=shown_name.clone()>{shown_name.clone()}</h2>
                </div>
                <Menu open=menu_open area=".drawer .actions" subjects=subjects disabled=followed.deleted />
                <button
                    class="icon-button"
                    type="button"
                    aria-label=resize_label
                    aria-keyshortcuts="f"
                    title=move || format!("{} (f)", resize_label())
                    on:click=move |_| resize()
                >
                    <span aria-hidden="true">{move || if full.get() { "⇥" } else { "⇤" }}</span>
                </button>
                <button class="icon-button" type="button" aria-label="Close" title="Close (Esc)" on:click=close>
                    <span aria-hidden="true">{"✕"}</span>
                </button>
            </header>
            <Show when=move || followed.deleted.get()>
                <p class="notice" role="status">{"Deleted. This is its last known state."}</p>
            </Show>
            <Tabs opened=opened />
        </aside>
    }
}
