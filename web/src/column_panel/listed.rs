//! List of the columns: those of the table in their order, then the others.

use leptos::prelude::*;

use super::editor::{Column, Editor};
use crate::layout::WIDTHS;
use crate::visible::visible;

/// List of all columns.
pub(super) fn list(editor: Editor) -> impl IntoView {
    let rows = Memo::new(move |_| {
        let shown = editor.shown().into_iter().map(|column| (column, true));
        shown.chain(editor.hidden().into_iter().map(|column| (column, false))).collect::<Vec<_>>()
    });
    view! {
        <ul>
            <For each=move || rows.get() key=Clone::clone let:row>
                {entry(editor, row.0, row.1)}
            </For>
        </ul>
    }
}

fn entry(editor: Editor, column: Column, is_shown: bool) -> impl IntoView {
    let name = visible(&column.name).into_owned();
    let column = StoredValue::new(column);
    let is_custom = column.with_value(|column| column.is_custom);
    let note = move || {
        let layout = editor.tools.layouts.current();
        let item = column.with_value(|column| layout.item(&column.name, column.is_custom).cloned());
        let is_usage = (is_custom && !is_shown) || item.as_ref().is_some_and(|item| item.usage().is_some());
        if is_usage {
            return Some("in use now · not sortable".to_owned());
        }
        let of_user = item.and_then(|item| item.custom).map(|custom| visible(&custom.text()).into_owned());
        let is_wide = editor.tools.state.columns.with(|columns| {
            column.with_value(|column| columns.iter().any(|header| header.wide && header.name == column.name))
        });
        of_user.or_else(|| is_wide.then(|| "wide".to_owned()))
    };
    let checked = view! {
        <label class="choice">
            <input
                type="checkbox"
                prop:checked=is_shown
                on:change=move |_| column.with_value(|column| editor.toggle(column))
            />
            <span class="name">{name.clone()}</span>
            <small>{note}</small>
        </label>
    };
    let tools = is_shown.then(|| tools(editor, column, &name));
    view! { <li class:own=is_custom class:off=!is_shown>{checked}{tools}</li> }
}

fn tools(editor: Editor, column: StoredValue<Column>, name: &str) -> impl IntoView + use<> {
    let is_column = |column: &Column, shown: &crate::table::columns::ShownColumn| {
        shown.is_custom == column.is_custom && shown.header.name == column.name
    };
    let pinned = Memo::new(move |_| {
        let is = |shown: &crate::table::columns::ShownColumn| {
            shown.pin.is_some() && column.with_value(|column| is_column(column, shown))
        };
        editor.tools.shown.with(|shown| shown.columns.iter().any(is))
    });
    let width = Memo::new(move |_| {
        let layout = editor.tools.layouts.current();
        column.with_value(|column| layout.item(&column.name, column.is_custom)?.width)
    });
    let set_width = move |event| {
        let typed = event_target_value(&event);
        let width = typed.trim().parse::<f64>().ok().map(|width| width.round().clamp(0.0, 9_999.0));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand pixels at most")]
        let width = width.map(|width| (width as u16).clamp(*WIDTHS.start(), *WIDTHS.end()));
        column.with_value(|column| editor.set_width(column, width));
    };
    let move_by = move |forward| column.with_value(|column| editor.move_by(column, forward));
    view! {
        <input
            class="field"
            type="number"
            inputmode="numeric"
            min=*WIDTHS.start()
            max=*WIDTHS.end()
            step="10"
            placeholder="auto"
            aria-label=format!("Width of {name} in pixels")
            title="Width in pixels"
            prop:value=move || width.get().map(|width| width.to_string()).unwrap_or_default()
            on:change=set_width
        />
        <button
            class="icon-button"
            type="button"
            aria-label=format!("Keep {name} in sight")
            aria-pressed=move || if pinned.get() { "true" } else { "false" }
            title="Keep in sight when the table scrolls sideways"
            on:click=move |_| column.with_value(|column| editor.toggle_pin(column))
        >
            <span aria-hidden="true">{"⇤"}</span>
        </button>
        <button class="icon-button" type="button" aria-label=format!("Move {name} left") title="Move left" on:click=move |_| move_by(false)>
            <span aria-hidden="true">{"↑"}</span>
        </button>
        <button class="icon-button" type="button" aria-label=format!("Move {name} right") title="Move right" on:click=move |_| move_by(true)>
            <span aria-hidden="true">{"↓"}</span>
        </button>
    }
}
