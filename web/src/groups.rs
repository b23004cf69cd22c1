//! Groups of the rows: the values of one column with their numbers of rows, beside the table. Deferred code.
//!
//! A value narrows the table to its rows, by the filter. The column is in the address: `group=status`.

mod feed;
mod list;
mod values;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use crate::focus;
use crate::keys::is_shortcut;
use crate::loading::{ColumnTools, failed};
use crate::route::Screen;
use crate::sort::{is_same, slug};
use crate::visible::visible;
use feed::{Feed, GroupError};
use values::{Order, default_column, is_groupable};

/// The groups, while the rows are grouped.
#[component]
pub(crate) fn Groups(tools: ColumnTools) -> impl IntoView {
    let is_open = Memo::new(move |_| !tools.navigator.group().is_empty());
    move || is_open.get().then(|| untrack(|| panel(tools)))
}

fn panel(tools: ColumnTools) -> impl IntoView {
    let order = RwSignal::new(Order::default());
    let column = Memo::new(move |_| column(tools));
    let feed = Feed::open(tools, column, order);
    let label = move || {
        format!(
            "Groups by {}",
            column.get().map_or_else(|| requested_column(tools), |column| visible(&column).into_owned())
        )
    };
    let is_unknown = move || column.with(Option::is_none) && !tools.state.columns.with(Vec::is_empty);
    let by_value = move || order.get() == Order::Value;
    view! {
        <section class="groups" aria-label=label>
            <header>
                {chooser(tools)}
                <button
                    class="icon-button"
                    type="button"
                    aria-label="Order by value"
                    aria-pressed=move || if by_value() { "true" } else { "false" }
                    title=move || if by_value() { "Ordered by value; click: by number of rows" } else { "Ordered by number of rows; click: by value" }
                    on:click=move |_| order.set(if by_value() { Order::Count } else { Order::Value })
                >
                    <span aria-hidden="true">{move || if by_value() { "A↓" } else { "#↓" }}</span>
                </button>
                <button class="icon-button" type="button" aria-label="Stop grouping" title="Stop grouping (b)" on:click=move |_| close(tools)>
                    <span aria-hidden="true">{"✕"}</span>
                </button>
            </header>
            {move || is_unknown().then(|| view! {
                <p class="hint" role="status">
                    {format!("{} have no column {} to group by. Choose another one.", tools.label.get(), requested_column(tools))}
                </p>
            })}
            {move || feed.error.get().map(|error| match error {
                GroupError::Unloaded => failed(move || feed.retry()).into_any(),
                GroupError::Rejected(message) => {
                    view! { <p class="hint" role="status">{visible(&message).into_owned()}</p> }.into_any()
                }
            })}
            <Show when=move || column.with(Option::is_some)>{list::list(tools, feed, order)}</Show>
        </section>
    }
}

/// The column of the address, as it is written there.
fn requested_column(tools: ColumnTools) -> String {
    visible(&tools.navigator.group()).into_owned()
}

/// The header that the address names. Tracked.
fn column(tools: ColumnTools) -> Option<String> {
    let group = tools.navigator.group();
    columns(tools).into_iter().find(|name| is_same(name, &group))
}

/// Columns that the rows can be grouped by. Tracked.
fn columns(tools: ColumnTools) -> Vec<String> {
    let one_namespace = tools.model.one_namespace.get();
    let is_of_one = |name: &str| one_namespace && name == "Namespace";
    let names =
        tools.state.columns.with(|columns| columns.iter().map(|header| header.name.clone()).collect::<Vec<_>>());
    names.into_iter().filter(|name| is_groupable(name) && !is_of_one(name)).collect()
}

/// Box to choose the column by.
pub(crate) fn chooser(tools: ColumnTools) -> impl IntoView {
    let columns = Memo::new(move |_| columns(tools));
    let chosen = Memo::new(move |_| column(tools));
    let choose = move |event| {
        let name = event_target_value(&event);
        tools.navigator.go(|route| route.group = slug(&name));
    };
    let option = move |name: String| {
        let (value, shown) = (name.clone(), visible(&name).into_owned());
        let is_chosen = move || chosen.with(|chosen| chosen.as_ref() == Some(&name));
        view! { <option value=value prop:selected=is_chosen>{shown}</option> }
    };
    view! {
        <select class="field" aria-label="Group by" on:change=choose>
            <option value="" prop:selected=move || chosen.with(Option::is_none)>{"no groups"}</option>
            <For each=move || columns.get() key=Clone::clone children=option />
        </select>
    }
}

/// Button that groups the rows, or stops it. Its key `b` moves the focus to the groups.
pub(crate) fn button(tools: ColumnTools) -> impl IntoView {
    let is_open = Memo::new(move |_| !tools.navigator.group().is_empty());
    let toggle = move || {
        if is_open.get_untracked() {
            return close(tools);
        }
        let columns = untrack(|| columns(tools));
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        if let Some(name) = default_column(&names) {
            tools.navigator.go(|route| route.group = slug(name));
            request_animation_frame(|| {
                focus::to(".groups .group[aria-pressed=true]");
            });
        }
    };
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let is_here = tools.navigator.screen.get_untracked() == Screen::Table;
        if event.key() == "b" && is_here && is_shortcut(&event) {
            event.prevent_default();
            toggle();
        }
    });
    on_cleanup(move || by_key.remove());
    view! {
        <button
            class="icon-button group-rows"
            type="button"
            aria-label="Group rows"
            aria-keyshortcuts="b"
            aria-pressed=move || if is_open.get() { "true" } else { "false" }
            title="Group rows by a column, with counts (b)"
            on:click=move |_| toggle()
        >
            <span aria-hidden="true">{"≡"}</span>
        </button>
    }
}

/// Shows the rows without groups. Their filter stays.
fn close(tools: ColumnTools) {
    let had_focus = focus::is_in(".groups");
    tools.navigator.go(|route| route.group = String::new());
    if had_focus {
        focus::table();
    }
}
