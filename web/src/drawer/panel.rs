//! Panel: the frame of the drawer, beside the table or on the full page.

use leptos::either::Either;
use leptos::html::Div;
use leptos::prelude::*;

use super::handle::{self, Handle};
use super::link;
use crate::focus;
use crate::keys::is_shortcut;
use crate::navigator::Navigator;

/// Moves the focus into the panel, once it is there.
pub(super) fn focus_panel() {
    request_animation_frame(|| {
        if !focus::is_in(".drawer") {
            focus::to(focus::IN_DRAWER);
        }
    });
}

/// The frame with its heading and buttons.
#[component]
pub(super) fn Panel(
    navigator: Navigator,
    title: String,
    /// Line above the title.
    above: Signal<String>,
    /// Whether its object was deleted.
    #[prop(into)]
    gone: Signal<bool>,
    /// Menu before the buttons.
    #[prop(optional)]
    menu: Option<AnyView>,
    children: Children,
) -> impl IntoView {
    let (drawer, width) = (NodeRef::<Div>::new(), handle::stored_width());
    let close = move |_| navigator.go(|route| route.object = None);
    let full = navigator.full;
    let resize = move || navigator.go(|route| route.full = !route.full);
    let on_key = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "f" && is_shortcut(&event) {
            event.prevent_default();
            resize();
        }
    });
    on_cleanup(move || on_key.remove());
    // The element that opened the panel may be hidden or removed, so the focus moves into the panel.
    let followed_link = link::take_followed();
    Effect::new(move |before: Option<()>| {
        if full.get() || (before.is_none() && followed_link) {
            focus_panel();
        }
    });
    let resize_label = move || if full.get() { "Show beside the table" } else { "Show on the full page" };
    let [label, tip] = [title.clone(), title.clone()];
    view! {
        <div
            class="drawer"
            // On the full page it is all of the content.
            role=move || if full.get() { "main" } else { "complementary" }
            class:gone=move || gone.get()
            class:full=move || full.get()
            class:sized=move || width.get().is_some()
            aria-label=label
            node_ref=drawer
            style=("--drawer-width", move || width.get().map(|width| format!("{width}px")))
        >
            <Handle width=width drawer=drawer />
            // No landmark: in a `div` it would be the header of the page.
            <header role="none">
                <div class="what">
                    // The table with its heading is hidden on the full page.
                    {move || if full.get() {
                        Either::Left(view! { <h1>{move || above.get()}</h1> })
                    } else {
                        Either::Right(view! { <p>{move || above.get()}</p> })
                    }}
                    <h2 title=tip>{title}</h2>
                </div>
                {menu}
                <button
                    class="icon-button"
                    type="button"
                    aria-label=resize_label
                    aria-keyshortcuts="f"
                    title=move || format!("{} (f)", resize_label())
                    on:click=move |_| resize()
                >
                    <span aria-hidden="true">{move || if full.get() { "⇥" } else { "⇤" }}</span>
                </button>
                <button class="icon-button" type="button" aria-label="Close" title="Close (Esc)" on:click=close>
                    <span aria-hidden="true">{"✕"}</span>
                </button>
            </header>
            <Show when=move || gone.get()>
                <p class="notice" role="status">{"Deleted. This is its last known state."}</p>
            </Show>
            {children()}
        </div>
    }
}
