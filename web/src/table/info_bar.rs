//! Info bar: the strip of constant height above the table, with the value chips, the row counts, and the reason why a
//! filter is not applied.

use leptos::prelude::*;

use super::row_counts::{SpokenRowCounts, row_counts};
use crate::filter;
use crate::loading::{self, ColumnTools};

/// Table width below which the counts have a line of their own.
const TIGHT: u32 = 720;

/// The info bar. Its height is constant, so that nothing below it moves.
#[component]
pub(crate) fn InfoBar(width: RwSignal<u32>, tools: ColumnTools) -> impl IntoView {
    let ColumnTools { navigator, source, model, state, label, .. } = tools;
    let synced = Memo::new(move |_| state.totals.get().is_some_and(|totals| totals.synced));
    let tight = Memo::new(move |_| width.get() < TIGHT);
    let rejection_message = move || state.rejection.get().map(|rejection| rejection.message);
    // A long sentence is cut; the applied filter never is.
    let applied_text = Memo::new(move |_| {
        if state.rejection.with(Option::is_some) {
            return Some(applied_text(&state.filter.get()));
        }
        unfinished(&filter::draft(navigator, state).unfinished).or_else(|| source.missing_note.get())
    });
    let is_filtered = Memo::new(move |_| state.filter.with(|filter| !filter.trim().is_empty()));
    let user_query = Memo::new(move |_| format!("{:?} {}", navigator.namespaces.get(), state.filter.get()));
    view! {
        <div class="shelf" class:tight=move || tight.get() class:refused=move || state.rejection.with(Option::is_some)>
            <p class="refusal" id="refusal" role="status" title=rejection_message>{rejection_message}</p>
            {loading::hidden_part(move |code| code.chips(tools, synced, width, tight), |_| view! { <div class="facets"></div> })}
            <p class="tally">
                <span
                    class="held"
                    class:on=move || state.order_frozen.get()
                    title="The order is frozen while you point at a row; the cells stay live"
                >
                    "order frozen"
                </span>
                <span class="in-force" title=move || applied_text.get()>{move || applied_text.get()}</span>
                <span class="count" data-synced=move || if synced.get() { "true" } else { "false" }>
                    {move || {
                        if model.kind_missing.get() {
                            "Gone".to_owned()
                        } else {
                            row_counts(state.totals.get(), is_filtered.get())
                        }
                    }}
                </span>
                <Show when=move || !synced.get() && state.totals.with(Option::is_some)>
                    <span class="provisional">{"order and counts may change"}</span>
                </Show>
                <SpokenRowCounts totals=state.totals is_filtered=is_filtered label=label user_query=user_query />
            </p>
            // It has its width from the start.
            <div class="column-tools">{loading::hidden_part(move |code| code.columns(tools), |_| ())}</div>
        </div>
    }
}

/// Describes the rows while the filter in the box is not applied.
fn applied_text(filter: &str) -> String {
    let filter = filter.trim();
    if filter.is_empty() { "showing all rows".to_owned() } else { format!("showing rows for “{filter}”") }
}

/// Describes the incomplete part of a filter.
fn unfinished(parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| format!("unfinished: “{}”", parts.join("”, “")))
}
