//! Value chips above the table: the most frequent values of a few columns, with their counts. Deferred code.

mod arranged;
mod group;

use leptos::html::Div;
use leptos::prelude::*;

use crate::loading::ColumnTools;
use crate::roving::{Axis, Roving};
use crate::table::counted::columns_of;
use crate::view_state::Counted;
use arranged::{Groups, arrange, room};
use group::FacetGroup;

/// Width of the counts beside the chips.
const TALLY: f64 = 376.0;

/// The chips. A `tight` shelf has its counts on another line.
#[component]
pub(crate) fn Chips(tools: ColumnTools, synced: Memo<bool>, width: RwSignal<u32>, tight: Memo<bool>) -> impl IntoView {
    let ColumnTools { navigator, model, state, .. } = tools;
    let one_namespace = model.one_namespace;
    let columns =
        Memo::new(move |_| state.columns.with(|columns| columns_of(columns, state.own.get(), one_namespace.get())));
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
    let room = Memo::new(move |_| {
        let width = f64::from(width.get()) - if tight.get() { 24.0 } else { TALLY };
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
