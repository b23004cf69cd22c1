//! Value group: the values of one column, the first as chips, all of them behind a button.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::arranged::{Group, Groups};
use crate::age::thousands;
use crate::filter;
use crate::layers;
use crate::navigator::Navigator;
use crate::view_state::ViewState;
use crate::visible::visible;

/// Label of rows without a value.
const NONE: &str = "none";

/// The values of one column.
#[component]
pub(crate) fn FacetGroup(
    column: String,
    groups: Memo<Groups>,
    shown: Memo<Vec<usize>>,
    state: ViewState,
    navigator: Navigator,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let root = NodeRef::<Div>::new();
    let heading = visible(&column).into_owned();
    let (name, label) = (heading.clone(), format!("All values of {heading}"));
    let of_column = column.clone();
    let group = Memo::new(move |_| {
        let (group, shown) = groups.with(|Groups { groups, .. }| {
            let at = groups.iter().position(|group| group.column == of_column);
            let shown = at.and_then(|at| shown.with(|shown| shown.get(at).copied())).unwrap_or(0);
            (at.map(|at| groups[at].clone()).unwrap_or_default(), shown)
        });
        (group, shown)
    });
    let value_chip = move |value: String| chip(column.clone(), value, group, state, navigator);
    let chips = value_chip.clone();
    let first = move || group.with(|(group, shown)| group.visible_values(*shown));
    let rest = Memo::new(move |_| group.with(|(group, shown)| group.values.len().saturating_sub(*shown) + group.more));
    let rest_text = move || {
        let rest = thousands(rest.get() as u64);
        if group.with(|(_, shown)| *shown == 0) { rest } else { format!("{rest} more") }
    };
    let rest_of = format!(" values of {heading}");
    let unnamed = Memo::new(move |_| group.with(|(group, _)| group.more));
    layers::register(open, ".facet");
    let left = move |event: leptos::ev::FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        if root.get_untracked().is_some_and(|root| !root.contains(to.as_ref())) {
            open.set(false);
        }
    };
    view! {
        <div class="facet" role="group" aria-label=name node_ref=root on:focusout=left>
            <span class="facet-name">{heading}</span>
            <For each=first key=Clone::clone children=chips />
            <button
                class="chip more"
                type="button"
                hidden=move || rest.get() == 0
                aria-expanded=move || if open.get() { "true" } else { "false" }
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {rest_text}
                <span class="visually-hidden">{rest_of}</span>
            </button>
            <Show when=move || open.get()>
                <div class="options values" role="group" aria-label=label.clone()>
                    <For each=move || group.with(|(group, _)| group.values.clone()) key=Clone::clone children=value_chip.clone() />
                    <Show when=move || unnamed.get() != 0>
                        <p class="hint">
                            {move || format!("{} more values. Type in the filter to find them.", thousands(unnamed.get() as u64))}
                        </p>
                    </Show>
                </div>
            </Show>
        </div>
    }
}

/// Chip: a value and its count. A click toggles it in the filter.
fn chip(
    column: String,
    value: String,
    group: Memo<(Group, usize)>,
    state: ViewState,
    navigator: Navigator,
) -> impl IntoView {
    let chosen = {
        let value = value.clone();
        Memo::new(move |_| group.with(|(group, _)| group.is_chosen(&value)))
    };
    let count = {
        let (column, value) = (column.clone(), value.clone());
        Memo::new(move |_| {
            state.value_counts.with(|counts| {
                let values = &counts.facets.iter().find(|facet| facet.column == column)?.values;
                Some(values.iter().find(|known| known.value.eq_ignore_ascii_case(&value))?.count)
            })
        })
    };
    let text = if value.is_empty() { NONE.to_owned() } else { visible(&value).into_owned() };
    let tone = crate::tone::tone_of(&column, &value).map(crate::tone::Tone::name);
    let hint = format!("{column}: {text}");
    let named = value.clone();
    let press = move |_| {
        let (column, value) = (column.clone(), value.clone());
        navigator.go(move |route| route.filter = filter::toggle(&route.filter, &column, &value));
    };
    view! {
        <button
            class="chip"
            type="button"
            title=hint
            data-value=named
            data-tone=tone
            aria-pressed=move || if chosen.get() { "true" } else { "false" }
            on:click=press
        >
            <span class="value">{text}</span>
            <span class="number">{move || count.get().map(|count| thousands(count as u64))}</span>
        </button>
    }
}
