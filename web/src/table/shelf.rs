//! Shelf above the table: value chips, row counts, and the reason why a filter is not applied.

use leptos::html::Div;
use leptos::prelude::*;

use super::facets::{Groups, arrange, columns_of, room};
use super::group::FacetGroup;
use super::tally::{SpokenTally, tally};
use crate::filter;
use crate::loading::{self, ColumnTools};
use crate::roving::{Axis, Roving};
use crate::view_state::Counted;

/// Table width below which the counts have a line of their own.
const TIGHT: u32 = 720;

/// Width of the counts beside the chips.
const TALLY: f64 = 376.0;

/// Shelf. It has its height from the start, so that nothing below it moves.
#[component]
pub(crate) fn Shelf(width: RwSignal<u32>, tools: ColumnTools) -> impl IntoView {
    let ColumnTools { navigator, model, state, label, .. } = tools;
    let one_namespace = model.one_namespace;
    let columns =
        Memo::new(move |_| state.columns.with(|columns| columns_of(columns, state.own.get(), one_namespace.get())));
    let synced = Memo::new(move |_| state.totals.get().is_some_and(|totals| totals.synced));
    let groups = Memo::new(move |before: Option<&Groups>| {
        let none = Groups::default();
        let before = before.unwrap_or(&none);
        let arranged = |counted: &Counted| {
            let same = synced.get() && before.of.as_ref() == Some(&counted.filter);
            let groups = state
                .filter
                .with(|filter| columns.with(|columns| arrange(columns, &counted.facets, filter, &before.groups, same)));
            Groups { groups, of: Some(counted.filter.clone()).filter(|_| synced.get()) }
        };
        state.counted.with(arranged)
    });
    let tight = Memo::new(move |_| width.get() < TIGHT);
    let room = Memo::new(move |_| {
        let width = f64::from(width.get()) - if tight.get() { 24.0 } else { TALLY };
        groups.with(|Groups { groups, .. }| room(groups, width))
    });
    let facets = NodeRef::<Div>::new();
    let roving = Roving::new(facets, "button:not([hidden])", Axis::Both);
    let refused = move || state.refused.get().map(|refusal| refusal.message);
    // A long sentence is cut; the applied filter never is.
    let in_force = move || {
        if state.refused.with(Option::is_some) {
            return Some(in_force(&state.filter.get()));
        }
        unfinished(&filter::draft(navigator, state).unfinished)
    };
    let is_filtered = Memo::new(move |_| state.filter.with(|filter| !filter.trim().is_empty()));
    let asked = Memo::new(move |_| format!("{:?} {}", navigator.namespace.get(), state.filter.get()));
    view! {
        <div class="shelf" class:tight=move || tight.get() class:refused=move || state.refused.with(Option::is_some)>
            <p class="refusal" id="refusal" role="status" title=refused>{refused}</p>
            <div
                class="facets"
                role="toolbar"
                aria-label="Filter by value"
                node_ref=facets
                on:keydown=move |event| roving.on_key(&event)
                on:focusin=move |event| roving.on_focus(&event)
            >
                <For each=move || columns.get() key=Clone::clone let:column>
                    <FacetGroup column=column groups=groups shown=room state=state navigator=navigator />
                </For>
            </div>
            <p class="tally">
                <span
                    class="held"
                    class:on=move || state.held.get()
                    title="The order is frozen while you point at a row; the cells stay live"
                >
                    "order frozen"
                </span>
                <span class="in-force">{in_force}</span>
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
