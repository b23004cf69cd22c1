//! One cell: text, never markup, since what stands in it comes from the cluster.

use informer::columns::Cell;
use leptos::prelude::*;

use super::columns::ShownColumn;
use super::model::Slot;
use crate::age::age;
use crate::tone::tone_of;

/// The cell of a slot's row. It is painted only when its own text changes.
#[component]
pub(crate) fn CellOf(place: Slot, column: ShownColumn, now: RwSignal<f64>) -> impl IntoView {
    let at = column.cell;
    let name = column.header.name;
    let cell = Memo::new(move |_| {
        let row = place.row.try_get().flatten();
        row.and_then(|row| row.cells.get(at).cloned()).unwrap_or(Cell::None)
    });
    let text = Memo::new(move |_| cell.with(|cell| text_of(cell, || now.get())));
    let tone = {
        let name = name.clone();
        move || text.with(|text| tone_of(&name, text)).map(crate::tone::Tone::name)
    };
    view! {
        <div
            role="gridcell"
            class="cell"
            class:numeric=column.header.numeric
            data-column=name
            data-fold=column.fold.name()
            data-tone=tone
            title=move || cell.with(hint)
        >
            <span class="text">{move || text.get()}</span>
        </div>
    }
}

/// What is shown. Only moments ask for the time, so only they are made anew each second.
fn text_of(cell: &Cell, now: impl Fn() -> f64) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(number) | Cell::Restarts(number, None) => number.to_string(),
        Cell::Time(at) => age(now(), *at),
        Cell::Restarts(0.0, Some(_)) => "0".to_owned(),
        Cell::Restarts(number, Some(at)) => format!("{number} ({} ago)", age(now(), *at)),
        Cell::None => String::new(),
    }
}

/// What the pointer shows: a text that may be cut off, or the moment behind an age.
fn hint(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.clone()),
        Cell::Time(at) | Cell::Restarts(_, Some(at)) => Some(js_sys::Date::new(&(*at).into()).to_string().into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_as_kubectl_prints_them() {
        let cases = [
            (Cell::Text("web".to_owned()), "web"),
            (Cell::Number(3.0), "3"),
            (Cell::Time(0.0), "5m"),
            (Cell::Restarts(0.0, None), "0"),
            (Cell::Restarts(3.0, Some(0.0)), "3 (5m ago)"),
            (Cell::None, ""),
        ];
        for (cell, expected) in cases {
            assert_eq!(text_of(&cell, || 300_000.0), expected);
        }
    }
}
