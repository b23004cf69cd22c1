//! Events of the open object, newest first, from an informer that lives as long as the tab.

use std::cell::RefCell;
use std::sync::Arc;

use informer::InformerStatus;
use informer_engine::OrderBy;
use informer_engine::columns::Cell;
use leptos::prelude::*;

use super::opened::Opened;
use crate::age::age;
use crate::cluster::{Informer, Scope};
use crate::freshness;
use crate::rows::{Row, Rows};
use crate::tone::{Tone, tone_of};
use crate::view::{LastRows, Query};
use crate::visible::visible;

/// Maximum number of events shown for one object.
const MAX_EVENTS: usize = 200;

#[derive(serde::Deserialize)]
struct Head {
    kind: Option<String>,
    metadata: Metadata,
}

#[derive(serde::Deserialize)]
struct Metadata {
    name: Option<String>,
    uid: Option<String>,
}

/// The events of the followed object.
#[component]
pub(super) fn Events(opened: Opened) -> impl IntoView {
    let Opened { cluster, followed, now, .. } = opened;
    let selector = Memo::new(move |_| followed.json.with(|json| json.as_deref().and_then(selector_of)));
    let columns = RwSignal::new(Vec::<String>::new());
    let rows = RwSignal::new(Vec::<Arc<Row>>::new());
    let status = RwSignal::new(InformerStatus::default());
    let current = StoredValue::new_local(None);
    let stop = move || {
        if let Some((informer, view)) = current.try_update_value(Option::take).flatten() {
            drop(view);
            Informer::stop(&informer);
        }
    };
    Effect::new(move || {
        stop();
        let Some(selector) = selector.get() else { return };
        let scope = Scope { namespace: opened.namespace(), field_selector: Some(selector), metadata_only: false };
        let informer = cluster.informer("v1/events", &scope, move |new| {
            status.try_set(new);
        });
        // By the displayed time, newest first: a repeated event has its first time. The names of events end in the
        // nanosecond of that time, which orders events of the same second.
        let by_name = OrderBy { column: "Name".to_owned(), descending: true };
        let query = Query { order_by: vec![OrderBy::ascending("Last Seen"), by_name], ..Query::default() };
        let known = RefCell::new((LastRows::default(), Rows::default()));
        let view = informer.view(&query, MAX_EVENTS, move |view| {
            let (last_rows, known) = &mut *known.borrow_mut();
            columns.try_set(view.columns().iter().map(|header| header.name()).collect());
            let (totals, window, changed) = last_rows.update(&view.snapshot());
            known.patch(totals, &window, changed);
            rows.try_set((0..totals.total.min(MAX_EVENTS)).filter_map(|at| known.get(at).cloned()).collect());
        });
        current.set_value(Some((informer, view)));
    });
    on_cleanup(stop);
    let nothing = move || {
        let text = rows.with(Vec::is_empty).then(|| {
            status.with(|status| match &status.last_error {
                Some(error) => format!("Events: {} — {}", freshness::code(error.code), visible(&error.message)),
                None if status.has_synced => {
                    "No events for this object. By default the apiserver deletes events after an hour.".to_owned()
                }
                None => "Waiting for events …".to_owned(),
            })
        });
        text.map(|text| view! { <p class="hint">{text}</p> })
    };
    view! {
        {nothing}
        <ol class="events">
            <For each=move || rows.get() key=|row| (row.key.clone(), row.cells.iter().map(key_of).collect::<String>()) let:row>
                {columns.with_untracked(|columns| event(&row, columns, now))}
            </For>
        </ol>
    }
}

/// Part of the key of an event: a repeated event is a changed row, so its text is its identity.
fn key_of(cell: &Cell) -> String {
    format!("{cell:?}\u{1f}")
}

fn event(row: &Row, columns: &[String], now: RwSignal<f64>) -> impl IntoView + use<> {
    let cell = |name: &str| {
        let at = columns.iter().position(|column| column == name);
        at.and_then(|at| row.cells.get(at)).cloned().unwrap_or(Cell::None)
    };
    let text = |name: &str| match cell(name) {
        Cell::Text(text) => visible(&text).into_owned(),
        Cell::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let last_seen = match cell("Last Seen") {
        Cell::Time(at) => Some(at),
        _ => None,
    };
    let kind = text("Type");
    let tone = tone_of("Type", &kind).map(Tone::name);
    view! {
        <li data-tone=tone>
            <p class="reason">
                <strong>{text("Reason")}</strong>
                {tone.map(|_| view! { <span class="badge">{kind}</span> })}
                <span class="ago">{move || last_seen.map(|at| format!("{} ago", age(now.get(), at)))}</span>
            </p>
            <p class="message">{text("Message")}</p>
        </li>
    }
}

/// Field selector for the events of an object. The kubelet writes a node's name instead of its uid.
fn selector_of(json: &str) -> Option<String> {
    let head: Head = serde_json::from_str(json).ok()?;
    let safe = |text: &String| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b':'));
    match (head.kind.as_deref(), head.metadata) {
        (Some("Node"), Metadata { name: Some(name), .. }) if safe(&name) => {
            Some(format!("involvedObject.kind=Node,involvedObject.name={name}"))
        }
        (_, Metadata { uid: Some(uid), .. }) if safe(&uid) => Some(format!("involvedObject.uid={uid}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_chosen_by_uid_and_for_nodes_by_name() {
        let of = |json| selector_of(json);
        assert_eq!(of(r#"{"kind":"Pod","metadata":{"uid":"a-1"}}"#), Some("involvedObject.uid=a-1".to_owned()));
        let node = r#"{"kind":"Node","metadata":{"name":"n1","uid":"u"}}"#;
        assert_eq!(of(node), Some("involvedObject.kind=Node,involvedObject.name=n1".to_owned()));
    }

    #[test]
    fn what_would_change_the_selector_is_left_out() {
        assert_eq!(selector_of(r#"{"metadata":{"uid":"a,b=c"}}"#), None);
        assert_eq!(selector_of(r#"{"metadata":{}}"#), None);
        assert_eq!(selector_of("nonsense"), None);
    }
}
