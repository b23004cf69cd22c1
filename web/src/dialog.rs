//! Dialog: a modal window over the page, which keeps its keys to itself.

use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::leave_guard::{self, is_escape};

/// Whether a dialog cannot be closed now, not even by its close button. In the context of the window's content.
#[derive(Clone, Copy)]
pub(crate) struct Held(pub(crate) RwSignal<bool>);

/// The window. Escape closes it, unless `stays`: then there is something in it to lose, and the page is not left either.
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
    let held = RwSignal::new(false);
    provide_context(Held(held));
    let stays = Signal::derive(move || stays.get() || held.get());
    leave_guard::guard(stays);
    Effect::new(move || {
        if let Some(dialog) = dialog.get().filter(|dialog| !dialog.open()) {
            // Refused only for one that is not in the page.
            let _ = dialog.show_modal();
        }
    });
    let close_native = move || dialog.get_untracked().into_iter().for_each(|dialog| dialog.close());
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
                    disabled=held
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
