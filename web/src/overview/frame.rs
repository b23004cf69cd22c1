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
enum Shows {
    Content,
    /// Nothing but the note.
    Note,
    Loading,
}

/// Freshness of a feed, its note, and its content once its figures are there.
pub(super) fn block(feed: Feed, content: impl Fn() -> AnyView + Send + 'static) -> impl IntoView {
    let is_old = Memo::new(move |_| feed.is_old());
    let is_there = Memo::new(move |_| feed.is_there());
    let says = note(feed);
    let is_unopened = Memo::new(move |_| feed.is_unopened() && !says.with(Option::is_some));
    // A memo, because another note must not make the rows anew: one of them may have the focus.
    let shows = Memo::new(move |_| match (is_there.get(), says.with(Option::is_some) || is_unopened.get()) {
        (true, _) => Shows::Content,
        (false, true) => Shows::Note,
        (false, false) => Shows::Loading,
    });
    view! {
        <div class="block" data-trust=move || if is_old.get() { "old" } else { "ok" } aria-busy=move || (!is_there.get()).then_some("true")>
            {mark(feed)}
            {move || says.get().map(|says| view! { <p class="note">{says}</p> })}
            {move || is_unopened.get().then(|| failed(move || feed.retry()))}
            {move || match shows.get() {
                Shows::Content => untrack(&content),
                Shows::Note => ().into_any(),
                Shows::Loading => view! { <p class="hint">{"Loading …"}</p> }.into_any(),
            }}
        </div>
    }
}

/// Note of a feed, recomputed only if it changes.
pub(super) fn note(feed: Feed) -> Memo<Option<String>> {
    Memo::new(move |_| feed.note(clock))
}

/// Mark and words of a feed's freshness.
pub(super) fn mark(feed: Feed) -> impl IntoView {
    let name = Memo::new(move |_| feed.status.with(|status| status.freshness.as_str()));
    let says = Memo::new(move |_| feed.status.with(state));
    view! {
        <p class="fresh" data-freshness=move || name.get() data-kind=feed.kind.plural>
            <span class={"mark"} aria-hidden="true"></span>
            {format!("{}: ", feed.kind.plural)}
            {move || says.get()}
        </p>
    }
}
