//! Shortcut keys of the page, and the help dialog, whose text is in `help.rs`.

use leptos::ev::KeyboardEvent;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;

use crate::loading::Deferred;
use crate::navigator::Navigator;
use crate::{focus, layers, loading};

/// Whether a key is one of the page's shortcuts: nothing has handled it, no dialog is above the page, and no box takes
/// it.
pub(crate) fn is_shortcut(event: &KeyboardEvent) -> bool {
    is_for_page(event) && !focus::is_typing()
}

/// The same, also while a box takes the letters. In a dialog the browser handles keys: Escape closes it. The focus may
/// be outside of an open one, on the page as a whole, while the button that was pressed is disabled.
fn is_for_page(event: &KeyboardEvent) -> bool {
    !event.default_prevented() && !is_modified(event) && !focus::is_below_dialog()
}

/// Whether a modifier key is down. `AltGr` does not count: some keyboards need it for `[`.
pub(crate) fn is_modified(event: &KeyboardEvent) -> bool {
    let alt_gr = event.get_modifier_state("AltGraph");
    event.meta_key() || (!alt_gr && (event.ctrl_key() || event.alt_key()))
}

/// Whether a key opens the palette: Ctrl K or ⌘ K, also while a box takes the letters, but not over a dialog.
fn is_palette(event: &KeyboardEvent) -> bool {
    let is_chord = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key();
    is_chord && matches!(event.key().as_str(), "k" | "K") && !event.default_prevented() && !focus::is_below_dialog()
}

/// Goes back or forward in the history. No effect without an entry.
fn go_in_history(by: i32) {
    if let Ok(history) = window().history() {
        let _ = history.go_with_delta(by);
    }
}

/// Opens the help dialog.
pub(crate) fn open_help(dialog: NodeRef<Dialog>) {
    loading::load_now();
    if let Some(dialog) = dialog.get_untracked() {
        // An open dialog stays open.
        let _ = dialog.show_modal();
    }
}

/// The shortcut keys and the help dialog.
#[component]
pub(crate) fn Keys(
    navigator: Navigator,
    filter: NodeRef<Input>,
    /// Whether the palette is open.
    palette: RwSignal<bool>,
    dialog: NodeRef<Dialog>,
) -> impl IntoView {
    let on_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let open_palette = || {
            // The key must not be typed into a box, and Ctrl K is one of the browser's.
            event.prevent_default();
            loading::load_now();
            palette.set(true);
        };
        if is_palette(&event) {
            return open_palette();
        }
        if !is_for_page(&event) {
            return;
        }
        let key = event.key();
        if key == "Escape" {
            if !layers::close_last() {
                navigator.go(|route| route.object = None);
            }
            return;
        }
        if focus::is_typing() {
            return;
        }
        match key.as_str() {
            "/" => {
                event.prevent_default();
                if let Some(input) = filter.get_untracked() {
                    let _ = input.focus();
                    input.select();
                }
            }
            ":" => open_palette(),
            "n" => {
                event.prevent_default();
                focus::to(".namespace .field");
            }
            "?" => {
                open_help(dialog);
            }
            "[" => go_in_history(-1),
            "]" => go_in_history(1),
            _ => {}
        }
    });
    on_cleanup(move || on_key.remove());
    let close_beside = move |event: leptos::ev::MouseEvent| {
        // A click reaches the dialog itself only outside of its form: on its edge, and on the backdrop.
        if let Some(dialog) = dialog.get_untracked().filter(|dialog| event.target().as_deref() == Some(dialog)) {
            dialog.close();
        }
    };
    // The browser returns the focus to the element that had it before.
    let closed = move |_| {
        if focus::current().is_none() || focus::is_in("dialog") {
            focus::table();
        }
    };
    view! {
        <dialog class="keys" node_ref=dialog aria-label="Help" on:click=close_beside on:close=closed>
            <form method="dialog">
                // First, so that focusing it does not scroll a small window to the end.
                <button class="icon-button" type="submit" aria-label="Close" title="Close (Esc)">
                    <span aria-hidden="true">{"✕"}</span>
                </button>
                {loading::hidden_part(Deferred::help, |content| content)}
            </form>
        </dialog>
    }
}
