//! Retry button: lets the informers try at once, instead of after the backoff.

use leptos::prelude::*;

use crate::cluster::Cluster;
use crate::focus;
use crate::source::Source;

/// The button. It shows while the next attempt is scheduled for later.
#[component]
pub(crate) fn Retry(cluster: Cluster, source: Source) -> impl IntoView {
    let waits = Memo::new(move |_| source.status.with(|status| status.next_retry_at.is_some()));
    let focused = StoredValue::new(false);
    // When the button goes, the focus that it had must not get lost.
    Effect::new(move |waited: Option<bool>| {
        let waits = waits.get();
        let lost = focus::current().is_none() || focus::is_in(".retry");
        if waited == Some(true) && !waits && lost && focused.get_value() {
            focused.set_value(false);
            focus::table();
        }
        waits
    });
    let retry = move |_| cluster.retry();
    // An element that is removed loses the focus to no other.
    let left = move |event: leptos::ev::FocusEvent| focused.set_value(event.related_target().is_none());
    view! {
        <Show when=move || waits.get()>
            <button
                class="button retry"
                type="button"
                on:click=retry
                on:focus=move |_| focused.set_value(true)
                on:blur=left
            >
                {"Retry now"}
            </button>
        </Show>
    }
}
