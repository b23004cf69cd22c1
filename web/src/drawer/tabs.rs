//! Tabs of the drawer: the list to which a new tab is added, and the row of buttons that chooses one.
//!
//! The open tab is in the address (`tab=yaml`), so Back, Forward, a reload and a link show it again.

use informer::GroupVersionResource;
use leptos::html::Div;
use leptos::prelude::*;
use serde_json::Value;

use super::events::{Events, EventsProps};
use super::logs::{self, has_logs, is_workload};
use super::object::{Object, ObjectProps};
use super::opened::Opened;
use super::related::{Related, RelatedProps};
use super::shell::{Shell, ShellProps};
use super::summary::{Summary, SummaryProps};
use crate::navigator::Navigator;
use crate::roving::{Axis, Roving};
use crate::timeline;

/// Tab of the drawer.
struct Tab {
    /// Its name in the address.
    name: &'static str,
    label: &'static str,
    /// Whether it applies to a resource.
    applies: fn(&GroupVersionResource) -> bool,
    /// Whether it applies to an object of another resource, once that is known.
    applies_to: fn(&Value) -> bool,
    show: fn(Opened) -> AnyView,
}

/// All tabs, in their order. The first one that applies is the default.
const TABS: &[Tab] = &[
    Tab {
        name: "summary",
        label: "Summary",
        applies: |_| true,
        applies_to: |_| true,
        show: |opened| Summary(SummaryProps { opened }).into_any(),
    },
    Tab {
        name: "yaml",
        label: "YAML",
        applies: |_| true,
        applies_to: |_| true,
        show: |opened| Object(ObjectProps { opened }).into_any(),
    },
    Tab {
        name: "events",
        label: "Events",
        applies: |_| true,
        applies_to: |_| true,
        show: |opened| Events(EventsProps { opened }).into_any(),
    },
    Tab {
        name: "changes",
        label: "Changes",
        applies: |_| true,
        applies_to: |_| true,
        show: |opened| timeline::of_object(opened.page(), opened.resource().to_string(), &opened.key()),
    },
    Tab { name: "logs", label: "Logs", applies: has_logs, applies_to: is_workload, show: logs::of_object },
    Tab {
        name: "shell",
        label: "Shell",
        applies: |resource| resource.group.is_empty() && resource.resource == "pods",
        applies_to: |_| false,
        show: |opened| Shell(ShellProps { opened }).into_any(),
    },
    Tab {
        name: "related",
        label: "Related",
        applies: |_| true,
        applies_to: |_| true,
        show: |opened| Related(RelatedProps { opened }).into_any(),
    },
];

/// Looks up a tab by its name.
fn tab_named(name: &str) -> Option<&'static Tab> {
    TABS.iter().find(|tab| tab.name == name)
}

/// Whether all objects of a resource have a tab. Others may have it, too, which their fields and relations show.
pub(crate) fn has_tab(name: &str, resource: &GroupVersionResource) -> bool {
    tab_named(name).is_some_and(|tab| (tab.applies)(resource))
}

/// Shows a tab of the open object. The first one is not in the address.
pub(crate) fn choose_tab(navigator: Navigator, name: &str) {
    let is_first = TABS.first().is_some_and(|tab| tab.name == name);
    navigator.go(|route| route.tab = (!is_first).then(|| name.to_owned()));
}

/// Tabs and the panel of the chosen one.
#[component]
pub(super) fn Tabs(opened: Opened) -> impl IntoView {
    let navigator = opened.navigator;
    let first = TABS.first().map_or("", |tab| tab.name);
    // The relations are read for the tab Related alone, so an owned pod that they have shown is remembered. An address
    // with `tab=logs` shows the tab before they are read.
    let may_own_pods = logs::may_own_pods(&opened.resource());
    let owns_pods = Memo::new(move |before: Option<&bool>| {
        let is_linked = || navigator.tab.with(|tab| tab.as_deref() == Some("logs"));
        before == Some(&true)
            || (may_own_pods && (is_linked() || opened.derived.edges.with(|edges| logs::own_pods(edges))))
    });
    // Names of the tabs: those that depend on the object come with it.
    let names = Memo::new(move |_| {
        let object = opened.derived.object.get();
        let applies = |tab: &&Tab| {
            (tab.applies)(&opened.resource())
                || object.as_deref().is_some_and(|object| (tab.applies_to)(object))
                || (tab.name == "logs" && owns_pods.get())
        };
        TABS.iter().filter(applies).map(|tab| tab.name).collect::<Vec<_>>()
    });
    let chosen = Memo::new(move |_| {
        names.with(|names| {
            let requested = |tab: &Option<String>| names.iter().copied().find(|name| tab.as_deref() == Some(*name));
            navigator.tab.with(requested).unwrap_or(first)
        })
    });
    let choose = move |name: &'static str| choose_tab(navigator, name);
    let row = NodeRef::<Div>::new();
    let roving = Roving::new(row, "[role=tab]", Axis::Horizontal);
    let button = move |tab: &'static Tab| {
        let selected = move || chosen.get() == tab.name;
        view! {
            <button
                type="button"
                role="tab"
                id=format!("tab-{}", tab.name)
                aria-controls="drawer-panel"
                aria-selected=move || if selected() { "true" } else { "false" }
                tabindex=move || if selected() { "0" } else { "-1" }
                on:click=move |_| choose(tab.name)
                // The arrow keys move the focus, and the panel follows it.
                on:focus=move |_| choose(tab.name)
            >
                {tab.label}
            </button>
        }
    };
    view! {
        <div
            class="tabs"
            role="tablist"
            node_ref=row
            on:keydown=move |event| roving.on_key(&event)
            on:focusin=move |event| roving.on_focus(&event)
        >
            <For each=move || names.get() key=|name| *name let:name>
                {tab_named(name).map(button)}
            </For>
        </div>
        <div class="panel" id="drawer-panel" role="tabpanel" aria-labelledby=move || format!("tab-{}", chosen.get())>
            {move || {
                let name = chosen.get();
                tab_named(name).map(|tab| untrack(|| (tab.show)(opened)))
            }}
        </div>
    }
}
