//! Details panel of the status line: the informer's figures, its last error, and its history.

pub(crate) mod inspection;

use informer::{ErrorReport, Freshness, InformerStatus};
use leptos::prelude::*;

use crate::age::{age, bytes, thousands};
use crate::cluster::{Cluster, Informer};
use crate::freshness;
use crate::source::Source;
use crate::status_line::{Retry, clock};
use crate::tone::Tone;
use inspection::{Inspection, Line, rates, relists_note, suspicions};

/// Panel. While it is open, it inspects the informer each second, without a request to the server.
#[component]
pub(crate) fn Details(cluster: Cluster, source: Source, now: RwSignal<f64>) -> impl IntoView {
    let status = source.status;
    let inspection = inspected(source, now);
    let lines = move || inspection.with(|inspection| inspection.as_ref().map(Inspection::lines).unwrap_or_default());
    view! {
        <div class="details">
            <div class="facts">
                <dl>{move || inspection.with(|inspection| facts(&status.get(), inspection.as_ref(), now.get()))}</dl>
                {move || {
                    status.with(|status| status.last_error.as_ref().map(|error| error_note(status.freshness, error)))
                }}
                <p class="actions">
                    <Retry cluster=cluster source=source />
                    <a class="button" href="#/inspector">{"All informers"}</a>
                    <ClearSnapshots cluster=cluster />
                </p>
            </div>
            <section class="happened">
                <h2 id="happened">{"History"}</h2>
                // A list with a fixed height, so that new lines move no other element.
                <div class="steps" role="region" aria-labelledby="happened" tabindex="0">
                    <ol>
                        <For each=lines key=Line::key let:line>
                            {step(line, now)}
                        </For>
                    </ol>
                </div>
            </section>
        </div>
    }
}

/// Inspection of the table's informer, refreshed each second; `None` until its first response.
fn inspected(source: Source, now: RwSignal<f64>) -> RwSignal<Option<Inspection>> {
    let inspection = RwSignal::new(None);
    // Informer whose response is in flight.
    let in_flight = StoredValue::new_local(None::<Informer>);
    Effect::new(move |before: Option<Option<Informer>>| {
        now.track();
        let informer = source.informer.get();
        if before.flatten() != informer {
            inspection.set(None);
        }
        let Some(requested) = informer.clone().filter(|requested| in_flight.get_value().as_ref() != Some(requested))
        else {
            return informer;
        };
        in_flight.set_value(Some(requested.clone()));
        requested.clone().inspect(move |response| {
            // The panel may be closed by now, or show another informer.
            if in_flight.try_get_value().flatten().as_ref() != Some(&requested) {
                return;
            }
            in_flight.set_value(None);
            // A stopped informer does not respond.
            if source.informer.try_get_untracked().flatten().as_ref() == Some(&requested)
                && let Some(response) = response
            {
                inspection.try_set(Some(response));
            }
        });
        informer
    });
    inspection
}

/// A protocol step as an item of a list.
pub(crate) fn step(line: Line, now: RwSignal<f64>) -> impl IntoView + use<> {
    let Line { text, tone, at, until, .. } = line;
    let times = if until > at { format!("{} to {}", clock(at), clock(until)) } else { clock(at) };
    view! {
        <li data-tone=tone.map(Tone::name)>
            <span class="at" title=times>{clock(at)}</span>
            <span>{text}</span>
            <span class="ago">{move || age(now.get(), until)} <span class="visually-hidden">{" ago"}</span></span>
        </li>
    }
}

fn facts(status: &InformerStatus, inspection: Option<&Inspection>, now: f64) -> impl IntoView + use<> {
    let ago = |at: Option<f64>| at.map_or("none yet".to_owned(), |at| format!("{} ago ({})", age(now, at), clock(at)));
    let next = |at: f64| format!("in {} ({})", age(at.max(now), now), clock(at));
    let phase = format!("{:?}", status.phase).to_lowercase();
    let inspected_text = |text_of: &dyn Fn(&Inspection) -> String| inspection.map_or("…".to_owned(), text_of);
    let facts = [
        ("Phase", phase),
        (
            "Resource version",
            if status.resource_version.is_empty() { "none yet".into() } else { status.resource_version.clone() },
        ),
        ("Objects", format!("{} ({})", thousands(status.objects), bytes(status.bytes))),
        ("Lists", format!("{}{}", thousands(status.lists), relists_note(status.relists))),
        ("Watches", inspected_text(&|inspection| watches(status.watches, inspection))),
        (
            "Suspected",
            inspected_text(&|inspection| {
                suspicions(inspection.metrics.suspicions, inspection.metrics.false_suspicions)
            }),
        ),
        ("Received", inspected_text(&received)),
        (
            "Last 10 s",
            inspected_text(&|inspection| {
                let transport = &inspection.transport;
                rates(transport.events_per_second, transport.bytes_per_second)
            }),
        ),
        ("Events", thousands(status.events)),
        ("Bookmarks", inspected_text(&|inspection| thousands(inspection.metrics.bookmarks))),
        ("Undecodable events", thousands(status.dropped_events)),
        ("Errors", inspected_text(&|inspection| thousands(inspection.metrics.errors))),
        ("Last event", ago(status.last_event_at)),
        ("Last bookmark", ago(status.last_bookmark_at)),
        ("Last contact", ago(status.last_contact_at)),
        ("Next retry", status.next_retry_at.map_or("none scheduled".to_owned(), next)),
    ];
    // Present if all namespaces were requested and the user may read only some.
    let permitted = Some(("Permitted namespaces", status.namespaces.join(", "))).filter(|(_, names)| !names.is_empty());
    facts.into_iter().chain(permitted).map(|(name, fact)| view! { <dt>{name}</dt><dd>{fact}</dd> }).collect_view()
}

fn watches(count: u64, known: &Inspection) -> String {
    let early = match known.metrics.early_ends {
        0 => String::new(),
        early => format!(", {} ended early", thousands(early)),
    };
    format!("{}{early}, {}", thousands(count), known.transport.carrier())
}

fn received(known: &Inspection) -> String {
    let transport = &known.transport;
    let requests = match transport.requests {
        1 => "1 request".to_owned(),
        requests => format!("{} requests", thousands(requests)),
    };
    format!("{} in {requests}", bytes(transport.bytes))
}

fn error_note(freshness: Freshness, error: &ErrorReport) -> impl IntoView + use<> {
    let status = error.status.map_or(String::new(), |status| format!("HTTP {status} · "));
    view! {
        <div class="mishap">
            <p><strong>{status} {freshness::reason(error)}</strong> " — " {error.message.clone()}</p>
            {error.request.clone().map(|request| view! { <p><code>{request}</code></p> })}
            <p>{freshness::meaning(freshness, error)}</p>
        </div>
    }
}

/// Button that clears the snapshots persisted in this browser.
#[component]
fn ClearSnapshots(cluster: Cluster) -> impl IntoView {
    let label = RwSignal::new("Clear data saved in this browser".to_owned());
    let clear = move |_| {
        cluster.clear_snapshots(move |cleared| {
            label.try_set(match cleared {
                Ok(()) => "Cleared: no data is saved in this browser".to_owned(),
                Err(error) => error.message,
            });
        });
    };
    view! {
        <button class="button clear-snapshots" type="button" on:click=clear>
            {move || label.get()}
        </button>
    }
}
