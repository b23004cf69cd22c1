//! Summary of the open object: its problems and sections of facts, live.

mod chips;
mod section;
mod why;

use leptos::prelude::*;

use super::link::text;
use super::opened::Opened;
use super::related_objects::NeedState;
use crate::freshness;
use section::Part;
use why::Why;

/// Tab of the summary.
#[component]
pub(super) fn Summary(opened: Opened) -> impl IntoView {
    let derived = opened.derived;
    derived.related.open_informers();
    let titles = Memo::new(move |_| {
        derived.sections.with(|sections| sections.iter().map(|section| section.title.clone()).collect::<Vec<_>>())
    });
    let nothing =
        move || derived.object.with(Option::is_none).then(|| view! { <p class="hint">{opened.absence()}</p> });
    view! {
        <div class="summary">
            {nothing} <Why opened=opened /> <Unread opened=opened />
            <For each=move || titles.get() key=Clone::clone let:title>
                <Part opened=opened title=title />
            </For>
            <Reading opened=opened />
        </div>
    }
}

/// Kinds that cannot be read for the diagnosis and the related objects, with the reasons.
#[component]
pub(super) fn Unread(opened: Opened) -> impl IntoView {
    let failed = Memo::new(move |_| opened.derived.loading_and_failed().1);
    let entry = |(kind, state): (String, NeedState)| {
        let why = match state {
            NeedState::Failed(error) => format!("{}. {}", freshness::code(error.code), error.message),
            NeedState::TooMany(count) => format!("{count} objects, more than the page reads."),
            NeedState::Loading | NeedState::Found(_) => String::new(),
        };
        view! { <li>{text(&format!("Cannot read {kind} objects: {why}"))}</li> }
    };
    move || {
        let failed = failed.get();
        (!failed.is_empty()).then(|| view! { <ul class="unread">{failed.into_iter().map(entry).collect_view()}</ul> })
    }
}

/// Kinds that are being read. Last, so that nothing moves when it disappears.
#[component]
pub(super) fn Reading(opened: Opened) -> impl IntoView {
    let loading = Memo::new(move |_| opened.derived.loading_and_failed().0);
    move || {
        let loading = loading.get();
        (!loading.is_empty()).then(|| {
            view! { <p class="reading" role="status">{text(&format!("Reading {} …", loading.join(", ")))}</p> }
        })
    }
}
