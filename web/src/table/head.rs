//! Header row: sorting by columns.

use informer_engine::columns::ColumnHeader;
use leptos::html::Div;
use leptos::prelude::*;

use super::columns::{ShownColumn, ShownColumns};
use crate::layout::Usage;
use crate::navigator::Navigator;
use crate::roving::{Axis, Roving};
use crate::sort;
use crate::visible::visible;

/// Header row. It stays visible while the rows scroll below it.
#[component]
pub(crate) fn Head(shown: Memo<ShownColumns>, navigator: Navigator) -> impl IntoView {
    let headers = Memo::new(move |_| -> Vec<ColumnHeader> {
        shown.with(|shown| shown.columns.iter().map(|column| column.header.clone()).collect())
    });
    let head = NodeRef::<Div>::new();
    let roving = Roving::new(head, "button", Axis::Horizontal);
    // Another width leaves the elements as they are: the pointer may be on one.
    let columns = Memo::new(move |_| shown.with(|shown| shown.columns.clone()));
    let cells = move || {
        let cells = columns.get().into_iter().enumerate();
        cells.map(|(at, column)| header(at, column, headers, navigator)).collect_view()
    };
    view! {
        <div
            class="head"
            role="rowgroup"
            node_ref=head
            on:keydown=move |event| roving.on_key(&event)
            on:focusin=move |event| roving.on_focus(&event)
        >
            <div class="row" role="row" aria-rowindex="1">{cells}</div>
        </div>
    }
}

fn header(at: usize, column: ShownColumn, headers: Memo<Vec<ColumnHeader>>, navigator: Navigator) -> impl IntoView {
    let ShownColumn { header, fold, pin, is_custom, usage, .. } = column;
    let (name, text) = (header.name.clone(), visible(&header.name).into_owned());
    // The code that paints usage explains it.
    let hint = if usage.is_some() {
        String::new()
    } else {
        [&*text, ": click to sort; Shift-click to add to the sort order"].concat()
    };
    let sort_position = {
        let name = name.clone();
        Memo::new(move |_| {
            headers.with(|headers| {
                navigator.sort.with(|order| sort::position_of(order, &name, headers)).filter(|_| usage.is_none())
            })
        })
    };
    let several = Memo::new(move |_| navigator.sort.with(|order| order.len() > 1));
    let numeric = header.numeric;
    let press = move |event: leptos::ev::MouseEvent| {
        // The engine has no usage to sort by.
        if usage.is_some() {
            return;
        }
        let add = event.shift_key();
        let next = |order: &[_]| headers.with_untracked(|headers| sort::press(order, &header, headers, add));
        navigator.go(|route| route.sort = next(&route.sort));
    };
    let arrow = move || match sort_position.get() {
        Some((_, true)) => "↓",
        Some(_) => "↑",
        None => "",
    };
    // ARIA sorts by one column only: the first key. The text names the other keys.
    let aria_sort = move || match sort_position.get() {
        Some((0, true)) => "descending",
        Some((0, false)) => "ascending",
        _ => "none",
    };
    let ordinal = move || Some(sort_position.get()?.0 + 1).filter(|_| several.get()).map(|ordinal| ordinal.to_string());
    let spoken = move || {
        let (at, descending) = sort_position.get().filter(|(at, _)| *at > 0)?;
        Some(format!(", then in order {}, {}", at + 1, if descending { "descending" } else { "ascending" }))
    };
    view! {
        <div
            class="cell"
            class:numeric=numeric
            class:sorted=move || sort_position.get().is_some()
            role="columnheader"
            aria-colindex=at + 1
            data-pin=pin
            data-own=is_custom.then_some("")
            data-usage=usage.map(Usage::name)
            aria-sort=aria_sort
            data-fold=fold.name()
            data-header=name
        >
            <button type="button" title=hint aria-disabled=usage.map(|_| "true") on:click=press>
                <span class="name">{text}</span>
                <span class="arrow" aria-hidden="true">{arrow}<span class="ordinal">{ordinal}</span></span>
                <span class="visually-hidden">{spoken}</span>
            </button>
            // The code of the panel of columns listens.
            <span class={"edge"} aria-hidden="true"></span>
        </div>
    }
}
