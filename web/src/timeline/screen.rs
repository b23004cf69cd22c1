//! Screen of the recorded changes and the Kubernetes Events, merged by time.

use std::rc::Rc;
use std::sync::Arc;

use kube_objects::Category;
use leptos::prelude::*;

use super::Timeline;
use super::chart::chart;
use super::entries::{EntryFilter, merged};
use super::event_rows;
use super::feed::{Feed, FeedRequest};
use super::list::{ListContext, label, list, older_button};
use super::recorded::RecordedInformer;
use crate::age::{bytes, thousands};
use crate::loading::PageState;
use crate::namespaces::{self, names};
use crate::plain;
use crate::route::{Route, Screen};
use crate::scoped_informer::ScopedInformer;
use crate::status_line::clock;

/// Kinds that are recorded while the screen is open, beside those that the page uses.
const KINDS: [&str; 6] =
    ["v1/pods", "apps/v1/deployments", "apps/v1/statefulsets", "apps/v1/daemonsets", "v1/nodes", "v1/configmaps"];

/// Address of the screen, with the chosen namespaces. Tracked.
pub(super) fn href(page: PageState) -> String {
    page.navigator.hash_with(|route| {
        let namespaces = route.namespaces.take();
        *route = Route { screen: Screen::Changes, namespaces, ..Route::default() };
    })
}

/// Screen of the changes.
#[component]
pub(crate) fn Changes(page: PageState) -> impl IntoView {
    let timeline = Timeline::for_tab(page);
    let always = Memo::new(|_| true);
    for resource in KINDS {
        // One of all namespaces: the record of one would end with another choice.
        ScopedInformer::open_while(page.cluster, resource, "", Memo::new(|_| None), always);
    }
    let feed = Feed::open(timeline, None);
    let filter = RwSignal::new(EntryFilter::default());
    let events = event_rows::follow(page, Memo::new(move |_| filter.with(|filter| !filter.hides_events)));
    let entries = Memo::new(move |_| {
        let mut filter = filter.get();
        filter.namespaces = page
            .navigator
            .namespaces
            .with(|chosen| names(chosen.as_deref().unwrap_or_default()).map(str::to_owned).collect());
        let request = feed.request.get();
        let events = events.get();
        let in_span = |time: f64| request.span.is_none_or(|(since, until)| (since..=until).contains(&time));
        let events: Vec<_> =
            events.iter().filter(|entry| !request.differences && entry.time.is_some_and(in_span)).cloned().collect();
        let lists = feed.lists.with(|lists| lists.iter().map(|(_, list)| Arc::clone(list)).collect::<Vec<_>>());
        merged(lists.into_iter().chain([Arc::new(events)]), &filter)
    });
    let scope = move || page.navigator.namespaces.with(|chosen| namespaces::scope(chosen.as_deref()));
    let nothing = move || {
        let is_empty = entries.with(Vec::is_empty);
        let message = if timeline.since().is_some() {
            "No changes match. The page records what changes while it is open."
        } else {
            "Waiting for the first lists: changes are recorded from then on."
        };
        is_empty.then(|| view! { <p class="hint">{message}</p> })
    };
    view! {
        <main class="overview changes-screen" tabindex="0" aria-label="Changes">
            <h1 class="visually-hidden">{"Changes"}</h1>
            <p class="scope">{scope}</p>
            {chart(timeline, feed.request)}
            {span_tools(feed.request)}
            {filter_tools(filter)}
            {nothing}
            {list(ListContext { page, timeline, is_single_object: false }, entries)}
            {older_button(feed)}
            {records(page, timeline)}
        </main>
    }
}

/// The chosen span of time, with its tools: differences, and a way back to all times.
fn span_tools(request: RwSignal<FeedRequest>) -> impl IntoView {
    let span = Memo::new(move |_| request.with(|request| request.span));
    move || {
        let Some((since, until)) = span.get() else {
            return view! { <p class="hint">{"Drag over the chart to choose a span of time."}</p> }.into_any();
        };
        let text = format!("From {} to {}", clock(since), clock(until));
        view! {
            <div class="span-tools">
                <strong>{text}</strong>
                <label class="choice">
                    <input
                        type="checkbox"
                        prop:checked=move || request.with(|request| request.differences)
                        on:change=move |event| {
                            request.update(|request| request.differences = event_target_checked(&event));
                        }
                    />
                    <span>{"One line for each object: the difference between both times"}</span>
                </label>
                <button
                    class="button"
                    type="button"
                    on:click=move |_| request.update(|request| (request.span, request.differences) = (None, false))
                >
                    {"Show all times"}
                </button>
            </div>
        }
        .into_any()
    }
}

/// The text box and the switches of the categories.
fn filter_tools(filter: RwSignal<EntryFilter>) -> impl IntoView {
    let switch = move |category: Category| {
        let is_shown = move || filter.with(|filter| !filter.hidden.contains(&category));
        let press = move |_| {
            filter.update(|filter| match filter.hidden.iter().position(|hidden| *hidden == category) {
                Some(index) => drop(filter.hidden.remove(index)),
                None => filter.hidden.push(category),
            });
        };
        view! { <button class="chip" type="button" aria-pressed=move || if is_shown() { "true" } else { "false" } on:click=press>{category.label()}</button> }
    };
    view! {
        <div class="change-choices" role="group" aria-label="Which changes are shown">
            <input
                class="field"
                type="search"
                placeholder="Find by name, kind or text"
                aria-label="Find changes"
                spellcheck="false"
                autocomplete="off"
                prop:value=move || filter.with(|filter| filter.text.clone())
                on:input=move |event| filter.update(|filter| filter.text = event_target_value(&event))
            />
            {Category::ALL.map(switch).into_iter().collect_view()}
            <button
                class="chip"
                type="button"
                aria-pressed=move || if filter.with(|filter| filter.hides_events) { "false" } else { "true" }
                on:click=move |_| filter.update(|filter| filter.hides_events = !filter.hides_events)
            >
                {"Kubernetes Events"}
            </button>
        </div>
    }
}

/// The records: kind, begin, number of changes, memory.
fn records(page: PageState, timeline: Timeline) -> impl IntoView {
    let rows = move || {
        timeline.revision.track();
        let records = timeline.recorded.get();
        let row = |recorded: &Rc<RecordedInformer>| {
            let (count, size) = recorded.size();
            let since = recorded.since().map_or_else(|| "waits for its list".to_owned(), clock);
            let part = if recorded.is_partial { " (a selection)" } else { "" };
            let scope = recorded.namespace.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            view! {
                <tr>
                    <th scope="row">{format!("{}{part}{scope}", label(page, &recorded.resource))}</th>
                    <td>{since}</td>
                    <td>{thousands(plain::whole(count))}</td>
                    <td>{bytes(plain::whole(size))}</td>
                </tr>
            }
        };
        records.iter().map(row).collect_view()
    };
    view! {
        <details class="records">
            <summary>{"Recorded kinds"}</summary>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{"Kind"}</th>
                        <th scope="col">{"Since"}</th>
                        <th scope="col">{"Changes"}</th>
                        <th scope="col">{"Memory"}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <p class="hint">
                {"Each kind that the page shows is recorded, in at most 8.4 MB, and for ten minutes after you leave it. Of a Secret, only the fact that it changed is recorded. The records end with this tab."}
            </p>
            <button
                class="button"
                type="button"
                on:click=move |_| timeline.restart()
            >
                {"Delete the recorded changes"}
            </button>
        </details>
    }
}
