//! Related objects of the open object, by relation, each with its state; and the events of it and of its dependents.

use std::sync::Arc;

use kube_objects::{Edge, Finding, Relation, Severity};
use leptos::prelude::*;
use serde_json::Value;

use super::around::{State, States, with_subject};
use super::link::{link, moment, text};
use super::opened::Opened;
use super::summary::{Reading, Unread};

/// Maximum number of shown objects per relation.
const MOST: usize = 200;

const RELATIONS: [(Relation, &str); 8] = [
    (Relation::Owner, "Owned by"),
    (Relation::Owned, "Owns"),
    (Relation::RunsOn, "Runs on"),
    (Relation::Runs, "Runs"),
    (Relation::Uses, "Uses"),
    (Relation::UsedBy, "Used by"),
    (Relation::Selects, "Selects"),
    (Relation::SelectedBy, "Selected by"),
];

/// A related object and its state in words, with a tone.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    edge: Edge,
    state: String,
    tone: Option<&'static str>,
}

/// The related objects.
#[component]
pub(super) fn Related(opened: Opened) -> impl IntoView {
    let known = opened.known;
    known.around.want();
    let entries = Memo::new(move |_| {
        known
            .around
            .states
            .with(|states| known.edges.get().into_iter().map(|edge| entry(edge, states)).collect::<Vec<_>>())
    });
    let groups = RELATIONS
        .map(|(relation, title)| {
            let of = Memo::new(move |_| {
                entries.with(|entries| {
                    let of = entries.iter().filter(|entry| entry.edge.relation == relation);
                    of.cloned().collect::<Vec<Entry>>()
                })
            });
            let shown = move || of.get().into_iter().take(MOST).collect::<Vec<Entry>>();
            let more = move || {
                let more = of.with(Vec::len).saturating_sub(MOST);
                (more > 0).then(|| view! { <p class="reading">{format!("{more} more")}</p> })
            };
            view! {
                <Show when=move || !of.with(Vec::is_empty)>
                    <section>
                        <h3>{title} <span class="count">{move || of.with(Vec::len)}</span></h3>
                        <ul class="related" aria-label=title>
                            <For
                                each=shown
                                key=|entry| format!("{entry:?}")
                                let:entry
                            >
                                {row(opened, &entry)}
                            </For>
                        </ul>
                        {more}
                    </section>
                </Show>
            }
        })
        .into_iter()
        .collect_view();
    let nothing = move || {
        let text = if known.object.with(Option::is_none) {
            opened.absence()
        } else if entries.with(Vec::is_empty) && known.reading().0.is_empty() {
            "No related objects were found."
        } else {
            return None;
        };
        Some(view! { <p class="hint">{text}</p> })
    };
    view! { <div class="summary">{nothing} <Unread opened=opened /> {groups} <Recent opened=opened /> <Reading opened=opened /></div> }
}

fn row(opened: Opened, entry: &Entry) -> impl IntoView + use<> {
    let to = &entry.edge.to;
    // Indirect owners and dependents are indented.
    let indent = format!("{}px", entry.edge.depth.saturating_sub(1).min(6) * 16);
    view! {
        <li style:padding-inline-start=indent>
            <span class="kind">{text(&to.kind)}</span>
            {link(opened, to, &to.name)}
            {(!entry.edge.role.is_empty()).then(|| view! { <span class="role">{text(&entry.edge.role)}</span> })}
            <span class="state value" data-tone=entry.tone>{text(&entry.state)}</span>
        </li>
    }
}

fn entry(edge: Edge, states: &States) -> Entry {
    let objects = states.iter().filter_map(|(_, state)| match state {
        State::Found(objects) => Some(objects),
        _ => None,
    });
    let found = objects.flat_map(|objects: &Arc<Vec<Value>>| objects.iter()).find(|object| edge.to.is_to(object));
    let (state, tone) = found.map_or_else(Default::default, |object| state_of(object, states));
    Entry { edge, state, tone }
}

/// The worst finding of an object, or its phase or counts.
fn state_of(object: &Value, states: &States) -> (String, Option<&'static str>) {
    let findings: Vec<Finding> = with_subject(object, states, &[], kube_objects::diagnose);
    if let Some(Finding { severity, sentence, .. }) = findings.into_iter().next() {
        let tone = match severity {
            Severity::Error => "bad",
            Severity::Warning => "warn",
            Severity::Info => "idle",
        };
        return (sentence, Some(tone));
    }
    let number = |path: &str| object.pointer(path).and_then(Value::as_i64);
    if let Some(phase) = object.pointer("/status/phase").and_then(Value::as_str) {
        let tone = crate::tone::tone_of("Status", phase).map(crate::tone::Tone::name);
        return (phase.to_owned(), tone);
    }
    match number("/spec/replicas") {
        Some(desired) => (format!("{}/{desired} ready", number("/status/readyReplicas").unwrap_or(0)), None),
        None => (String::new(), None),
    }
}

/// The latest events of the object and of its dependents.
#[component]
fn Recent(opened: Opened) -> impl IntoView {
    let states = opened.known.around.states;
    let events = Memo::new(move |_| states.with(recent));
    view! {
        <Show when=move || !events.with(Vec::is_empty)>
            <section>
                <h3>{"Events"}</h3>
                <ul class="related recent" aria-label="Events">
                    <For each=move || events.get() key=|event| format!("{event:?}") let:event>
                        <li>
                            <span class="value" data-tone=event.warns.then_some("warn")>{text(&event.reason)}</span>
                            {link(opened, &event.about, &format!("{} {}", event.about.kind, event.about.name))}
                            <span class="said">{text(&event.message)}</span>
                            {event.at.map(|at| moment(opened, at))}
                        </li>
                    </For>
                </ul>
            </section>
        </Show>
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Event {
    reason: String,
    message: String,
    about: kube_objects::Link,
    warns: bool,
    at: Option<f64>,
}

fn recent(states: &States) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (need, state) in states {
        if let (State::Found(objects), "Event") = (state, need.kind.as_str()) {
            events.extend(objects.iter().map(event));
        }
    }
    events.sort_by(|a, b| b.at.unwrap_or(0.0).total_cmp(&a.at.unwrap_or(0.0)));
    events.truncate(50);
    events
}

fn event(object: &Value) -> Event {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let of = |name: &str| text(&format!("/involvedObject/{name}"));
    let group = of("apiVersion").split_once('/').map_or("", |(group, _)| group);
    let moment = |path: &str| informer::parse_rfc3339(text(path));
    let at = ["/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/metadata/creationTimestamp"];
    Event {
        reason: text("/reason").to_owned(),
        message: text("/message").to_owned(),
        about: kube_objects::Link::new(group, of("kind"), of("namespace"), of("name")),
        warns: text("/type") == "Warning",
        at: at.into_iter().find_map(moment),
    }
}
