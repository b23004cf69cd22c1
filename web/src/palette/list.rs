//! List of the palette: the entries by group.

use leptos::prelude::*;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

use super::Group;
use super::entry::Entry;
use crate::focus;
use crate::saved;
use crate::visible::visible;

/// Scrolls the active entry into view.
pub(super) fn reveal() {
    if let Ok(Some(active)) = document().query_selector("#palette-list [aria-selected=true]") {
        let nearest = ScrollIntoViewOptions::new();
        nearest.set_block(ScrollLogicalPosition::Nearest);
        active.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}

/// The list; `active` is the number of the active entry, `choose` gets that of a pressed one.
pub(super) fn list(groups: Memo<Vec<Group>>, active: Memo<usize>, choose: Callback<usize>) -> impl IntoView {
    let shown = move || {
        let mut number = 0;
        let mut views = Vec::new();
        for (group_index, group) in groups.get().into_iter().enumerate() {
            let id = format!("palette-group-{group_index}");
            let label = id.clone();
            let heading = visible(&group.heading).into_owned();
            let entries: Vec<_> = group
                .entries
                .into_iter()
                .map(|entry| {
                    number += 1;
                    option(number - 1, entry, active, choose)
                })
                .collect();
            views.push(view! {
                <div role="group" aria-labelledby=label>
                    <h3 id=id role="presentation">{heading}</h3>
                    {entries}
                </div>
            });
        }
        views
    };
    let is_empty = move || groups.with(Vec::is_empty);
    view! {
        <Show when=is_empty>
            <p class="hint">{"Nothing found."}</p>
        </Show>
        // Chromium lets Tab focus a scrollable list; the focus stays in the box.
        <div
            id="palette-list"
            role="listbox"
            tabindex="-1"
            aria-label="Results"
            on:mousedown=|press| focus::keep_in_box(&press)
        >
            {shown}
        </div>
    }
}

fn option(at: usize, entry: Entry, active: Memo<usize>, choose: Callback<usize>) -> impl IntoView {
    let Entry { label, note, reason, saved, .. } = entry;
    let is_disabled = reason.as_ref().map(|_| "true");
    let remove = saved.map(|(kind, name)| {
        let press = move |event: leptos::ev::MouseEvent| {
            event.stop_propagation();
            saved::remove(kind, &name);
        };
        view! { <span class="remove" aria-hidden="true" title="Remove (Delete)" on:click=press>{"✕"}</span> }
    });
    view! {
        <div
            id=format!("palette-{at}")
            role="option"
            aria-selected=move || if active.get() == at { "true" } else { "false" }
            aria-disabled=is_disabled
            on:click=move |_| choose.run(at)
        >
            <span>{visible(&label).into_owned()}</span>
            <small>{visible(&note).into_owned()}</small>
            {remove}
            {reason.map(|reason| view! { <small class="reason">{visible(&reason).into_owned()}</small> })}
        </div>
    }
}
