//! Status line: the freshness of the table as a sentence with a mark, and a panel with details behind it.

mod retry;

use leptos::prelude::*;

use crate::cluster::Cluster;
use crate::freshness;
use crate::layers;
use crate::loading;
use crate::source::Source;
pub(crate) use retry::Retry;

/// Status line; a click shows the details. `now` changes each second.
#[component]
pub(crate) fn StatusLine(cluster: Cluster, source: Source, now: RwSignal<f64>) -> impl IntoView {
    let status = source.status;
    let open = RwSignal::new(false);
    let sentence = Memo::new(move |_| {
        if source.kind_missing.get() {
            return "This kind is gone".to_owned();
        }
        // Only a countdown depends on the time: other sentences are not recomputed each second.
        let waits = status.with(|status| status.next_retry_at.is_some());
        let now = if waits { now.get() } else { 0.0 };
        status.with(|status| freshness::sentence(status, now, clock))
    });
    let name = Memo::new(move |_| status.with(|status| status.freshness.as_str()));
    let state = Memo::new(move |_| status.with(freshness::state));
    layers::register(open, ".status");
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
                <span class={"mark"} aria-hidden="true"></span>
                <span class="sentence">{move || sentence.get()}</span>
            </button>
            // Screen readers read a change of state, not each count.
            <span class="visually-hidden" role="status">{move || state.get()}</span>
            <Show when=move || open.get()>
                {loading::part(
                    move |code| code.details(cluster, source, now),
                    |content| view! { <div class="details">{content}</div> },
                )}
            </Show>
        </div>
    }
}

/// Formats a time as the user's time of day.
pub(crate) fn clock(at: f64) -> String {
    let date = js_sys::Date::new(&at.into());
    format!("{:02}:{:02}:{:02}", date.get_hours(), date.get_minutes(), date.get_seconds())
}
