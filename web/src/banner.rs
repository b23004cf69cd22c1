//! Banner across the top of the page, for messages that must not be missed.

use leptos::prelude::*;

use crate::engine::Engine;
use crate::focus;
use crate::navigator::Navigator;

/// The engine's trouble, which stays, and a note on the address, which can be put away.
#[component]
pub(crate) fn Banner(engine: Engine, navigator: Navigator) -> impl IntoView {
    let trouble = engine.trouble();
    let note = navigator.note();
    view! {
        {move || trouble.get().map(|text| view! { <p class="banner bad" role="alert">{text}</p> })}
        {move || {
            note.get()
                .map(|text| {
                    view! {
                        <p class="banner note" role="status">
                            {text}
                            <button class="link" type="button" on:click=move |_| {
                                note.set(None);
                                focus::table();
                            }>
                                "Dismiss"
                            </button>
                        </p>
                    }
                })
        }}
    }
}
