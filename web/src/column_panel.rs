//! Panel of the columns: a button above the table, and a panel to choose, order, size and define columns. Deferred
//! code.
//!
//! The same changes can be made at the headers, by pointer and keyboard: see [`headers`].

mod custom_form;
mod editor;
mod headers;
mod listed;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;

use crate::clipboard::{Copying, FAILED};
use crate::flash::Flash;
use crate::keys::is_shortcut;
use crate::layers;
use crate::loading::ColumnTools;
use crate::route::Screen;
use crate::roving::{Axis, Roving};
use crate::{density, focus, groups};
use editor::Editor;

/// Part of the page that belongs to the panel.
const AREA: &str = ".column-tools";

/// The button, its key `C`, and the panel while it is open.
#[component]
pub(crate) fn ColumnPanel(tools: ColumnTools, flash: Flash) -> impl IntoView {
    let open = RwSignal::new(false);
    let editor = Editor::new(tools);
    headers::listen(editor);
    layers::register(open, AREA);
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let is_here = tools.navigator.screen.get_untracked() == Screen::Table;
        if event.key() == "C" && is_here && is_shortcut(&event) {
            event.prevent_default();
            open.update(|open| *open = !*open);
        }
    });
    on_cleanup(move || by_key.remove());
    Effect::new(move || {
        if open.get() {
            request_animation_frame(|| {
                focus::to(".column-panel input");
            });
        }
    });
    let buttons = NodeRef::<Div>::new();
    let roving = Roving::new(buttons, "button", Axis::Horizontal);
    view! {
        <div
            class="table-tools"
            role="toolbar"
            aria-label="Table"
            node_ref=buttons
            on:keydown=move |event| roving.on_key(&event)
            on:focusin=move |event| roving.on_focus(&event)
        >
            <button
                class="icon-button columns"
                type="button"
                aria-label="Columns"
                aria-haspopup="dialog"
                aria-keyshortcuts="C"
                aria-expanded=move || if open.get() { "true" } else { "false" }
                title="Columns: choose, order, pin, add (C)"
                on:click=move |_| open.update(|open| *open = !*open)
            >
                <span aria-hidden="true">{"▥"}</span>
            </button>
            <button
                class="icon-button export"
                type="button"
                aria-label="Export rows"
                title="Export rows: CSV, JSON, YAML, names"
                on:click=move |_| tools.model.export.set(true)
            >
                <span aria-hidden="true">{"⤓"}</span>
            </button>
            {groups::button(tools)}
        </div>
        <p class="visually-hidden" role="status">{move || editor.announcement()}</p>
        {move || open.get().then(|| untrack(|| panel(editor, flash)))}
    }
}

fn panel(editor: Editor, flash: Flash) -> impl IntoView {
    let tools = editor.tools;
    let layouts = tools.layouts;
    let title = move || format!("Columns of {}", tools.label.get());
    let has_wide = move || tools.state.columns.with(|columns| columns.iter().any(|header| header.wide));
    let copying = Copying::new();
    let copy = move |_| {
        let text = untrack(|| layouts.current()).text();
        // The usual columns have no text, and a link without one shows what its reader has stored.
        let text = if text.is_empty() { "*".to_owned() } else { text };
        let hash = untrack(|| tools.navigator.hash_with(|route| route.columns = text));
        let address = window().location().href().unwrap_or_default();
        copying.copy([address.split('#').next().unwrap_or_default(), &hash].concat());
    };
    let copied = move || match copying.outcome() {
        Some(true) => "Copied",
        Some(false) => FAILED,
        None => "Copy link",
    };
    view! {
        <div class="column-panel" role="dialog" aria-label=title>
            <h2>{title}</h2>
            <Show when=move || layouts.is_from_address()>
                <div class="of-address">
                    <p>{"These columns are in the address of the page. Changes stay there."}</p>
                    <button
                        class="button"
                        type="button"
                        on:click=move |_| layouts.store_for_kind()
                    >
                        {"Keep them"}
                    </button>
                    <button class="button" type="button" on:click=move |_| layouts.clear_address()>{"Use mine"}</button>
                </div>
            </Show>
            {listed::list(editor)}
            {custom_form::form(editor)}
            <div class="table-choices">
                <label class="group-by">
                    <span>{"Group by"}</span>
                    {groups::chooser(tools)}
                </label>
                {flash.switch()}
                {density::switch(tools.model)}
            </div>
            <footer>
                <Show when=has_wide>
                    <button
                        class="button"
                        type="button"
                        aria-pressed=move || if editor.shows_wide() { "true" } else { "false" }
                        title="The columns of kubectl get -o wide"
                        on:click=move |_| editor.toggle_wide()
                    >
                        {"Wide columns"}
                    </button>
                </Show>
                <button class="button" type="button" on:click=copy>
                    {copied}
                </button>
                <button
                    class="button"
                    type="button"
                    disabled=move || layouts.current().is_default()
                    on:click=move |_| editor.reset()
                >
                    {"Reset"}
                </button>
            </footer>
            <p class="hint">
                {"On a header: < and > move the column, - and + change its width, 0 resets it. Or drag the header or its edge."}
            </p>
        </div>
    }
}
