//! Filter box: applied with each letter, with a mark below a syntax error.

mod completion;
mod language;
mod suggestions;
mod words;

use informer_engine::Draft;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;

use crate::navigator::Navigator;
use crate::view_state::ViewState;
use completion::Completion;
use suggestions::Suggestions;

pub(crate) use language::LANGUAGE;
pub(crate) use words::{chosen, toggle};

/// What of the filter in the address counts while it is typed.
pub(crate) fn draft(navigator: Navigator, state: ViewState) -> Draft {
    let filter = navigator.filter.get();
    let half = state.half.with(|half| half.as_ref().filter(|(text, _)| *text == filter).map(|(_, at)| *at));
    half.map_or_else(|| Draft::new(&filter), |at| Draft::half_typed(&filter, at))
}

/// What of the filter in the address is to be in force; every place in it is the same as in the address.
pub(crate) fn finished(navigator: Navigator, state: ViewState) -> String {
    draft(navigator, state).finished.trim_end().to_owned()
}

/// The box, what may come next in it, and the button that opens the help.
#[component]
pub(crate) fn Filter(
    navigator: Navigator,
    state: ViewState,
    input: NodeRef<Input>,
    help: NodeRef<Dialog>,
) -> impl IntoView {
    let suggestions = Suggestions::new(navigator, state, input);
    let scrolled = RwSignal::new(0);
    let open = move || suggestions.is_open();
    view! {
        <div class="filter">
            <div class="filter-box">
                <input
                    class="field"
                    node_ref=input
                    type="search"
                    role="combobox"
                    placeholder="Filter, for example status=Running"
                    aria-label="Filter"
                    aria-keyshortcuts="/"
                    aria-autocomplete="list"
                    aria-controls="completions"
                    aria-expanded=move || if open() { "true" } else { "false" }
                    aria-activedescendant=move || suggestions.active.get().map(|at| format!("completion-{at}"))
                    aria-invalid=move || state.refused.with(Option::is_some).then_some("true")
                    aria-describedby="refusal"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    prop:value=move || navigator.filter.get()
                    on:input=move |_| suggestions.update()
                    on:keydown=move |event| suggestions.on_key(&event)
                    on:blur=move |_| suggestions.close()
                    on:scroll=move |event| scrolled.set(event_target::<web_sys::Element>(&event).scroll_left())
                />
                {mark(navigator, state, scrolled)}
                <kbd aria-hidden="true">{"/"}</kbd>
                <Show when=open>
                    <ul class="options" id="completions" role="listbox" tabindex="-1" aria-label="Suggestions">
                        {move || options(suggestions)}
                    </ul>
                </Show>
            </div>
            {help_button(help)}
        </div>
    }
}

/// The line below what is wrong.
fn mark(navigator: Navigator, state: ViewState, scrolled: RwSignal<i32>) -> impl IntoView {
    let wrong = Memo::new(move |_| {
        let refusal = state.refused.get()?;
        let place = refusal.place;
        // Of a filter that has been changed since, the place would be another.
        let filter = navigator.filter.get();
        (refusal.filter == finished(navigator, state)).then(|| parts(&filter, place.start, place.end))
    });
    let marked = move || wrong.get().map(|(before, wrong, _)| view! { {before}<span class="wrong">{wrong}</span> });
    view! {
        <Show when=move || wrong.with(Option::is_some)>
            <div class="wrong-line" aria-hidden="true">
                <span style:transform=move || format!("translateX({}px)", -scrolled.get())>{marked}</span>
            </div>
        </Show>
    }
}

fn help_button(help: NodeRef<Dialog>) -> impl IntoView {
    let open = move |_| {
        if let Some(dialog) = help.get_untracked() {
            let _ = dialog.show_modal();
        }
    };
    view! {
        <button
            class="icon-button help-button"
            type="button"
            aria-label="Help: filter syntax and keyboard shortcuts"
            title="Filter syntax (?)"
            on:click=open
        >
            <span aria-hidden="true">{"?"}</span>
        </button>
    }
}

fn options(suggestions: Suggestions) -> impl IntoView {
    let offered = suggestions.offered.get();
    offered.into_iter().enumerate().map(|(at, completion)| option(at, completion, suggestions)).collect_view()
}

fn option(at: usize, completion: Completion, suggestions: Suggestions) -> impl IntoView {
    let (text, hint) = (completion.text.clone(), completion.hint.clone());
    // Pressing must not take the focus from the box.
    let press = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        suggestions.accept(&completion);
    };
    view! {
        <li
            id=format!("completion-{at}")
            role="option"
            aria-selected=move || if suggestions.active.get() == Some(at) { "true" } else { "false" }
            on:mousedown=press
        >
            {text}
            <span class="kind">{hint}</span>
        </li>
    }
}

/// A text cut where something is wrong, the places in UTF-16 units. What is missing shows as a blank at its place.
fn parts(text: &str, start: usize, end: usize) -> (String, String, String) {
    let (start, end) = (bytes(text, start), bytes(text, end.max(start)));
    let wrong = &text[start..end];
    // A blank that does not break, as wide as a letter.
    let wrong = if wrong.is_empty() { "\u{2007}" } else { wrong };
    (text[..start].to_owned(), wrong.to_owned(), text[end..].to_owned())
}

/// A place in UTF-16 units as one in bytes; one within a character is that behind it, one behind the end the end.
fn bytes(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += c.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_cut_where_it_is_wrong() {
        let cut = |text: &str, start, end| parts(text, start, end);
        let of = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(cut("web colour=red x", 4, 14), of("web ", "colour=red", " x"));
        assert_eq!(cut("é𝄞 a", 4, 5), of("é𝄞 ", "a", ""));
        assert_eq!(cut("web (", 5, 5), of("web (", "\u{2007}", ""));
        assert_eq!(cut("web", 90, 4), of("web", "\u{2007}", ""));
    }
}
