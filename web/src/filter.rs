//! Filter box: applied with each keystroke, with a mark below a syntax error.

pub(crate) mod completion;
mod suggestions;
mod words;

use informer_engine::Draft;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;

use crate::focus;
use crate::keys::open_help;
use crate::loading;
use crate::navigator::Navigator;
use crate::view_state::ViewState;
use completion::Completion;
use suggestions::Suggestions;

pub(crate) use words::{chosen, toggle};

/// Draft of the filter in the address: its complete terms count while it is typed.
pub(crate) fn draft(navigator: Navigator, state: ViewState) -> Draft {
    let filter = navigator.filter.get();
    let incomplete = state
        .incomplete_value
        .with(|incomplete| incomplete.as_ref().filter(|(text, _)| *text == filter).map(|(_, at)| *at));
    // Until the parser is loaded, the whole filter counts.
    let whole = || Draft { finished: filter.clone(), unfinished: Vec::new() };
    loading::loaded().map_or_else(whole, |code| code.draft(&filter, incomplete))
}

/// Returns the complete part of the address's filter; positions in it are those of the address.
pub(crate) fn finished(navigator: Navigator, state: ViewState) -> String {
    draft(navigator, state).finished.trim_end().to_owned()
}

/// Filter box, with suggestions and the button that opens the help.
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
    Effect::new(move || {
        // Text that was typed before the parser was loaded is parsed now.
        if loading::loaded().is_some()
            && focus::is_in(".filter-box .field")
            && !untrack(|| navigator.filter.get()).is_empty()
        {
            suggestions.update();
        }
    });
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
                    aria-invalid=move || state.rejection.with(Option::is_some).then_some("true")
                    aria-describedby="refusal"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    prop:value=move || navigator.filter.get()
                    on:input=move |_| suggestions.update()
                    on:keydown=move |event| suggestions.on_key(&event)
                    on:focus=move |_| loading::load_now()
                    on:blur=move |_| suggestions.close()
                    on:scroll=move |event| scrolled.set(event_target::<web_sys::Element>(&event).scroll_left())
                />
                {mark(navigator, state, scrolled)}
                <kbd aria-hidden="true">{"/"}</kbd>
                <Show when=open>
                    <ul
                        class="options"
                        id="completions"
                        role="listbox"
                        tabindex="-1"
                        aria-label="Suggestions"
                        on:mousedown=|press| focus::keep_in_box(&press)
                    >
                        {move || options(suggestions)}
                    </ul>
                </Show>
            </div>
            {help_button(help)}
        </div>
    }
}

/// Line below the invalid part.
fn mark(navigator: Navigator, state: ViewState, scrolled: RwSignal<i32>) -> impl IntoView {
    let wrong = Memo::new(move |_| {
        let rejection = state.rejection.get()?;
        let range = rejection.range;
        // After a change of the filter, the position would be wrong.
        let filter = navigator.filter.get();
        (rejection.filter == finished(navigator, state)).then(|| parts(&filter, range.start, range.end))
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
    view! {
        <button
            class="icon-button help-button"
            type="button"
            aria-label="Help: filter syntax and keyboard shortcuts"
            title="Filter syntax (?)"
            on:click=move |_| open_help(help)
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
    // The choice removes the list before the list receives the event.
    let press = move |event: leptos::ev::MouseEvent| {
        focus::keep_in_box(&event);
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

/// Splits a text around the invalid part, with positions in UTF-16 units. A missing part shows as a blank at its
/// position.
fn parts(text: &str, start: usize, end: usize) -> (String, String, String) {
    let (start, end) = (bytes(text, start), bytes(text, end.max(start)));
    let wrong = &text[start..end];
    // A non-breaking blank as wide as a digit.
    let wrong = if wrong.is_empty() { "\u{2007}" } else { wrong };
    (text[..start].to_owned(), wrong.to_owned(), text[end..].to_owned())
}

/// Converts a position from UTF-16 units to bytes. A position inside a character becomes its end, one past the text the
/// text's end.
fn bytes(text: &str, units: usize) -> usize {
    let mut passed_units = 0;
    for (at, c) in text.char_indices() {
        if passed_units >= units {
            return at;
        }
        passed_units += c.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_split_around_the_invalid_part() {
        let cut = |text: &str, start, end| parts(text, start, end);
        let of = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(cut("web colour=red x", 4, 14), of("web ", "colour=red", " x"));
        assert_eq!(cut("é𝄞 a", 4, 5), of("é𝄞 ", "a", ""));
        assert_eq!(cut("web (", 5, 5), of("web (", "\u{2007}", ""));
        assert_eq!(cut("web", 90, 4), of("web", "\u{2007}", ""));
    }
}
