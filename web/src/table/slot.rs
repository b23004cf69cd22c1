//! One row element. It lives as long as the pool and shows one row after another.

use leptos::prelude::*;

use super::cell::CellOf;
use super::columns::Shown;
use super::model::{Model, Slot};
use crate::navigator::Navigator;

/// The element of a slot: placed by a transform, so that scrolling moves no layout.
#[component]
pub(crate) fn SlotRow(
    place: Slot,
    shown: Memo<Shown>,
    model: Model,
    navigator: Navigator,
    now: RwSignal<f64>,
) -> impl IntoView {
    let slot = place;
    let index = move || slot.index.try_get().flatten();
    let key = Memo::new(move |_| slot.row.try_get().flatten().map(|row| row.key.clone()));
    let focused = Memo::new(move |_| index().is_some() && model.focused.get() == index());
    let open = Memo::new(move |_| key.get().is_some() && navigator.object.get() == key.get());
    let transform = move || format!("translateY(calc({} * var(--row-height)))", index().unwrap_or(0));
    let press = move |_| {
        model.focus(slot.index.get_untracked());
        if let Some(key) = key.get_untracked() {
            navigator.go(|route| route.object = Some(key));
        }
    };
    let cells = move || {
        let shown = shown.get().columns;
        if shown.is_empty() {
            return (0..4).map(|_| view! { <div class="cell"></div> }).collect_view().into_any();
        }
        shown.into_iter().map(|column| view! { <CellOf place=slot column=column now=now /> }).collect_view().into_any()
    };
    view! {
        <div
            class="row"
            class:odd=move || index().is_some_and(|index| index % 2 == 1)
            class:pending=move || key.get().is_none()
            class:focused=move || focused.get()
            role="row"
            id=slot.element_id()
            hidden=move || index().is_none()
            data-key=move || key.get()
            aria-rowindex=move || index().map(|index| (index + 2).to_string())
            aria-selected=move || if open.get() { "true" } else { "false" }
            style:transform=transform
            on:click=press
        >
            {cells}
        </div>
    }
}
