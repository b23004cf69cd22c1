//! Marks: rows of the table that are marked for an action on all of them. Deferred code.
//!
//! A mark belongs to an object, by its uid: sorting, filtering and scrolling do not change it, and a deleted object
//! loses it.

mod collect;
mod input;
mod list;
mod mark;

use leptos::prelude::*;

use crate::actions::{Menu, Replacements, added_container};
use crate::cluster::Cluster;
use crate::drawer::has_logs;
use crate::navigator::Navigator;
use crate::object_keys;
use crate::source::Source;
use crate::table::model::Model;
use list::MarkList;

/// Maximum number of rows that can be marked. Each marked object is followed, with its whole JSON in the page.
const MAX_MARKS: usize = 1_000;

/// Maximum size of the JSON of all marked objects together, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Number of objects that are requested at once: their size is known only once they have arrived.
const BATCH: usize = 50;

/// Bar below the rows, while rows are marked or an error about marking is shown.
#[component]
pub(crate) fn Marks(cluster: Cluster, model: Model, navigator: Navigator, source: Source) -> impl IntoView {
    let marks = MarkList::new(cluster, model, navigator, source);
    let open = RwSignal::new(false);
    input::listen(marks, open);
    object_keys::listen(model, navigator);
    let replaced = RwSignal::new(0);
    provide_context(Replacements(replaced));
    Effect::new(move || {
        source.informer.track();
        replaced.update(|count| *count += 1);
    });
    let count = Memo::new(move |_| model.marked.with(Vec::len));
    let has_marks = Memo::new(move |_| count.get() > 0);
    Effect::new(move || {
        if !has_marks.get() {
            open.set(false);
        }
    });
    // The shell of a debug container is in the pod's drawer.
    let added_container = added_container();
    Effect::new(move || {
        let Some(pod) = added_container.with(|container| container.as_ref().map(|container| container.pod.clone()))
        else {
            return;
        };
        if let Some(key) = marks.subjects.key_of(&pod) {
            navigator.go(|route| (route.object, route.tab) = (Some(key), Some("shell".to_owned())));
        }
    });
    view! {
        <p class="visually-hidden" role="status">{move || marks.label(count.get())}</p>
        <div class="marks" role="region" aria-label="Marked rows" hidden=move || !marks.is_shown()>
            <span class="number">{move || marks.label(count.get())}</span>
            <Menu
                open=open
                area=".marks .actions"
                subjects=marks.subjects
                marked=model.marked
                disabled=Signal::derive(move || !has_marks.get())
            />
            <Show when=move || navigator.resource.with(has_logs)>
                <button
                    class="button"
                    type="button"
                    title="Logs of the marked rows, merged (l)"
                    aria-keyshortcuts="l"
                    disabled=move || !has_marks.get()
                    on:click=move |_| marks.logs()
                >
                    {"Logs"}
                </button>
            </Show>
            <button
                class="button"
                type="button"
                title="Export the marked rows"
                disabled=move || !has_marks.get()
                on:click=move |_| model.export.set(true)
            >
                {"Export"}
            </button>
            <button class="button" type="button" title="Clear the marks (Esc)" on:click=move |_| marks.clear()>
                {"Clear"}
            </button>
        </div>
    }
}
