//! Dialog for the name of a saved text. A name that exists is replaced after a second press.

use std::cell::OnceCell;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::{Kind, all, save};
use crate::dialog::Window;
use crate::visible::visible;

/// The text to save.
type PendingSave = Option<(Kind, String)>;

thread_local! {
    static PENDING_SAVE: OnceCell<ArcRwSignal<PendingSave>> = const { OnceCell::new() };
}

fn pending_save() -> ArcRwSignal<PendingSave> {
    PENDING_SAVE.with(|pending_save| pending_save.get_or_init(|| ArcRwSignal::new(None)).clone())
}

/// Opens the dialog for a text.
pub(crate) fn open_save_dialog(kind: Kind, text: String) {
    pending_save().set(Some((kind, text)));
}

/// Dialog for the name, while it is open.
pub(crate) fn dialog() -> impl IntoView {
    let pending_save = pending_save();
    move || pending_save.get().map(|(kind, text)| untrack(|| form(kind, text)))
}

/// Next step of a press on the button.
#[derive(Clone, Debug, PartialEq)]
enum NextStep {
    /// Nothing: there is no name.
    Nothing,
    /// Show the question whether to replace: the name exists.
    Confirm,
    Save,
}

/// The step for a name; `confirmed` is the name for which the question about the replacement is shown.
fn next_step(name: &str, confirmed: Option<&str>, known: &[(String, String)]) -> NextStep {
    if name.is_empty() {
        NextStep::Nothing
    } else if confirmed != Some(name) && known.iter().any(|(known, _)| known == name) {
        NextStep::Confirm
    } else {
        NextStep::Save
    }
}

fn form(kind: Kind, text: String) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let confirmed = RwSignal::new(None::<String>);
    let storage_failed = RwSignal::new(false);
    let close = Callback::new(move |()| pending_save().set(None));
    let (title, message) = match kind {
        Kind::Set => ("Save a set of namespaces", visible(&text.replace(',', ", ")).into_owned()),
        Kind::View => ("Save this view", visible(&text).into_owned()),
    };
    let press = move || {
        let trimmed = name.with_untracked(|name| name.trim().to_owned());
        match next_step(&trimmed, confirmed.get_untracked().as_deref(), &untrack(|| all(kind))) {
            NextStep::Nothing => {}
            NextStep::Confirm => confirmed.set(Some(trimmed)),
            NextStep::Save => match save(kind, &trimmed, &text) {
                Ok(()) => close.run(()),
                Err(_) => storage_failed.set(true),
            },
        }
    };
    let by_key = press.clone();
    let replaces_existing =
        move || name.with(|name| confirmed.with(|confirmed| confirmed.as_deref() == Some(name.trim())));
    let question = move || {
        replaces_existing().then(|| {
            let name = confirmed.get().unwrap_or_default();
            let message = format!("There is a {} named {}. Replace it?", kind.noun(), visible(&name));
            view! { <p class="warning" role="alert">{message}</p> }
        })
    };
    view! {
        <Window title=title.to_owned() close=close>
            <p class="note saved-text">{message}</p>
            <label>
                <span>{"Name"}</span>
                <input
                    class="field"
                    autofocus
                    maxlength="80"
                    autocomplete="off"
                    spellcheck="false"
                    on:input=move |event| {
                        storage_failed.set(false);
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
            {move || storage_failed.get().then(|| view! {
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
                    {move || if replaces_existing() { "Replace" } else { "Save" }}
                </button>
            </footer>
        </Window>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_name_needs_a_confirmation() {
        let known = [("team".to_owned(), "a".to_owned())];
        assert_eq!(next_step("", None, &known), NextStep::Nothing);
        assert_eq!(next_step("new", None, &known), NextStep::Save);
        assert_eq!(next_step("team", None, &known), NextStep::Confirm);
        assert_eq!(next_step("team", Some("other"), &known), NextStep::Confirm);
        assert_eq!(next_step("team", Some("team"), &known), NextStep::Save);
    }
}
