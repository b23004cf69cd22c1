//! Retry button: skips the backoff of the informers.

use leptos::prelude::*;

use crate::cluster::Cluster;
use crate::source::Source;

/// Retry button, shown while the next attempt is scheduled for later.
#[component]
pub(crate) fn Retry(cluster: Cluster, source: Source) -> impl IntoView {
    let waits = Memo::new(move |_| source.status.with(|status| status.next_retry_at.is_some()));
    let retry = move |_| cluster.retry();
    view! {
        <Show when=move || waits.get()>
            <button class="button retry" type="button" on:click=retry>
                {"Retry now"}
            </button>
        </Show>
    }
}
