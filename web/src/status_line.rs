//! The freshness of the table: a sentence with a mark, and behind it what an expert wants to know.

use informer::{ErrorReport, InformerStatus};
use leptos::prelude::*;

use crate::age::{age, bytes, thousands};
use crate::engine::Engine;
use crate::freshness;

/// The sentence; a press shows the details. `now` ticks each second.
#[component]
pub(crate) fn StatusLine(engine: Engine, status: RwSignal<InformerStatus>, now: RwSignal<f64>) -> impl IntoView {
    let open = RwSignal::new(false);
    let sentence = Memo::new(move |_| {
        // Only a countdown depends on the time: other sentences are not made anew each second.
        let waits = status.with(|status| status.next_retry_at.is_some());
        let now = if waits { now.get() } else { 0.0 };
        status.with(|status| freshness::sentence(status, now, clock))
    });
    let name = Memo::new(move |_| status.with(|status| status.freshness.as_str()));
    let close = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" {
            open.set(false);
        }
    });
    on_cleanup(move || close.remove());
    view! {
        <div class="status">
            <button
                class="freshness"
                type="button"
                data-freshness=move || name.get()
                aria-expanded=move || if open.get() { "true" } else { "false" }
                on:click=move |_| open.update(|open| *open = !*open)
                title="Show details"
            >
                <span class="mark" aria-hidden="true"></span>
                <span class="sentence">{move || sentence.get()}</span>
            </button>
            // Only a change of state is read aloud, not each count.
            <span class="visually-hidden" role="status">{move || name.get().replace('-', " ")}</span>
            <Show when=move || open.get()>
                <div class="details">
                    <dl>{move || facts(&status.get(), now.get())}</dl>
                    {move || status.with(|status| status.last_error.as_ref().map(mishap))}
                    <Forget engine=engine />
                </div>
            </Show>
        </div>
    }
}

/// Removes what is kept in this browser for the next reload.
#[component]
fn Forget(engine: Engine) -> impl IntoView {
    let says = RwSignal::new("Forget what is kept for the next reload".to_owned());
    let forget = move |_| {
        engine.forget_snapshots(move |forgotten| {
            says.set(match forgotten {
                Ok(_) => "Forgotten: nothing is kept in this browser any more".to_owned(),
                Err(error) => error.message,
            });
        });
    };
    view! {
        <p>
            <button class="button forget" type="button" on:click=forget>
                {move || says.get()}
            </button>
        </p>
    }
}

/// A moment as the user's time of day.
pub(crate) fn clock(at: f64) -> String {
    let date = js_sys::Date::new(&at.into());
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}

fn facts(status: &InformerStatus, now: f64) -> impl IntoView + use<> {
    let ago = |at: Option<f64>| at.map_or("none yet".to_owned(), |at| format!("{} ago ({})", age(now, at), clock(at)));
    let phase = format!("{:?}", status.phase).to_lowercase();
    let facts = [
        ("Phase", phase),
        (
            "Version",
            if status.resource_version.is_empty() { "none yet".into() } else { status.resource_version.clone() },
        ),
        ("Objects", format!("{} in {}", thousands(status.objects), bytes(status.bytes))),
        ("Lists", format!("{}, {} of them relists", status.lists, status.relists)),
        ("Watches", status.watches.to_string()),
        ("Events", thousands(status.events)),
        ("Left out", thousands(status.dropped_events)),
        ("Last event", ago(status.last_event_at)),
        ("Last bookmark", ago(status.last_bookmark_at)),
        ("Known good", ago(status.last_contact_at)),
    ];
    facts.map(|(name, fact)| view! { <dt>{name}</dt><dd>{fact}</dd> }).into_iter().collect_view()
}

fn mishap(error: &ErrorReport) -> impl IntoView + use<> {
    let status = error.status.map_or(String::new(), |status| format!("HTTP {status} · "));
    view! {
        <div class="mishap">
            <p><strong>{status} {freshness::code(error.code)}</strong> " — " {error.message.clone()}</p>
            {error.request.clone().map(|request| view! { <p><code>{request}</code></p> })}
            <p>{freshness::advice(error)}</p>
        </div>
    }
}
