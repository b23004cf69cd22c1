//! List of the groups: a button for each value, with its number of rows, and one for all rows.

use leptos::html::Div;
use leptos::prelude::*;

use super::feed::{ColumnGroups, Feed};
use super::values::{Order, after_press, keep_order, ordered, without_column};
use crate::age::thousands;
use crate::filter::chosen;
use crate::list_freeze::ListFreeze;
use crate::loading::ColumnTools;
use crate::roving::{Axis, Roving};
use crate::text::lower;
use crate::tone::{Tone, tone_of};
use crate::visible::visible;

/// Maximum number of values in the document.
const MAX_VALUES: usize = 200;

/// Label of rows without a value, as in the chips.
const NONE: &str = "none";

/// Content of the list.
#[derive(Clone, Default, PartialEq)]
struct ListContent {
    column: String,
    /// In order; those beyond [`MAX_VALUES`] are left out.
    values: Vec<(String, u64)>,
    /// Number of values that are left out.
    rest: u64,
    total: u64,
}

/// The list.
pub(super) fn list(tools: ColumnTools, feed: Feed, order: RwSignal<Order>) -> impl IntoView {
    let freeze = ListFreeze::new();
    let shown = Memo::new(move |before: Option<&ListContent>| {
        let ColumnGroups { column, figures, more } = feed.groups.get();
        let mut values = ordered(&figures.groups, order.get());
        let before = before.filter(|before| before.column == column && freeze.is_frozen());
        if let Some(before) = before {
            values = keep_order(&before.values, values);
        }
        let rest = values.len().saturating_sub(MAX_VALUES) as u64 + more;
        values.truncate(MAX_VALUES);
        ListContent { column, values, rest, total: figures.count() }
    });
    let filter = tools.state.filter;
    let column = Memo::new(move |_| shown.with(|shown| shown.column.clone()));
    let chosen = Memo::new(move |_| {
        filter.with(|filter| {
            column.with(|column| chosen(filter, column).iter().map(|value| lower(value)).collect::<Vec<_>>())
        })
    });
    let group = NodeRef::<Div>::new();
    let roving = Roving::new(group, "button", Axis::Both);
    let show_all = move |_| {
        tools
            .navigator
            .go(|route| route.filter = column.with_untracked(|column| without_column(&route.filter, column)));
    };
    let entries = move || {
        let column = column.get();
        shown.with(|shown| shown.values.iter().map(|(value, _)| (column.clone(), value.clone())).collect::<Vec<_>>())
    };
    let rest = Memo::new(move |_| shown.with(|shown| shown.rest));
    // Before the first groups it is unknown.
    let total = Memo::new(move |_| shown.with(|shown| Some(shown.total).filter(|_| !shown.column.is_empty())));
    view! {
        <div
            class="group-list"
            role="group"
            aria-label=move || format!("Values of {}", visible(&column.get()))
            node_ref=group
            on:keydown=move |event| roving.on_key(&event)
            on:focusin=move |event| {
                freeze.focus_entered();
                roving.on_focus(&event);
            }
            on:focusout=move |event| freeze.focus_left(&event)
            on:pointerenter=move |_| freeze.set_pointer_over(true)
            on:pointerleave=move |_| freeze.set_pointer_over(false)
        >
            <button
                class="group all"
                type="button"
                aria-pressed=move || if chosen.with(Vec::is_empty) { "true" } else { "false" }
                on:click=show_all
            >
                <span class="value">{"All"}</span>
                <span class="number">{move || total.get().map(thousands)}</span>
            </button>
            <For each=entries key=Clone::clone let:pair>
                {entry(tools, pair, shown, chosen)}
            </For>
            <Show when=move || rest.get() != 0>
                <p class="hint">{move || format!("and {} more. Type in the filter to find them.", thousands(rest.get()))}</p>
            </Show>
        </div>
    }
}

fn entry(
    tools: ColumnTools,
    (column, value): (String, String),
    shown: Memo<ListContent>,
    chosen: Memo<Vec<String>>,
) -> impl IntoView {
    let text = if value.is_empty() { NONE.to_owned() } else { visible(&value).into_owned() };
    let hint = format!("{}: {text}. Ctrl-click adds it to the others.", visible(&column));
    let tone = tone_of(&column, &value).map(Tone::name);
    let is_none = value.is_empty();
    let folded = lower(&value);
    let is_chosen = Memo::new(move |_| chosen.with(|chosen| chosen.contains(&folded)));
    let named = value.clone();
    let count = {
        let value = value.clone();
        Memo::new(move |_| {
            shown.with(|shown| shown.values.iter().find(|(known, _)| *known == value).map(|(_, count)| *count))
        })
    };
    let press = move |event: leptos::ev::MouseEvent| {
        let add = event.ctrl_key() || event.meta_key() || event.shift_key();
        tools.navigator.go(|route| route.filter = after_press(&route.filter, &column, &value, add));
    };
    view! {
        <button
            class="group"
            class:none=is_none
            type="button"
            title=hint
            data-value=named
            data-tone=tone
            aria-pressed=move || if is_chosen.get() { "true" } else { "false" }
            on:click=press
        >
            <span class="value">{text}</span>
            <span class="number">{move || count.get().map(thousands)}</span>
        </button>
    }
}
