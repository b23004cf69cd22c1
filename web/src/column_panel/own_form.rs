//! Form for a column of the user's own: a label or a JSONPath, which is checked while it is typed, and a name.

use informer::JsonPath;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::editor::Editor;
use crate::layout::{Item, MOST, Own, Usage, checked_name};
use crate::layouts::{NO_PATHS, NO_USAGE, has_paths};
use crate::visible::visible;

/// Why a text is no column, and from which byte on.
#[derive(Clone, Debug, PartialEq)]
struct Mistake {
    says: String,
    at: Option<usize>,
}

/// The form.
pub(super) fn form(editor: Editor) -> impl IntoView {
    let (source, name) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let tried = RwSignal::new(false);
    let usual =
        Memo::new(move |_| source.with(|text| Own::parse(text).map(|own| own.usual_name()).unwrap_or_default()));
    let read = Memo::new(move |_| {
        let name = name.with(|name| if name.trim().is_empty() { usual.get() } else { name.clone() });
        source.with(|source| item(editor, source, &name))
    });
    let mistake = move || read.get().err().filter(|_| tried.get() || !source.with(|text| text.trim().is_empty()));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        match read.get_untracked() {
            Ok(item) => {
                editor.add(item);
                for text in [source, name] {
                    text.set(String::new());
                }
                tried.set(false);
            }
            Err(_) => tried.set(true),
        }
    };
    let typed = move |text: RwSignal<String>| move |event| text.set(event_target_value(&event));
    view! {
        <form class="own-form" on:submit=submit novalidate>
            <label>
                <span>{"Label or JSONPath"}</span>
                <input
                    class="field"
                    type="text"
                    placeholder="label:app or .spec.nodeName"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    aria-describedby="own-mistake"
                    aria-invalid=move || mistake().map(|_| "true")
                    prop:value=move || source.get()
                    on:input=typed(source)
                />
            </label>
            <label>
                <span>{"Name"}</span>
                <input
                    class="field"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=move || usual.get()
                    prop:value=move || name.get()
                    on:input=typed(name)
                />
            </label>
            <button class="button" type="submit">{"Add"}</button>
            <div id="own-mistake" role="status">{move || mistake().map(|mistake| source.with(|text| shown(&mistake, text)))}</div>
        </form>
    }
}

/// Reads a column, or says what is wrong.
fn item(editor: Editor, source: &str, name: &str) -> Result<Item, Mistake> {
    let elsewhere = |says: String| Mistake { says, at: None };
    let own = Own::parse(source).map_err(elsewhere)?;
    if let Own::Path(path) = &own {
        if !editor.tools.navigator.resource.with(has_paths) {
            return Err(elsewhere(NO_PATHS.to_owned()));
        }
        // The position is one in the path, which the box shows with the blanks before it.
        let before = source.len() - source.trim_start().len();
        JsonPath::relaxed(path).map_err(|error| mistake(error.message(), before))?;
    }
    if matches!(own, Own::Usage(_)) && !editor.tools.navigator.resource.with(Usage::is_of) {
        return Err(elsewhere(NO_USAGE.to_owned()));
    }
    let name = checked_name(name).map_err(elsewhere)?;
    if editor.is_taken(&name) {
        return Err(elsewhere(format!("a column is named {name} already: choose another name")));
    }
    let own_count = editor.tools.layouts.current().own().len();
    if own_count >= MOST.1 {
        return Err(elsewhere(format!("at most {} columns of your own: remove one first", MOST.1)));
    }
    Ok(Item { own: Some(own), ..Item::of(&name) })
}

/// Reads the engine's message `invalid JSONPath "…" at byte 5: reason`.
fn mistake(message: &str, before: usize) -> Mistake {
    let place = message.rsplit_once(" at byte ").and_then(|(_, rest)| rest.split_once(": "));
    match place.and_then(|(at, says)| Some((at.parse::<usize>().ok()?, says))) {
        Some((at, says)) => Mistake { says: says.to_owned(), at: Some(before + at) },
        None => Mistake { says: message.to_owned(), at: None },
    }
}

fn shown(mistake: &Mistake, text: &str) -> impl IntoView + use<> {
    let marked = mistake.at.and_then(|at| text.split_at_checked(at.min(text.len()))).map(|(good, wrong)| {
        let wrong = if wrong.is_empty() { "⌷".to_owned() } else { visible(wrong).into_owned() };
        view! { <code>{visible(good).into_owned()}<span class={"wrong"}>{wrong}</span></code> }
    });
    let place = mistake
        .at
        .map(|at| format!("At character {}: ", text.get(..at.min(text.len())).unwrap_or(text).chars().count() + 1));
    view! { <p>{place}{mistake.says.clone()}</p>{marked} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_invalid_says_where() {
        let place = |path: &str| {
            let error = JsonPath::relaxed(path).expect_err("invalid");
            let Mistake { says, at } = mistake(error.message(), 0);
            assert!(!says.contains("invalid JSONPath"), "{says}");
            at
        };
        assert_eq!(place("{.spec"), Some(6));
        assert_eq!(place(".a[x"), Some(3));
        assert_eq!(mistake("what", 0), Mistake { says: "what".to_owned(), at: None });
    }
}
