//! Coverage of the list of problems: the result over all kinds, the missing objects, and the freshness of each kind.

use leptos::prelude::*;

use super::candidates::Candidates;
use super::watch::Watch;
use crate::age::thousands;
use crate::freshness::state;
use crate::namespaces::one;
use crate::status_line::clock;

/// Number of problems in a sentence.
#[component]
pub(super) fn Verdict(watch: Watch) -> impl IntoView {
    let status_text = Memo::new(move |_| {
        if !watch.is_known() {
            return if watch.candidates.with(|all| !all.is_empty() && all.iter().all(Candidates::is_settled)) {
                "Nothing could be examined.".to_owned()
            } else {
                "Loading …".to_owned()
            };
        }
        let count = watch.problems.with(|problems| problems.len()) as u64;
        match (count, watch.is_lower_bound()) {
            (0, false) => "No problems found.".to_owned(),
            (0, true) => "No problems among the examined objects.".to_owned(),
            (1, true) => "At least 1 problem.".to_owned(),
            (1, false) => "1 problem.".to_owned(),
            (count, false) => format!("{} problems.", thousands(count)),
            (count, true) => format!("At least {} problems.", thousands(count)),
        }
    });
    // Screen readers read a change of the number, not each time.
    let examined = move || {
        let (kinds, objects) = watch.candidates.with(|all| {
            let known = all.iter().filter_map(|kind| kind.found.with(|found| found.as_ref().map(|found| found.all)));
            (known.clone().count() as u64, known.sum::<u64>())
        });
        let plural =
            |count: u64, noun: &str| format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" });
        let at = clock(watch.as_of());
        (kinds > 0).then(|| format!("Examined {} of {} at {at}.", plural(objects, "object"), plural(kinds, "kind")))
    };
    view! {
        <p class="verdict" aria-busy=move || (!watch.is_known()).then_some("true")>
            <strong role="status">{move || status_text.get()}</strong>
            " "
            <span class="hint">{examined}</span>
        </p>
    }
}

/// Kinds that are missing, partial or old, with the reasons.
#[component]
pub(super) fn Notes(watch: Watch) -> impl IntoView {
    let notes = Memo::new(move |_| {
        let notes_of = |candidates: &Candidates| {
            let unread = candidates.unread().map(|(read, all)| {
                let kind = &candidates.info.resource;
                let is_narrow =
                    !candidates.info.namespaced || watch.namespaces.with(|chosen| one(chosen.as_deref()).is_some());
                let advice = if is_narrow { "" } else { " Choose a namespace to examine all of them." };
                format!(
                    "Of {} {kind} that may be unhealthy, only {} were examined.{advice}",
                    thousands(all),
                    thousands(read)
                )
            });
            [candidates.note(), unread].into_iter().flatten().collect::<Vec<_>>()
        };
        watch.candidates.with(|all| all.iter().flat_map(notes_of).collect::<Vec<_>>())
    });
    view! {
        <ul class="notes">
            <For each=move || notes.get() key=Clone::clone let:note>
                <li class="note">{note}</li>
            </For>
        </ul>
    }
}

/// Freshness of each kind, and how many of its objects may be unhealthy.
#[component]
pub(super) fn Examined(watch: Watch) -> impl IntoView {
    let entry = |candidates: Candidates| {
        let (by_name, by_state, by_count) = (candidates.clone(), candidates.clone(), candidates.clone());
        let name = Memo::new(move |_| by_name.status.with(|status| status.freshness.as_str()));
        let status_text = Memo::new(move |_| by_state.status.with(state));
        let count = Memo::new(move |_| {
            by_count.found.with(|found| {
                let found = found.as_ref()?;
                Some(format!(" · {} of {} may be unhealthy", thousands(found.candidates), thousands(found.all)))
            })
        });
        view! {
            <li class="fresh" data-freshness=move || name.get() data-kind=candidates.info.resource.clone()>
                <span class={"mark"} aria-hidden="true"></span>
                {format!("{}: ", candidates.info.resource)}
                {move || status_text.get()}
                {move || count.get()}
            </li>
        }
    };
    view! {
        <section class="examined" aria-labelledby="examined">
            <h2 id="examined">{"Examined"}</h2>
            <ul>{move || watch.candidates.get().into_iter().map(entry).collect_view()}</ul>
            <p class="hint">
                {"Each object by itself, with the rules of its page. What follows only from events or other objects, such as a service without endpoints, is on the page of the object."}
            </p>
        </section>
    }
}
