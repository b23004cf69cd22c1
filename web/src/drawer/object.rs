//! The object as YAML, line by line: a change repaints only the lines that differ, and marks them for a moment.

use std::collections::HashMap;

use leptos::prelude::*;

use super::Followed;
use crate::source::Source;
use crate::yaml::{self, Line, Yaml};

/// Beyond this many lines the rest is shown only when asked for.
const SHOWN: usize = 3000;

/// The YAML of the followed object.
#[component]
pub(super) fn Object(followed: Followed, source: Source) -> impl IntoView {
    let parsed = Memo::new(move |_| followed.json.with(|json| json.as_deref().map(Yaml::of)));
    let all = RwSignal::new(false);
    let lines = Memo::new(move |_| {
        let limit = if all.get() { usize::MAX } else { SHOWN };
        parsed.with(|parsed| match parsed {
            Some(Ok(yaml)) => numbered(&yaml.body, limit),
            _ => Vec::new(),
        })
    });
    let hidden = move || {
        parsed.with(|p| match p {
            Some(Ok(yaml)) if !all.get() => yaml.body.len().saturating_sub(SHOWN),
            _ => 0,
        })
    };
    let first = StoredValue::new(true);
    Effect::new(move || {
        if lines.with(|lines| !lines.is_empty()) {
            first.set_value(false);
        }
    });
    let managed = Memo::new(move |_| {
        parsed.with(|parsed| match parsed {
            Some(Ok(yaml)) => yaml::to_text(&yaml.managed_fields),
            _ => String::new(),
        })
    });
    let problem = move || match parsed.with(|parsed| parsed.as_ref().map(|parsed| parsed.as_ref().err().cloned())) {
        Some(None) => None,
        Some(Some(error)) => Some(format!("The object cannot be read: {error}")),
        None if source.status.with(|status| status.has_synced) => Some("There is no such object (yet).".to_owned()),
        None => Some("Waiting for the object …".to_owned()),
    };
    view! {
        <div class="yaml-tools">
            <Copy parsed=parsed />
        </div>
        {move || problem().map(|text| view! { <p class="hint">{text}</p> })}
        <pre class="yaml" tabindex="0" aria-label="YAML">
            <For each=move || lines.get() key=|line| line.clone() let((line, _))>
                <span class="line" class:changed=!first.get_value()>
                    {line.lead}
                    {(!line.key.is_empty()).then(|| view! { <span class="key">{line.key.clone()}</span> })}
                    {if line.key.is_empty() || line.value.is_empty() { "" } else { " " }}
                    <span class="value">{line.value}</span>
                    "\n"
                </span>
            </For>
        </pre>
        {move || {
            let hidden = hidden();
            (hidden > 0)
                .then(|| {
                    view! {
                        <button class="button" type="button" on:click=move |_| all.set(true)>
                            {format!("Show {hidden} more lines")}
                        </button>
                    }
                })
        }}
        <Show when=move || managed.with(|managed| !managed.is_empty())>
            <details class="managed">
                <summary>{"managedFields"}</summary>
                <pre class="yaml">{move || managed.get()}</pre>
            </details>
        </Show>
    }
}

/// Lines with how often the same one came before: together they name a line, so that inserting one moves the others.
fn numbered(lines: &[Line], limit: usize) -> Vec<(Line, usize)> {
    let mut seen: HashMap<&Line, usize> = HashMap::new();
    let number = |line| {
        let count = seen.entry(line).or_default();
        *count += 1;
        (line.clone(), *count)
    };
    lines.iter().take(limit).map(number).collect()
}

/// Puts the YAML on the clipboard.
#[component]
fn Copy(parsed: Memo<Option<Result<Yaml, String>>>) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        let text = parsed.with_untracked(|parsed| match parsed {
            Some(Ok(yaml)) => yaml::to_text(&yaml.body),
            _ => String::new(),
        });
        let navigator = window().navigator();
        // Outside of a secure context there is no clipboard, and asking for it is an error in JavaScript.
        if js_sys::Reflect::has(&navigator, &"clipboard".into()).unwrap_or(false) && window().is_secure_context() {
            let _promise = navigator.clipboard().write_text(&text);
            copied.set(true);
            set_timeout(
                move || {
                    copied.try_set(false);
                },
                std::time::Duration::from_secs(2),
            );
        }
    };
    let ready = move || parsed.with(|parsed| matches!(parsed, Some(Ok(_))));
    view! {
        <button class="button" type="button" on:click=copy disabled=move || !ready()>
            {move || if copied.get() { "Copied" } else { "Copy" }}
        </button>
    }
}
