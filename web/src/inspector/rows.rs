//! Table of the informers: a row each, which opens its pipeline.

use std::sync::Arc;

use informer::InformerStatus;
use leptos::prelude::*;

use super::engine::{Engine, Inspected};
use super::pipeline::pipeline;
use crate::age::{bytes, thousands};
use crate::freshness;
use crate::plain::whole;
use crate::text::decimal;
use crate::visible::visible;

/// Name of a column, and its text for an informer.
type Figure = (&'static str, fn(&Inspected) -> String);

/// Columns after the name, the state and the watch. Each is a number.
const FIGURES: [Figure; 9] = [
    ("Objects", |informer| thousands(informer.metrics.objects)),
    ("Memory", |informer| bytes(informer.metrics.bytes)),
    ("Events/s", |informer| decimal((informer.transport.events_per_second * 10.0).round() / 10.0)),
    ("Bytes/s", |informer| bytes(whole(informer.transport.bytes_per_second))),
    ("Requests", |informer| thousands(informer.transport.requests)),
    ("Relists", |informer| thousands(informer.metrics.relists)),
    ("Errors", |informer| thousands(informer.metrics.errors)),
    ("Waiting", |informer| thousands(informer.waiting())),
    ("Pages", |informer| thousands(informer.users)),
];

/// The table. `chosen` is the name of the informer whose pipeline is open.
pub(super) fn rows(
    engine: RwSignal<Option<Engine>>,
    chosen: RwSignal<Option<String>>,
    now: RwSignal<f64>,
) -> impl IntoView {
    let names = Memo::new(move |_| {
        let names = |engine: &Engine| engine.informers.iter().map(|informer| informer.name()).collect::<Vec<_>>();
        engine.with(|engine| engine.as_ref().map(names).unwrap_or_default())
    });
    let row = move |name: String| {
        let of = name.clone();
        let informer = Memo::new(move |_| engine.with(|engine| engine.as_ref()?.named(&of).cloned()));
        row(&name, informer, chosen, now)
    };
    view! {
        <div class="table-scroll" role="region" aria-label="Table of informers" tabindex="0">
            <table class="informers">
                <thead>
                    <tr>
                        <th scope="col">{"Informer"}</th>
                        <th scope="col">{"State"}</th>
                        <th scope="col">{"Watch"}</th>
                        {FIGURES.map(|(name, _)| view! { <th scope="col" class="figure">{name}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>
                    <For each=move || names.get() key=Clone::clone let:name>
                        {row(name)}
                    </For>
                </tbody>
            </table>
        </div>
    }
}

fn row(
    name: &str,
    informer: Memo<Option<Arc<Inspected>>>,
    chosen: RwSignal<Option<String>>,
    now: RwSignal<f64>,
) -> impl IntoView + use<> {
    let own = name.to_owned();
    let is_open = Memo::new(move |_| chosen.with(|chosen| chosen.as_ref() == Some(&own)));
    let own = name.to_owned();
    let press = move |_| chosen.set(Some(own.clone()).filter(|_| !is_open.get_untracked()));
    let cell = move |text: fn(&Inspected) -> String| {
        Memo::new(move |_| informer.with(|informer| informer.as_deref().map(text).unwrap_or_default()))
    };
    let state = cell(|informer| freshness::state(&informer.status));
    let tone = Memo::new(move |_| informer.with(|informer| informer.as_deref().and_then(|one| trouble(&one.status))));
    let watch = cell(|informer| carrier(informer).to_owned());
    let figures = FIGURES.map(|(_, text)| {
        let text = cell(text);
        view! { <td class="figure">{move || text.get()}</td> }
    });
    view! {
        <tr data-informer=name.to_owned()>
            <th scope="row">
                <button class="link" type="button" aria-expanded=move || if is_open.get() { "true" } else { "false" } on:click=press>
                    {visible(name).into_owned()}
                </button>
            </th>
            <td data-tone=move || tone.get()>{move || state.get()}</td>
            <td>{move || watch.get()}</td>
            {figures.collect_view()}
        </tr>
        <Show when=move || is_open.get()>
            <tr class="opened">
                <td colspan={FIGURES.len() + 3}>{pipeline(informer, now)}</td>
            </tr>
        </Show>
    }
}

/// The tone of a state that may differ from the server's.
fn trouble(status: &InformerStatus) -> Option<&'static str> {
    freshness::is_stale(status.freshness).then_some("bad")
}

fn carrier(informer: &Inspected) -> &'static str {
    match informer.transport.carrier.as_deref() {
        Some("fetch") if informer.transport.protobuf => "HTTP, protobuf",
        Some("fetch") if informer.transport.json_reason.is_some() => "HTTP, JSON (protobuf failed)",
        Some("fetch") => "HTTP",
        Some("websocket") => "WebSocket",
        Some(_) => "open",
        None => "none",
    }
}
