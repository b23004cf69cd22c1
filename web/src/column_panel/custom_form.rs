//! Form for a column of the user's own: a label or a JSONPath, which is checked while it is typed, and a name.

use informer::JsonPath;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::editor::Editor;
use crate::layout::{CustomColumn, Item, MAX_COLUMNS, Usage, checked_name};
use crate::layouts::{NO_PATHS, NO_USAGE, has_paths};
use crate::visible::visible;

/// Error of a text that is no column, and the first invalid byte.
#[derive(Clone, Debug, PartialEq)]
struct Mistake {
    message: String,
    at: Option<usize>,
}

/// Form that adds a column.
pub(super) fn form(editor: Editor) -> impl IntoView {
    let (source, name) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let was_submitted = RwSignal::new(false);
    let usual = Memo::new(move |_| {
        source.with(|text| CustomColumn::parse(text).map(|custom| custom.usual_name()).unwrap_or_default())
    });
    let read = Memo::new(move |_| {
        let name = name.with(|name| if name.trim().is_empty() { usual.get() } else { name.clone() });
        source.with(|source| item(editor, source, &name))
    });
    let mistake =
        move || read.get().err().filter(|_| was_submitted.get() || !source.with(|text| text.trim().is_empty()));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        match read.get_untracked() {
            Ok(item) => {
                editor.add(item);
                for text in [source, name] {
                    text.set(String::new());
                }
                was_submitted.set(false);
            }
            Err(_) => was_submitted.set(true),
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
            <div id="own-mistake" role="status">
                {move || mistake().map(|mistake| source.with(|text| mistake_view(&mistake, text)))}
            </div>
        </form>
    }
}

/// Parses a column, or returns the error.
fn item(editor: Editor, source: &str, name: &str) -> Result<Item, Mistake> {
    let mistake_without_position = |message: String| Mistake { message, at: None };
    let custom = CustomColumn::parse(source).map_err(mistake_without_position)?;
    if let CustomColumn::Path(path) = &custom {
        if !editor.tools.navigator.resource.with(has_paths) {
            return Err(mistake_without_position(NO_PATHS.to_owned()));
        }
        // The position is one in the path, which the box shows with the blanks before it.
        let before = source.len() - source.trim_start().len();
        JsonPath::relaxed(path).map_err(|error| mistake(error.message(), before))?;
    }
    if matches!(custom, CustomColumn::Usage(_)) && !editor.tools.navigator.resource.with(Usage::is_of) {
        return Err(mistake_without_position(NO_USAGE.to_owned()));
    }
    let name = checked_name(name).map_err(mistake_without_position)?;
    if editor.is_taken(&name) {
        return Err(mistake_without_position(format!("a column is named {name} already: choose another name")));
    }
    let custom_count = editor.tools.layouts.current().custom_columns().len();
    if custom_count >= MAX_COLUMNS.1 {
        return Err(mistake_without_position(format!(
            "at most {} columns of your own: remove one first",
            MAX_COLUMNS.1
        )));
    }
    Ok(Item { custom: Some(custom), ..Item::of(&name) })
}

/// Reads the engine's message `invalid JSONPath "…" at byte 5: reason`.
fn mistake(message: &str, before: usize) -> Mistake {
    let position = message.rsplit_once(" at byte ").and_then(|(_, rest)| rest.split_once(": "));
    match position.and_then(|(at, message)| Some((at.parse::<usize>().ok()?, message))) {
        Some((at, message)) => Mistake { message: message.to_owned(), at: Some(before + at) },
        None => Mistake { message: message.to_owned(), at: None },
    }
}

fn mistake_view(mistake: &Mistake, text: &str) -> impl IntoView + use<> {
    let marked = mistake.at.and_then(|at| text.split_at_checked(at.min(text.len()))).map(|(good, wrong)| {
        let wrong = if wrong.is_empty() { "⌷".to_owned() } else { visible(wrong).into_owned() };
        view! { <code>{visible(good).into_owned()}<span class={"wrong"}>{wrong}</span></code> }
    });
    let position = mistake
        .at
        .map(|at| format!("At character {}: ", text.get(..at.min(text.len())).unwrap_or(text).chars().count() + 1));
    view! { <p>{position}{mistake.message.clone()}</p>{marked} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_invalid_says_where() {
        let position = |path: &str| {
            let error = JsonPath::relaxed(path).expect_err("invalid");
            let Mistake { message, at } = mistake(error.message(), 0);
            assert!(!message.contains("invalid JSONPath"), "{message}");
            at
        };
        assert_eq!(position("{.spec"), Some(6));
        assert_eq!(position(".a[x"), Some(3));
        assert_eq!(mistake("what", 0), Mistake { message: "what".to_owned(), at: None });
    }
}
