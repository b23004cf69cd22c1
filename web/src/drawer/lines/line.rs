//! One line: its text, its hidden characters as escapes, and the buttons of a long or a secret value.

use leptos::html::Button;
use leptos::prelude::*;

use crate::age::thousands;
use crate::clipboard;
use crate::visible::{Part, parts};
use crate::yaml::{self, Revealed, Secret};

/// A value with more characters than this is clipped.
const LONG: usize = 600;

/// So many characters of a clipped value are shown.
const CLIPPED: usize = 400;

/// What the buttons of lines act on.
#[derive(Clone, Copy)]
pub(super) struct Actions {
    pub(super) revealed: RwSignal<Revealed>,
    /// The id of the secret value whose button was pressed: the button that comes in its place takes the focus.
    pub(super) pressed: StoredValue<Option<String>>,
}

/// A line; marked if it has just changed.
pub(super) fn line(line: yaml::Line, changed: bool, actions: Actions) -> impl IntoView {
    let yaml::Line { lead, key, value, note, secret } = line;
    let space = if key.is_empty() || value.is_empty() { "" } else { " " };
    let is_masked = secret.as_ref().is_some_and(|secret| secret.content.is_none());
    view! {
        <span class="line" class:changed=changed>
            {lead}
            {(!key.is_empty()).then(|| view! { <span class="key">{shown(&key)}</span> })}
            {space}
            <span class="value" class:masked=is_masked>{clipped(value)}</span>
            {(!note.is_empty()).then(|| view! { <span class="note">{format!(" # {note}")}</span> })}
            {secret.map(|secret| buttons(secret, actions))}
        </span>
    }
}

/// A text with its hidden characters as marked escapes.
fn shown(text: &str) -> Vec<AnyView> {
    let show = |part: Part<'_>| match part {
        Part::Plain(text) => text.to_owned().into_any(),
        Part::Escape(escape) => {
            view! { <span class="escape" title="A character that cannot be seen">{escape}</span> }.into_any()
        }
    };
    parts(text).into_iter().map(show).collect()
}

/// A value, the beginning of it if it is long.
fn clipped(value: String) -> AnyView {
    // Most values are short: their bytes need not be counted as characters.
    let long = (value.len() > LONG).then(|| value.chars().count()).filter(|count| *count > LONG);
    let Some(count) = long else { return shown(&value).into_any() };
    let all = RwSignal::new(false);
    let end = value.char_indices().nth(CLIPPED).map_or(value.len(), |(at, _)| at);
    let text = move || if all.get() { shown(&value) } else { shown(&value[..end]) };
    let says = move || {
        if all.get() { "Show less".to_owned() } else { format!("Show all {} characters", thousands(count as u64)) }
    };
    view! {
        {text}
        {move || if all.get() { "" } else { "…" }}
        <button class="inline" type="button" on:click=move |_| all.update(|all| *all = !*all)>
            {says}
        </button>
    }
    .into_any()
}

fn buttons(secret: Secret, Actions { revealed, pressed }: Actions) -> impl IntoView {
    let Secret { id, name, content } = secret;
    let button = NodeRef::<Button>::new();
    let own = id.clone();
    Effect::new(move || {
        if let Some(button) = button.get().filter(|_| pressed.with_value(|pressed| pressed.as_ref() == Some(&own))) {
            pressed.set_value(None);
            let _ = button.focus();
        }
    });
    let is_revealed = content.is_some();
    let toggle = move |_| {
        pressed.set_value(Some(id.clone()));
        revealed.update(|revealed| {
            if !revealed.remove(&id) {
                revealed.insert(id.clone());
            }
        });
    };
    let copy = content.map(|content| {
        let label = format!("Put {name} on the clipboard");
        view! {
            <button class="inline" type="button" aria-label=label.clone() title=label on:click=move |_| {
                clipboard::write(&content);
            }>
                <span aria-hidden="true">"⧉"</span>
            </button>
        }
    });
    view! {
        <button class="inline" type="button" node_ref=button on:click=toggle>
            {if is_revealed { "Hide" } else { "Reveal" }}
            <span class="visually-hidden">{format!(" {name}")}</span>
        </button>
        {copy}
    }
}
