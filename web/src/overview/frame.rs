//! Frame of figures: a heading, how fresh they are, and what is missing.

use leptos::prelude::*;

use super::feed::Feed;
use crate::freshness::state;
use crate::loading::failed;
use crate::status_line::clock;

/// Card of one or more blocks.
pub(super) fn card(id: &'static str, title: impl Into<String>, content: impl IntoView) -> impl IntoView {
    view! {
        <section class="card" aria-labelledby=id data-card=id>
            <h2 id=id>{title.into()}</h2>
            {content}
        </section>
    }
}

/// Content of a block.
#[derive(Clone, Copy, PartialEq)]
enum BlockContent {
    Content,
    /// Only the note.
    Note,
    Loading,
}

/// Freshness of a feed, its note, and its content once its figures are there.
pub(super) fn block(feed: Feed, content: impl Fn() -> AnyView + Send + 'static) -> impl IntoView {
    let is_old = Memo::new(move |_| feed.is_old());
    let is_loaded = Memo::new(move |_| feed.has_all_figures());
    let message = note(feed);
    let failed_to_open = Memo::new(move |_| feed.failed_to_open() && !message.with(Option::is_some));
    // A memo, because another note must not recreate the rows: one of them may have the focus.
    let block_content =
        Memo::new(move |_| match (is_loaded.get(), message.with(Option::is_some) || failed_to_open.get()) {
            (true, _) => BlockContent::Content,
            (false, true) => BlockContent::Note,
            (false, false) => BlockContent::Loading,
        });
    view! {
        <div
            class="block"
            data-trust=move || if is_old.get() { "old" } else { "ok" }
            aria-busy=move || (!is_loaded.get()).then_some("true")
        >
            {mark(feed)}
            {move || message.get().map(|message| view! { <p class="note">{message}</p> })}
            {move || failed_to_open.get().then(|| failed(move || feed.retry()))}
            {move || match block_content.get() {
                BlockContent::Content => untrack(&content),
                BlockContent::Note => ().into_any(),
                BlockContent::Loading => view! { <p class="hint">{"Loading …"}</p> }.into_any(),
            }}
        </div>
    }
}

/// Note of a feed, recomputed only if it changes.
pub(super) fn note(feed: Feed) -> Memo<Option<String>> {
    Memo::new(move |_| feed.note(clock))
}

/// Mark and text of a feed's freshness.
pub(super) fn mark(feed: Feed) -> impl IntoView {
    let name = Memo::new(move |_| feed.status.with(|status| status.freshness.as_str()));
    let message = Memo::new(move |_| feed.status.with(state));
    view! {
        <p class="fresh" data-freshness=move || name.get() data-kind=feed.kind.plural>
            <span class={"mark"} aria-hidden="true"></span>
            {format!("{}: ", feed.kind.plural)}
            {move || message.get()}
        </p>
    }
}
