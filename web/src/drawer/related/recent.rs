//! Latest events of the open object and of what it owns.

use kube_objects::Link;
use leptos::prelude::*;
use serde_json::Value;

use crate::drawer::link::{link, moment, text};
use crate::drawer::opened::Opened;
use crate::drawer::related_objects::{NeedState, NeedStates};

/// The events.
#[component]
pub(super) fn Recent(opened: Opened) -> impl IntoView {
    let states = opened.known.related.states;
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
    about: Link,
    warns: bool,
    at: Option<f64>,
}

fn recent(states: &NeedStates) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (need, state) in states {
        if let (NeedState::Found(objects), "Event") = (state, need.kind.as_str()) {
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
        about: Link::new(group, of("kind"), of("namespace"), of("name")),
        warns: text("/type") == "Warning",
        at: at.into_iter().find_map(moment),
    }
}
