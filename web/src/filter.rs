//! The box that rows are filtered by: live with each letter, with a mark below what cannot be read.

mod completion;
mod language;
mod words;

use informer::Draft;
use informer::message::ValuesOptions;
use leptos::ev::KeyboardEvent;
use leptos::html::{Dialog, Input};
use leptos::prelude::*;

use crate::engine::Engine;
use crate::focus;
use crate::navigator::Navigator;
use crate::view_state::ViewState;
use completion::{Completion, Offer, is_half, offer, values};

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
    engine: Engine,
    navigator: Navigator,
    state: ViewState,
    input: NodeRef<Input>,
    help: NodeRef<Dialog>,
) -> impl IntoView {
    let offered = RwSignal::new(Vec::<Completion>::new());
    let active = RwSignal::new(None::<usize>);
    let scrolled = RwSignal::new(0);
    // Counts the questions for values: only the answer to the last one matters.
    let question = StoredValue::new(0_u32);
    let show = move |completions: Vec<Completion>| {
        // The first one is what Enter takes.
        active.set((!completions.is_empty()).then_some(0));
        offered.set(completions);
    };
    let close = move || {
        question.update_value(|question| *question += 1);
        show(Vec::new());
    };
    // Reads what is in the box, which is `text` from here on, and what it may become.
    let suggest = move |input: &web_sys::HtmlInputElement| {
        let text = input.value();
        let caret = input.selection_start().ok().flatten().unwrap_or(0) as usize;
        let caret = bytes(&text, caret);
        question.update_value(|question| *question += 1);
        let offer = state.columns.with_untracked(|columns| offer(&text, caret, columns));
        let asked = match (offer, state.view.get_untracked()) {
            (Offer::Value(asked), Some(view)) => Some((asked, view)),
            (Offer::Value(_), None) => None,
            (Offer::Names(names), _) => {
                state.half.set(None);
                navigator.amend(|route| route.filter = text);
                return show(names);
            }
        };
        // Until the answer is there, a value may be one that is half typed.
        state.half.set(asked.as_ref().filter(|(asked, _)| !asked.typed.is_empty()).map(|_| (text.clone(), caret)));
        navigator.amend(|route| route.filter = text);
        // Those that were offered for another word are for another place.
        show(Vec::new());
        let Some((asked, view)) = asked else { return };
        let (column, containing, filter) = (asked.column.clone(), asked.typed.clone(), asked.context.clone());
        let number = question.get_value();
        engine.values(view, ValuesOptions { filter, column, containing }, move |reply| {
            if question.try_get_value() != Some(number) {
                return;
            }
            // What cannot be counted, as the other terms are wrong, is not offered: the line below the box says why.
            let facet = reply.ok();
            if facet.as_ref().is_none_or(|facet| !is_half(&asked, facet)) {
                state.half.set(None);
            }
            show(facet.map(|facet| values(&asked, &facet)).unwrap_or_default());
        });
    };
    let accept = move |completion: &Completion| {
        let Some(input) = input.get_untracked() else { return };
        let text = input.value();
        let (before, after) = (&text[..completion.place.start], &text[completion.place.end..]);
        let filled = format!("{before}{}", completion.text);
        let caret = u32::try_from(filled.encode_utf16().count()).unwrap_or(0);
        input.set_value(&format!("{filled}{after}"));
        // A box that cannot take the caret is not worth an error.
        let _ = input.set_selection_range(caret, caret);
        suggest(&input);
    };
    let on_input = move |_| {
        if let Some(input) = input.get_untracked() {
            suggest(&input);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let count = offered.with_untracked(Vec::len);
        match event.key().as_str() {
            "Escape" if count > 0 => {
                // The browser would empty the box.
                event.prevent_default();
                state.half.set(None);
                close();
            }
            "Escape" => {
                event.prevent_default();
                focus::table();
            }
            "ArrowDown" if count == 0 => {
                event.prevent_default();
                if let Some(input) = input.get_untracked() {
                    suggest(&input);
                }
            }
            "ArrowDown" => step(&event, active, |at| at.map_or(0, |at| (at + 1) % count)),
            "ArrowUp" if count > 0 => step(&event, active, |at| (at.unwrap_or(0) + count - 1) % count),
            // Without anything to take, Tab goes on to what comes next on the page.
            "Enter" | "Tab" if !event.shift_key() => {
                let at = active.get_untracked();
                match at.and_then(|at| offered.with_untracked(|offered| offered.get(at).cloned())) {
                    Some(completion) => {
                        event.prevent_default();
                        accept(&completion);
                    }
                    None => close(),
                }
            }
            _ => {}
        }
    };
    let open = move || offered.with(|offered| !offered.is_empty());
    view! {
        <div class="filter">
            <div class="filter-box">
                <input
                    class="field"
                    node_ref=input
                    type="search"
                    role="combobox"
                    placeholder="Filter, as status=Running"
                    aria-label="Filter"
                    aria-keyshortcuts="/"
                    aria-autocomplete="list"
                    aria-controls="completions"
                    aria-expanded=move || if open() { "true" } else { "false" }
                    aria-activedescendant=move || active.get().map(|at| format!("completion-{at}"))
                    aria-invalid=move || state.refused.with(Option::is_some).then_some("true")
                    aria-describedby="refusal"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    prop:value=move || navigator.filter.get()
                    on:input=on_input
                    on:keydown=on_key
                    on:blur=move |_| close()
                    on:scroll=move |event| scrolled.set(event_target::<web_sys::Element>(&event).scroll_left())
                />
                {mark(navigator, state, scrolled)}
                <kbd aria-hidden="true">{"/"}</kbd>
                <Show when=open>
                    <ul class="options" id="completions" role="listbox" tabindex="-1" aria-label="What may come next">
                        {move || options(offered.get(), active, accept)}
                    </ul>
                </Show>
            </div>
            {help_button(help)}
        </div>
    }
}

/// Moves among the completions; the caret stays where it is.
fn step(event: &KeyboardEvent, active: RwSignal<Option<usize>>, next: impl FnOnce(Option<usize>) -> usize) {
    event.prevent_default();
    active.update(|at| *at = Some(next(*at)));
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
            aria-label="Help: how to filter, and keys"
            title="How to filter (?)"
            on:click=open
        >
            <span aria-hidden="true">{"?"}</span>
        </button>
    }
}

fn options(
    offered: Vec<Completion>,
    active: RwSignal<Option<usize>>,
    accept: impl Fn(&Completion) + Copy + 'static,
) -> impl IntoView {
    offered.into_iter().enumerate().map(|(at, completion)| option(at, completion, active, accept)).collect_view()
}

fn option(
    at: usize,
    completion: Completion,
    active: RwSignal<Option<usize>>,
    accept: impl Fn(&Completion) + Copy + 'static,
) -> impl IntoView {
    let (text, hint) = (completion.text.clone(), completion.hint.clone());
    // Pressing must not take the focus from the box.
    let press = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        accept(&completion);
    };
    view! {
        <li
            id=format!("completion-{at}")
            role="option"
            aria-selected=move || if active.get() == Some(at) { "true" } else { "false" }
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
