//! Problems: one live list of the problems in all kinds, by the rules of the object's page. Deferred code.
//!
//! The engine selects the objects that may be unhealthy (`kinds`), the page reads those (`candidates`),
//! `kube_objects::problems` applies the rules and groups what they find, and the page shows it: `order` and `rows`
//! decide which rows there are, `list` and `row` draw them. `watch` keeps all of it while the tab is open, for the
//! number in the navigation and in the title.
//!
//! The rules get the object alone: of 500 pods nothing else is read one by one. A rule that needs another object or an
//! event reports nothing here; the page of the object, which each row links to, has its findings.

pub(crate) mod candidates;
mod examined;
mod kinds;
mod links;
mod list;
mod order;
mod row;
mod rows;
mod watch;

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::prelude::*;

use crate::focus;
use crate::loading::PageState;
use crate::namespaces;
use examined::{Examined, ExaminedProps, Notes, NotesProps, Verdict, VerdictProps};
use list::{List, ListProps, focus_row};
use watch::Watch;

/// Page of the problems.
#[component]
pub(crate) fn Problems(page: PageState, count: RwSignal<Option<String>>) -> impl IntoView {
    let watch = Watch::for_tab(page, count);
    let scope = move || page.navigator.namespaces.with(|chosen| namespaces::scope(chosen.as_deref()));
    // After Back, the row that was left has the focus again; the page as a whole gets it first.
    let is_back = StoredValue::new(watch.current.with_untracked(Option::is_some));
    // The focus changes the signal.
    let to_current = move || watch.current.get_untracked().is_some_and(|id| focus_row(&id));
    let focused = move |event: FocusEvent| {
        // Once: a later click beside the rows must not scroll to the row.
        if event.target() == event.current_target() && is_back.get_value() {
            is_back.set_value(false);
            to_current();
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let is_arrow = matches!(event.key().as_str(), "ArrowDown" | "ArrowUp");
        if is_arrow && event.target() == event.current_target() {
            event.prevent_default();
            if !to_current() {
                focus::to(".problem-list [data-row]");
            }
        }
    };
    view! {
        <main class="overview problems" tabindex="0" aria-label="Problems" on:focus=focused on:keydown=on_key>
            <h1 class="visually-hidden">{"Problems"}</h1>
            <p class="scope">{scope}</p>
            {Verdict(VerdictProps { watch })}
            {Notes(NotesProps { watch })}
            {List(ListProps { page, watch })}
            {Examined(ExaminedProps { watch })}
        </main>
    }
}
