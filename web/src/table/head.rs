//! The headers, and the order of the rows.

use informer::message::OrderBy;
use leptos::prelude::*;

use super::columns::{Shown, ShownColumn};
use crate::navigator::Navigator;

/// The header row. It stays in sight while the rows scroll below it.
#[component]
pub(crate) fn Head(shown: Memo<Shown>, navigator: Navigator) -> impl IntoView {
    let headers = move || shown.get().columns.into_iter().map(|column| header(column, navigator)).collect_view();
    view! {
        <div class="head" role="rowgroup">
            <div class="row" role="row" aria-rowindex="1">{headers}</div>
        </div>
    }
}

fn header(column: ShownColumn, navigator: Navigator) -> AnyView {
    let name = column.header.name;
    let numeric = column.header.numeric;
    let fold = column.fold.name();
    let Some(orders_by) = order_column(&name) else {
        let label = name.clone();
        return view! {
            <div class="cell" class:numeric=numeric role="columnheader" data-fold=fold data-header=name>{label}</div>
        }
        .into_any();
    };
    let direction = Memo::new(move |_| {
        let sort = navigator.sort.get();
        let sorted = sort.column == orders_by || sort.column.is_empty() && orders_by == "namespace";
        sorted.then_some(if sort.descending { "descending" } else { "ascending" })
    });
    let sort = move |_| {
        navigator.go(|route| {
            let usual = route.sort == OrderBy::default() && orders_by == "namespace";
            let descending = usual || route.sort == OrderBy::ascending(orders_by);
            route.sort = OrderBy { column: orders_by.to_owned(), descending };
        });
    };
    let arrow = move || match direction.get() {
        Some("descending") => "↓",
        Some(_) => "↑",
        None => "",
    };
    view! {
        <div
            class="cell"
            class:numeric=numeric
            role="columnheader"
            aria-sort=move || direction.get().unwrap_or("none")
            data-fold=fold
            data-header=name.clone()
        >
            <button type="button" on:click=sort>
                {name.clone()}
                <span class="arrow" aria-hidden="true">{arrow}</span>
            </button>
        </div>
    }
    .into_any()
}

/// The headers that rows can be ordered by.
fn order_column(name: &str) -> Option<&'static str> {
    match name {
        "Namespace" => Some("namespace"),
        "Name" => Some("name"),
        "Age" => Some("age"),
        _ => None,
    }
}
