//! YAML of the open object: folding, search, managers of a field, and comparisons. A change repaints only the lines
//! that differ, and marks them briefly.

mod compare;
mod managed;
mod search;

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::lines::{Lines, LinesState};
use super::opened::Opened;
use crate::clipboard::{self, Copying};
use crate::focus;
use crate::keys::is_shortcut;
use crate::yaml::{self, Document, Form, Printing, Revealed, Yaml};
use compare::{Choice, Comparison, ComparisonTarget};
use managed::{FieldManagers, Fields, Managed};
use search::Search;

/// The YAML of the followed object. Values of a Secret are masked until they are revealed, which lasts as long as this.
#[component]
pub(super) fn Object(opened: Opened) -> impl IntoView {
    let followed = opened.followed;
    let revealed = RwSignal::new(Revealed::new());
    let printing = move |form| Printing { is_secret: followed.is_secret, revealed: revealed.get(), form };
    let parsed = Memo::new(move |_| {
        followed.json.with(|json| json.as_deref().map(|json| Yaml::of(json, &printing(Form::Screen))))
    });
    let state = LinesState::new(Signal::derive(move || {
        parsed.with(|parsed| Some(parsed.as_ref()?.as_ref().ok()?.body.clone())).unwrap_or_default()
    }));
    let problem = move || match parsed.with(|parsed| parsed.as_ref().map(|parsed| parsed.as_ref().err().cloned())) {
        Some(None) => None,
        Some(Some(error)) => Some(format!("Cannot load the object: {error}")),
        None => Some(opened.absence().to_owned()),
    };
    let copied = move || {
        let printing = untrack(|| printing(Form::Copy));
        let yaml = followed.json.with_untracked(|json| json.as_deref().map(|json| Yaml::of(json, &printing)));
        yaml.and_then(Result::ok).map(|yaml| yaml::to_text(&yaml.body))
    };
    let ready = Signal::derive(move || parsed.with(|parsed| matches!(parsed, Some(Ok(_)))));
    let managed = Managed::new(opened);
    let (target, input) = (RwSignal::new(None::<ComparisonTarget>), NodeRef::<Input>::new());
    let on_key = move |event: KeyboardEvent| {
        if let Some(input) = input.get_untracked().filter(|_| event.key() == "/" && is_shortcut(&event)) {
            event.prevent_default();
            // An existing box takes the focus.
            let _ = input.focus();
            input.select();
        }
    };
    let leave = Callback::new(move |()| {
        target.set(None);
        // The pressed button no longer exists.
        request_animation_frame(|| {
            focus::to(".yaml-tools [aria-label='Compare with']");
        });
    });
    let fold = move || if state.has_folds() { "Unfold all" } else { "Fold all" };
    let lines = move || {
        view! {
            {move || problem().map(|text| view! { <p class="hint">{text}</p> })}
            <Show when=move || ready.get()>
                <Lines state=state revealed=revealed label="YAML" current_id="yaml-line" />
                <ManagedFields managed=managed />
                <FieldManagers opened=opened state=state managed=managed />
            </Show>
        }
    };
    view! {
        <div class="yaml-tab" on:keydown=on_key>
            <div class="yaml-tools">
                <Show when=move || target.with(Option::is_none)>
                    <Search state=state input=input />
                    <button
                        class="button"
                        type="button"
                        disabled=move || !ready.get()
                        on:click=move |_| state.fold_all(!untrack(|| state.has_folds()))
                    >
                        {fold}
                    </button>
                </Show>
                <Choice opened=opened target=target />
                <CopyButton text=copied ready=ready />
            </div>
            {move || match target.get() {
                None => lines().into_any(),
                Some(target) => view! { <Comparison opened=opened target=target leave=leave /> }.into_any(),
            }}
        </div>
    }
}

/// Managed fields. They are folded at first, and requested when they are opened.
#[component]
fn ManagedFields(managed: Managed) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let parsed = Memo::new(move |_| {
        managed.fields.with(|fields| match fields {
            Fields::Unread => Err("Loading managedFields …".to_owned()),
            Fields::Failed(message) => Err(format!("Cannot read managedFields: {message}")),
            Fields::Known(object) => {
                let yaml = Yaml::of(&object.to_string(), &Printing::default())?;
                if yaml.managed_fields.lines.is_empty() {
                    Err("The object has no managedFields.".to_owned())
                } else {
                    Ok(yaml.managed_fields)
                }
            }
        })
    });
    let document = Signal::derive(move || parsed.with(|parsed| parsed.clone().unwrap_or_default()));
    let toggled = move |event: web_sys::Event| {
        is_open.set(has_opened(&event));
        if is_open.get_untracked() {
            managed.load();
        }
    };
    let lines = move || {
        let state = LinesState::new(document);
        view! { <Lines state=state revealed=RwSignal::default() label="managedFields" current_id="managed-line" /> }
    };
    let note = move || parsed.with(|parsed: &Result<Arc<Document>, String>| parsed.as_ref().err().cloned());
    view! {
        <details class="managed" on:toggle=toggled>
            <summary>{"managedFields"}</summary>
            <Show when=move || is_open.get()>
                {move || match note() {
                    Some(note) => view! { <p class="note">{note}</p> }.into_any(),
                    None => lines().into_any(),
                }}
            </Show>
        </details>
    }
}

fn has_opened(event: &web_sys::Event) -> bool {
    let details = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    details.is_some_and(|details| details.has_attribute("open"))
}

/// Puts the YAML on the clipboard.
#[component]
fn CopyButton(text: impl Fn() -> Option<String> + Copy + 'static, ready: Signal<bool>) -> impl IntoView {
    let copying = Copying::new();
    let copy = move |_| {
        if let Some(text) = text() {
            copying.copy(text);
        }
    };
    let label = move || match copying.outcome() {
        Some(true) => "Copied",
        Some(false) => "Not copied",
        None => "Copy",
    };
    let failed = move || (copying.outcome() == Some(false)).then_some(clipboard::FAILED);
    view! {
        <button class="button" type="button" title=failed on:click=copy disabled=move || !ready.get()>
            {label}
        </button>
        <span class="visually-hidden" role="status">{failed}</span>
    }
}
