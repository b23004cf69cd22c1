//! Latest events of the open object and of what it owns.

use kube_objects::Link;
use leptos::prelude::*;
use serde_json::Value;

use crate::drawer::link::{link, moment, text};
use crate::drawer::opened::Opened;
use crate::drawer::related_objects::{NeedState, NeedStates};

/// Maximum number of shown events: the newest.
const MAX_EVENTS: usize = 50;

/// List of the latest events.
#[component]
pub(super) fn Recent(opened: Opened) -> impl IntoView {
    let states = opened.derived.related.states;
    let events = Memo::new(move |_| states.with(events));
    let shown = move || events.with(|events| events.iter().take(MAX_EVENTS).cloned().collect::<Vec<_>>());
    let older = move || {
        let older = events.with(Vec::len).saturating_sub(MAX_EVENTS);
        (older > 0).then(|| view! { <p class="reading">{format!("{older} older events are not shown.")}</p> })
    };
    view! {
        <Show when=move || !events.with(Vec::is_empty)>
            <section>
                <h3>{"Events"} <span class="count">{move || events.with(Vec::len)}</span></h3>
                <ul class="related recent" aria-label="Events">
                    <For each=shown key=|event| format!("{event:?}") let:event>
                        <li>
                            <span class="value" data-tone=event.warns.then_some("warn")>{text(&event.reason)}</span>
                            {link(opened, &event.about, &format!("{} {}", event.about.kind, event.about.name))}
                            <span class="said">{text(&event.message)}</span>
                            {event.at.map(|at| moment(opened, at))}
                        </li>
                    </For>
                </ul>
                {older}
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

/// All events, newest first.
fn events(states: &NeedStates) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (need, state) in states {
        if let (NeedState::Found(objects), "Event") = (state, need.kind.as_str()) {
            events.extend(objects.iter().map(event));
        }
    }
    events.sort_by(|a, b| b.at.unwrap_or(0.0).total_cmp(&a.at.unwrap_or(0.0)));
    events
}

fn event(object: &Value) -> Event {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let involved = |name: &str| text(&format!("/involvedObject/{name}"));
    let group = involved("apiVersion").split_once('/').map_or("", |(group, _)| group);
    let moment = |path: &str| informer::parse_rfc3339(text(path));
    let at = ["/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/metadata/creationTimestamp"];
    Event {
        reason: text("/reason").to_owned(),
        message: text("/message").to_owned(),
        about: Link::new(group, involved("kind"), involved("namespace"), involved("name")),
        warns: text("/type") == "Warning",
        at: at.into_iter().find_map(moment),
    }
}
