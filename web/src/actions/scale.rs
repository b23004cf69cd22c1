//! Scale: the number of replicas.

use leptos::prelude::*;

use super::outcome::SubmitButton;
use super::replicas::Replicas;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use super::table::has_replicas;
use super::typed::TypedConfirmation;
use crate::dialog::Window;
use crate::visible::visible;

/// Dialog of the number of replicas.
pub(super) fn scale(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let replicas = Replicas::of(subjects);
    // The typed number, once something was typed.
    let typed_number = RwSignal::new(None::<String>);
    let opened = Memo::new(move |known: Option<&Option<u64>>| {
        known.copied().flatten().or_else(|| replicas.range().map(|(_, max)| max))
    });
    let text = Memo::new(move |_| {
        typed_number.get().unwrap_or_else(|| opened.get().map(|number| number.to_string()).unwrap_or_default())
    });
    let requested = move || text.with(|text| text.trim().parse::<u32>().ok());
    let run = Run::new(subjects, close);
    // If the present number is unknown, the new one may be smaller.
    let is_fewer = move |requested: u32| replicas.range().is_none_or(|(_, max)| u64::from(requested) < max);
    let confirmation = TypedConfirmation::new(subjects, move || requested().is_some_and(is_fewer));
    let is_ready = move || requested().is_some() && confirmation.is_confirmed();
    let send = move || {
        if let Some(replicas) = untrack(requested).filter(|_| untrack(is_ready)) {
            run.send(Request::Scale(replicas));
        }
    };
    let shown = move || match replicas.range() {
        Some((min, max)) if min == max => format!("Replicas (now {min})"),
        Some((min, max)) => format!("Replicas (now {min} to {max})"),
        None if replicas.failure().is_some() => "Replicas".to_owned(),
        None => "Replicas (loading …)".to_owned(),
    };
    let failure = move || {
        let failure = replicas.failure()?;
        let message = visible(&failure.message).into_owned();
        Some(view! { <p class="warning" role="status">{format!("The present number cannot be read: {message}")}</p> })
    };
    let none = if has_replicas(&subjects.resource().to_string()) {
        "With 0 replicas all of its pods are deleted."
    } else {
        "With 0 replicas its controller ends all of them."
    };
    let is_unread = Memo::new(move |_| text.with(String::is_empty) && typed_number.with(Option::is_none));
    view! {
        <Window
            title=format!("Scale: {}", subjects.description())
            close=close
            stays=Signal::derive(move || run.is_running())
        >
            <label>
                <span>{shown}</span>
                <input
                    class="field"
                    type="number"
                    min="0"
                    step="1"
                    autofocus
                    prop:value=text
                    aria-invalid=move || (requested().is_none() && !is_unread.get()).then_some("true")
                    on:input=move |event| typed_number.set(Some(event_target_value(&event)))
                    on:keydown=move |event| if event.key() == "Enter" { send() }
                />
            </label>
            {failure}
            <Show when=move || requested() == Some(0)>
                <p class="warning">{none}</p>
            </Show>
            {confirmation.field()}
            {run.outcome()}
            {run.footer(SubmitButton { label: "Scale", is_danger: false }, is_ready, send)}
        </Window>
    }
}
