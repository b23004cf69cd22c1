//! Scale: the number of replicas.

use leptos::prelude::*;

use super::outcome::Verb;
use super::replicas::Replicas;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use super::table::has_replicas;
use super::typed::Typed;
use crate::dialog::Window;
use crate::visible::visible;

/// The dialog.
pub(super) fn scale(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let replicas = Replicas::of(subjects);
    // The typed number, once something was typed.
    let typed_number = RwSignal::new(None::<String>);
    let opened = Memo::new(move |known: Option<&Option<u64>>| {
        known.copied().flatten().or_else(|| replicas.range().map(|(_, most)| most))
    });
    let text = Memo::new(move |_| {
        typed_number.get().unwrap_or_else(|| opened.get().map(|number| number.to_string()).unwrap_or_default())
    });
    let wanted = move || text.with(|text| text.trim().parse::<u32>().ok());
    let run = Run::new(subjects, close);
    // Without the number now it may be fewer.
    let is_fewer = move |wanted: u32| replicas.range().is_none_or(|(_, most)| u64::from(wanted) < most);
    let typed = Typed::new(subjects, move || wanted().is_some_and(is_fewer));
    let is_ready = move || wanted().is_some() && typed.is_right();
    let send = move || {
        if let Some(replicas) = untrack(wanted).filter(|_| untrack(is_ready)) {
            run.send(Request::Scale(replicas));
        }
    };
    let shown = move || match replicas.range() {
        Some((least, most)) if least == most => format!("Replicas (now {least})"),
        Some((least, most)) => format!("Replicas (now {least} to {most})"),
        None if replicas.failure().is_some() => "Replicas".to_owned(),
        None => "Replicas (loading …)".to_owned(),
    };
    let failure = move || {
        let failure = replicas.failure()?;
        let says = visible(&failure.message).into_owned();
        Some(view! { <p class="warning" role="status">{format!("The present number cannot be read: {says}")}</p> })
    };
    let none = if has_replicas(&subjects.resource().to_string()) {
        "With 0 replicas all of its pods are deleted."
    } else {
        "With 0 replicas its controller ends all of them."
    };
    let is_unread = Memo::new(move |_| text.with(String::is_empty) && typed_number.with(Option::is_none));
    view! {
        <Window
            title=format!("Scale: {}", subjects.named())
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
                    aria-invalid=move || (wanted().is_none() && !is_unread.get()).then_some("true")
                    on:input=move |event| typed_number.set(Some(event_target_value(&event)))
                    on:keydown=move |event| if event.key() == "Enter" { send() }
                />
            </label>
            {failure}
            <Show when=move || wanted() == Some(0)>
                <p class="warning">{none}</p>
            </Show>
            {typed.field()}
            {run.outcome()}
            {run.footer(Verb { label: "Scale", is_danger: false }, is_ready, send)}
        </Window>
    }
}
