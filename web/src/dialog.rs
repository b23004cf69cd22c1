//! Dialog: a modal window over the page. Its key presses do not reach the page.

use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::leave_guard::{self, is_escape};

/// Whether a dialog cannot be closed now, not even by its close button. In the context of the window's content.
#[derive(Clone, Copy)]
pub(crate) struct DialogLock(pub(crate) RwSignal<bool>);

/// Marks the part of the page that has an open dialog: style.css does not hide it when Back leads to another screen.
fn mark_main(dialog: &web_sys::HtmlDialogElement) {
    if let Some(main) = dialog.closest("main").ok().flatten() {
        let is_open = main.query_selector("dialog[open]").is_ok_and(|open| open.is_some());
        let _ = main.class_list().toggle_with_force("has-dialog", is_open);
    }
}

/// The window. Escape closes it, unless `stays` is set: then its content would be lost, and the page is not left
/// without a question either.
#[component]
pub(crate) fn Window(
    title: String,
    close: Callback<()>,
    #[prop(optional)] wide: bool,
    #[prop(optional, into)] stays: Signal<bool>,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let label = title.clone();
    let lock = RwSignal::new(false);
    provide_context(DialogLock(lock));
    let stays = Signal::derive(move || stays.get() || lock.get());
    leave_guard::guard(stays);
    Effect::new(move || {
        if let Some(dialog) = dialog.get().filter(|dialog| !dialog.open()) {
            // Fails only for a dialog that is not in the page.
            let _ = dialog.show_modal();
            mark_main(&dialog);
        }
    });
    let close_native = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
            mark_main(&dialog);
        }
    };
    // A dialog that is removed without being closed would not return the focus to the element that had it.
    on_cleanup(close_native);
    let cancel = move |event: leptos::ev::Event| {
        if stays.get_untracked() {
            event.prevent_default();
        }
    };
    view! {
        <dialog
            class="action"
            class:wide=wide
            aria-label=label
            node_ref=dialog
            // The page's shortcut keys are not for an open dialog, in which the browser has Escape. A dialog that has
            // just been closed keeps the focus until its close event: a key in between is the page's.
            on:keydown=move |event| {
                if dialog.get_untracked().is_some_and(|dialog| dialog.open()) {
                    event.stop_propagation();
                }
                if is_escape(&event) && stays.get_untracked() {
                    event.prevent_default();
                }
            }
            on:cancel=cancel
            on:close=move |event| {
                // The event comes later: a dialog that was removed meanwhile does not close the next one.
                if event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok()).is_some_and(|dialog| dialog.is_connected()) {
                    close.run(());
                }
            }
        >
            // No landmark: without a section around them, header and footer of a dialog would be those of the page.
            <header role="none">
                <h2>{title}</h2>
                <button
                    class="icon-button"
                    type="button"
                    aria-label="Close"
                    disabled=lock
                    title=move || if stays.get() { "Close" } else { "Close (Esc)" }
                    on:click=move |_| close_native()
                >
                    <span aria-hidden="true">{"✕"}</span>
                </button>
            </header>
            {children()}
        </dialog>
    }
}
