//! Value chips above the table: the most frequent values of a few columns, with their counts. Deferred code.

mod arranged;
mod group;

use leptos::html::Div;
use leptos::prelude::*;

use crate::loading::ColumnTools;
use crate::roving::{Axis, Roving};
use crate::table::counted::columns_of;
use crate::view_state::ValueCounts;
use arranged::{Groups, arrange, room};
use group::FacetGroup;

/// Width of the counts beside the chips.
const COUNTS_WIDTH: f64 = 376.0;

/// The chips. A `tight` info bar has its counts on another line.
#[component]
pub(crate) fn Chips(tools: ColumnTools, synced: Memo<bool>, width: RwSignal<u32>, tight: Memo<bool>) -> impl IntoView {
    let ColumnTools { navigator, model, state, .. } = tools;
    let one_namespace = model.one_namespace;
    let columns = Memo::new(move |_| {
        state.columns.with(|columns| columns_of(columns, state.custom_count.get(), one_namespace.get()))
    });
    let groups = Memo::new(move |before: Option<&Groups>| {
        let none = Groups::default();
        let before = before.unwrap_or(&none);
        let arranged = |counts: &ValueCounts| {
            let same = synced.get() && before.filter.as_ref() == Some(&counts.filter);
            let groups = state
                .filter
                .with(|filter| columns.with(|columns| arrange(columns, &counts.facets, filter, &before.groups, same)));
            Groups { groups, filter: Some(counts.filter.clone()).filter(|_| synced.get()) }
        };
        state.value_counts.with(arranged)
    });
    let room = Memo::new(move |_| {
        let width = f64::from(width.get()) - if tight.get() { 24.0 } else { COUNTS_WIDTH };
        groups.with(|Groups { groups, .. }| room(groups, width))
    });
    let facets = NodeRef::<Div>::new();
    let roving = Roving::new(facets, "button:not([hidden])", Axis::Both);
    view! {
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
    }
}
