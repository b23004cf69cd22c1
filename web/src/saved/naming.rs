//! Dialog that asks for the name of what is saved. A name that exists is replaced after a second press.

use std::cell::OnceCell;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::{Kind, all, save};
use crate::dialog::Window;
use crate::visible::visible;

/// The text to save.
type Asked = Option<(Kind, String)>;

thread_local! {
    static ASKED: OnceCell<ArcRwSignal<Asked>> = const { OnceCell::new() };
}

fn asked() -> ArcRwSignal<Asked> {
    ASKED.with(|asked| asked.get_or_init(|| ArcRwSignal::new(None)).clone())
}

/// Opens the dialog for a text.
pub(crate) fn ask(kind: Kind, text: String) {
    asked().set(Some((kind, text)));
}

/// The dialog, while it is open.
pub(crate) fn dialog() -> impl IntoView {
    let asked = asked();
    move || asked.get().map(|(kind, text)| untrack(|| form(kind, text)))
}

/// Next step of a press on the button.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// There is no name.
    Nothing,
    /// The name exists: ask first.
    Ask,
    Save,
}

/// The step for a name; `confirmed` is the name whose replacement the user has been asked about.
fn step(name: &str, confirmed: Option<&str>, known: &[(String, String)]) -> Step {
    if name.is_empty() {
        Step::Nothing
    } else if confirmed != Some(name) && known.iter().any(|(known, _)| known == name) {
        Step::Ask
    } else {
        Step::Save
    }
}

fn form(kind: Kind, text: String) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let confirmed = RwSignal::new(None::<String>);
    let is_refused = RwSignal::new(false);
    let close = Callback::new(move |()| asked().set(None));
    let (title, says) = match kind {
        Kind::Set => ("Save a set of namespaces", visible(&text.replace(',', ", ")).into_owned()),
        Kind::View => ("Save this view", visible(&text).into_owned()),
    };
    let press = move || {
        let trimmed = name.with_untracked(|name| name.trim().to_owned());
        match step(&trimmed, confirmed.get_untracked().as_deref(), &untrack(|| all(kind))) {
            Step::Nothing => {}
            Step::Ask => confirmed.set(Some(trimmed)),
            Step::Save => match save(kind, &trimmed, &text) {
                Ok(()) => close.run(()),
                Err(_) => is_refused.set(true),
            },
        }
    };
    let by_key = press.clone();
    let is_replaced = move || name.with(|name| confirmed.with(|confirmed| confirmed.as_deref() == Some(name.trim())));
    let question = move || {
        is_replaced().then(|| {
            let name = confirmed.get().unwrap_or_default();
            let says = format!("There is a {} named {}. Replace it?", kind.noun(), visible(&name));
            view! { <p class="warning" role="alert">{says}</p> }
        })
    };
    view! {
        <Window title=title.to_owned() close=close>
            <p class="note saved-text">{says}</p>
            <label>
                <span>{"Name"}</span>
                <input
                    class="field"
                    autofocus
                    maxlength="80"
                    autocomplete="off"
                    spellcheck="false"
                    on:input=move |event| {
                        is_refused.set(false);
                        confirmed.set(None);
                        name.set(event_target_value(&event));
                    }
                    on:keydown=move |event: KeyboardEvent| {
                        if event.key() == "Enter" && !event.is_composing() {
                            event.prevent_default();
                            by_key();
                        }
                    }
                />
            </label>
            {question}
            {move || is_refused.get().then(|| view! {
                <p class="outcome failed" role="alert">
                    {"Not saved: the browser refused to store it. Its storage is full, or forbidden for this page."}
                </p>
            })}
            <footer role="none">
                <button class="button" type="button" on:click=move |_| close.run(())>{"Cancel"}</button>
                <button
                    class="button primary"
                    type="button"
                    disabled=move || name.with(|name| name.trim().is_empty())
                    on:click=move |_| press()
                >
                    {move || if is_replaced() { "Replace" } else { "Save" }}
                </button>
            </footer>
        </Window>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_exists_is_asked_about_first() {
        let known = [("team".to_owned(), "a".to_owned())];
        assert_eq!(step("", None, &known), Step::Nothing);
        assert_eq!(step("new", None, &known), Step::Save);
        assert_eq!(step("team", None, &known), Step::Ask);
        assert_eq!(step("team", Some("other"), &known), Step::Ask);
        assert_eq!(step("team", Some("team"), &known), Step::Save);
    }
}
