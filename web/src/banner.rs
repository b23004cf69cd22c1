//! Banner across the top of the page, for errors of the engine and of the address.

use informer::ErrorReport;
use leptos::prelude::*;

use crate::cluster::Cluster;
use crate::focus;
use crate::navigator::Navigator;

/// Banner with the error of the engine, which stays, or a note on the address, which can be closed.
#[component]
pub(crate) fn Banner(cluster: Cluster, navigator: Navigator) -> impl IntoView {
    let error = cluster.engine_error();
    let note = navigator.note();
    view! {
        {move || error.get().map(|text| view! { <p class="banner bad" role="alert">{text}</p> })}
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

/// Error page, shown if the package is missing.
pub(crate) fn failed(error: &ErrorReport) -> impl IntoView + use<> {
    let text = format!("The engine could not be started: {}", error.message);
    view! {
        <div class="app">
            <p class="banner bad" role="alert">
                {text}
            </p>
        </div>
    }
}
