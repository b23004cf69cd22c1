//! Drawer: the open object beside the table, in tabs (`drawer/tabs.rs`), live; or the logs of several
//! (`drawer/selection.rs`).

mod columns;
mod derived;
mod events;
mod handle;
mod history;
mod last_lines;
mod lines;
mod link;
mod logs;
mod object;
mod opened;
mod panel;
mod related;
mod related_objects;
mod search;
mod selection;
mod shell;
mod summary;
mod tabs;
mod users;
mod zone;

use leptos::prelude::*;

use crate::actions::{Menu, Subjects, added_container, parsed};
use crate::loading::PageState;
use crate::visible::visible;
pub(crate) use link::{follow, to_object};
pub(crate) use logs::has_logs;
use opened::Opened;
use panel::Panel;
pub(crate) use related::condition;
use selection::Selection;
pub(crate) use selection::{MAX_LOGS, open_logs};
pub(crate) use shell::focus_shell;
use tabs::Tabs;
pub(crate) use tabs::{choose_tab, has_tab};
pub(crate) use users::{Users, users};

/// Panel of the route's object, or of several; created anew for each.
#[component]
pub(crate) fn Drawer(page: PageState, key: String) -> impl IntoView {
    match selection::keys(&page.navigator.resource.get_untracked(), &key) {
        Some(keys) => view! { <Selection page=page keys=keys /> }.into_any(),
        None => view! { <OpenObject page=page key=key /> }.into_any(),
    }
}

/// The panel of one object.
#[component]
fn OpenObject(page: PageState, key: String) -> impl IntoView {
    let PageState { cluster, navigator, source, .. } = page;
    let opened = Opened::new(page, key);
    let followed = opened.followed;
    let shown_namespace = opened.namespace().map(|namespace| format!(" · {}", visible(&namespace)));
    let menu_open = RwSignal::new(false);
    let subjects = Subjects::new(cluster, opened.resource(), source, vec![opened.subject()]);
    // A debug container was added: its shell is in the tab.
    let added_container = added_container();
    let is_here = {
        let added_container = added_container.clone();
        move || {
            let Some(pod) = added_container.with(|container| container.as_ref().map(|container| container.pod.clone()))
            else {
                return false;
            };
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
            added_container.set(None);
        }
    });
    view! {
        <Panel
            navigator=navigator
            title=visible(&opened.name()).into_owned()
            above=Signal::derive(move || format!("{}{}", source.label.get(), shown_namespace.as_deref().unwrap_or_default()))
            gone=followed.deleted
            menu=view! { <Menu open=menu_open area=".drawer .actions" subjects=subjects disabled=followed.deleted /> }.into_any()
        >
            <Tabs opened=opened />
        </Panel>
    }
}
