//! Shelf above the table: the place of the value chips, row counts, and the reason why a filter is not applied.

use leptos::prelude::*;

use super::tally::{SpokenTally, tally};
use crate::filter;
use crate::loading::{self, ColumnTools};

/// Table width below which the counts have a line of their own.
const TIGHT: u32 = 720;

/// Shelf. It has its height from the start, so that nothing below it moves.
#[component]
pub(crate) fn Shelf(width: RwSignal<u32>, tools: ColumnTools) -> impl IntoView {
    let ColumnTools { navigator, source, model, state, label, .. } = tools;
    let synced = Memo::new(move |_| state.totals.get().is_some_and(|totals| totals.synced));
    let tight = Memo::new(move |_| width.get() < TIGHT);
    let refused = move || state.refused.get().map(|refusal| refusal.message);
    // A long sentence is cut; the applied filter never is.
    let in_force = Memo::new(move |_| {
        if state.refused.with(Option::is_some) {
            return Some(in_force(&state.filter.get()));
        }
        unfinished(&filter::draft(navigator, state).unfinished).or_else(|| source.lacks.get())
    });
    let is_filtered = Memo::new(move |_| state.filter.with(|filter| !filter.trim().is_empty()));
    let asked = Memo::new(move |_| format!("{:?} {}", navigator.namespaces.get(), state.filter.get()));
    view! {
        <div class="shelf" class:tight=move || tight.get() class:refused=move || state.refused.with(Option::is_some)>
            <p class="refusal" id="refusal" role="status" title=refused>{refused}</p>
            {loading::hidden_part(move |code| code.chips(tools, synced, width, tight), |_| view! { <div class="facets"></div> })}
            <p class="tally">
                <span
                    class="held"
                    class:on=move || state.held.get()
                    title="The order is frozen while you point at a row; the cells stay live"
                >
                    "order frozen"
                </span>
                <span class="in-force" title=move || in_force.get()>{move || in_force.get()}</span>
                <span class="count" data-synced=move || if synced.get() { "true" } else { "false" }>
                    {move || if model.gone.get() { "Gone".to_owned() } else { tally(state.totals.get(), is_filtered.get()) }}
                </span>
                <Show when=move || !synced.get() && state.totals.with(Option::is_some)>
                    <span class="provisional">{"order and counts may change"}</span>
                </Show>
                <SpokenTally totals=state.totals is_filtered=is_filtered label=label asked=asked />
            </p>
            // It has its width from the start.
            <div class="column-tools">{loading::hidden_part(move |code| code.columns(tools), |_| ())}</div>
        </div>
    }
}

/// Describes the rows while the filter in the box is not applied.
fn in_force(filter: &str) -> String {
    let filter = filter.trim();
    if filter.is_empty() { "showing all rows".to_owned() } else { format!("showing rows for “{filter}”") }
}

/// Describes the incomplete part of a filter.
fn unfinished(parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| format!("unfinished: “{}”", parts.join("”, “")))
}
