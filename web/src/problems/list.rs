//! List of problems as a tree grid: its rows, by mouse and by keyboard.
//!
//! <https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/>, with the focus on rows.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;

use super::order::{Line, lines};
use super::row::{RowContext, row};
use super::rows::{MAX_LINES, Part, Row, rows};
use super::watch::Watch;
use crate::age::thousands;
use crate::focus;
use crate::list_freeze::ListFreeze;
use crate::loading::PageState;
use crate::roving::{Axis, Roving};

/// Rows that take the focus.
const ROWS: &str = "[role=row][data-row]";

/// List of the problems. While the pointer or the focus is in it, no line moves.
#[component]
pub(super) fn List(page: PageState, watch: Watch) -> impl IntoView {
    let freeze = ListFreeze::new();
    let kept = Memo::new(move |before: Option<&(Option<String>, Arc<Vec<Line>>)>| {
        let (is_frozen, namespaces) = (freeze.is_frozen(), watch.namespaces.get());
        // Problems of other namespaces are not resolved; they are elsewhere.
        let before = before
            .filter(|(known, _)| is_frozen && *known == namespaces)
            .map_or(&[][..], |(_, lines)| lines.as_slice());
        (namespaces, Arc::new(watch.problems.with(|problems| lines(before, problems))))
    });
    let lines = Memo::new(move |_| kept.with(|(_, lines)| Arc::clone(lines)));
    let rows = Memo::new(move |_| lines.with(|lines| watch.expanded.with(|expanded| rows(lines, expanded))));
    let shown = Memo::new(move |_| rows.with(|rows| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>()));
    let grid = NodeRef::<Div>::new();
    let roving = Roving::new(grid, ROWS, Axis::Vertical);
    let view = RowContext { page, watch, lines };
    let row_of = move |id: String| {
        let row_id = id.clone();
        let at = Memo::new(move |_| rows.with(|rows| rows.iter().find(|row| row.id == row_id).cloned()));
        row(view, id, at)
    };
    let on_key = move |event: KeyboardEvent| {
        let row = current().and_then(|id| rows.with_untracked(|rows| rows.iter().find(|row| row.id == id).cloned()));
        if let Some(row) = row
            && on_row_key(&event, watch, lines, &row)
        {
            event.prevent_default();
            return;
        }
        roving.on_key(&event);
    };
    let focused = move |event: leptos::ev::FocusEvent| {
        freeze.focus_entered();
        roving.on_focus(&event);
        watch.current.set(current());
    };
    let is_old =
        Memo::new(move |_| watch.candidates.with(|all| all.iter().any(|kind| kind.is_loaded() && kind.is_old())));
    let hidden = move || lines.with(|lines| lines.iter().skip(MAX_LINES).filter(|line| !line.gone).count());
    view! {
        <div
            class="problem-list"
            role="treegrid"
            aria-label="Problems"
            data-trust=move || if is_old.get() { "old" } else { "ok" }
            hidden=move || rows.with(Vec::is_empty)
            node_ref=grid
            on:keydown=on_key
            on:focusin=focused
            on:focusout=move |event| freeze.focus_left(&event)
            on:pointerenter=move |_| freeze.set_pointer_over(true)
            on:pointerleave=move |_| freeze.set_pointer_over(false)
        >
            <div class="heads" role="row">
                <span role="columnheader">{"Severity"}</span>
                <span role="columnheader">{"What"}</span>
                <span role="columnheader">{"Why"}</span>
                <span role="columnheader">{"Since"}</span>
                <span role="columnheader">{"Objects"}</span>
            </div>
            <For each=move || shown.get() key=Clone::clone children=row_of />
        </div>
        {move || {
            let hidden = hidden() as u64;
            let advice = if page.navigator.namespaces.with(Option::is_none) { " Choose a namespace to see fewer." } else { "" };
            let noun = if hidden == 1 { "problem" } else { "problems" };
            (hidden > 0).then(|| view! { <p class="hint">{format!("{} more {noun}.{advice}", thousands(hidden))}</p> })
        }}
    }
}

/// Id of the row with the focus.
pub(super) fn current() -> Option<String> {
    focus::current()?.closest("[role=row][data-row]").ok()??.get_attribute("data-row")
}

/// Moves the focus to a row.
pub(super) fn focus_row(id: &str) -> bool {
    let found = document().query_selector_all(ROWS).ok();
    let all = (0..found.as_ref().map_or(0, web_sys::NodeList::length)).filter_map(|at| found.as_ref()?.get(at));
    let rows = all.filter_map(|node| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(node).ok());
    let row = rows.into_iter().find(|row| row.get_attribute("data-row").as_deref() == Some(id));
    row.is_some_and(|row| row.focus().is_ok())
}

/// Handles a key on a row; returns whether it had a meaning there.
fn on_row_key(event: &KeyboardEvent, watch: Watch, lines: Memo<Arc<Vec<Line>>>, row: &Row) -> bool {
    if crate::keys::is_modified(event) || event.shift_key() {
        return false;
    }
    let line = lines.with_untracked(|lines| lines.get(row.line).map(|line| line.id.clone())).unwrap_or_default();
    let is_open = watch.expanded.with_untracked(|expanded| expanded.contains(&line));
    match (event.key().as_str(), row.part) {
        ("ArrowRight", Part::Line) if !is_open => watch.expand(&line, true),
        ("ArrowLeft", Part::Line) if is_open => watch.expand(&line, false),
        ("ArrowLeft", part) if part != Part::Line => {
            focus_row(&line);
        }
        ("Enter", Part::Line) => watch.expand(&line, !is_open),
        // A link with the focus handles the key itself.
        ("Enter", _) if !focus::is_in(".problem-list a") => open(),
        _ => return false,
    }
    true
}

/// Opens the link of the row with the focus.
fn open() {
    let link = focus::current().and_then(|row| row.query_selector("a[href]").ok().flatten());
    if let Some(link) = link.and_then(|link| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(link).ok()) {
        link.click();
    }
}
