//! Scale: the number of replicas.

use leptos::prelude::*;

use super::outcome::Verb;
use super::request::Request;
use super::run::Run;
use super::subject::{Subjects, parsed};
use super::typed::Typed;
use crate::dialog::Window;

/// The dialog.
pub(super) fn scale(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    // As it is now: an autoscaler may change it while the dialog is open.
    let replicas = subjects.with(|list| {
        let of = |json: ArcSignal<Option<String>>| {
            let read = |json: &Option<String>| parsed(json.as_deref())["spec"]["replicas"].as_u64().unwrap_or(1);
            Memo::new(move |_| json.with(read))
        };
        list.iter().map(|subject| of(subject.json.clone())).collect::<Vec<_>>()
    });
    let now = Memo::new(move |_| range(replicas.iter().map(|replicas| replicas.get())));
    let text = RwSignal::new(now.get_untracked().1.to_string());
    let wanted = move || text.with(|text| text.trim().parse::<u32>().ok());
    let run = Run::new(subjects, close);
    let typed = Typed::new(subjects, move || wanted().is_some_and(|wanted| u64::from(wanted) < now.get().1));
    let is_ready = move || wanted().is_some() && typed.is_right();
    let send = move || {
        if let Some(replicas) = untrack(wanted).filter(|_| untrack(is_ready)) {
            run.send(Request::Scale(replicas));
        }
    };
    let shown = move || match now.get() {
        (least, most) if least == most => format!("Replicas (now {least})"),
        (least, most) => format!("Replicas (now {least} to {most})"),
    };
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
                    aria-invalid=move || wanted().is_none().then_some("true")
                    on:input=move |event| text.set(event_target_value(&event))
                    on:keydown=move |event| if event.key() == "Enter" { send() }
                />
            </label>
            <Show when=move || wanted() == Some(0)>
                <p class="warning">{"With 0 replicas all of its pods are deleted."}</p>
            </Show>
            {typed.field()}
            {run.outcome()}
            {run.footer(Verb { label: "Scale", is_danger: false }, is_ready, send)}
        </Window>
    }
}

/// The least and the greatest of some numbers.
fn range(numbers: impl Iterator<Item = u64>) -> (u64, u64) {
    let all: Vec<_> = numbers.collect();
    (all.iter().copied().min().unwrap_or(1), all.iter().copied().max().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_objects_may_have_different_numbers_of_replicas() {
        assert_eq!(range([3, 1, 2].into_iter()), (1, 3));
        assert_eq!(range([2].into_iter()), (2, 2));
    }
}
