//! YAML of the open object, line by line: a change repaints only the lines that differ, and marks them briefly.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::lines::Lines;
use super::opened::Opened;
use crate::clipboard;
use crate::yaml::{self, Form, Line, Printing, Revealed, Yaml};

/// The YAML of the followed object. Values of a Secret are masked until they are revealed, which lasts as long as this.
#[component]
pub(super) fn Object(opened: Opened) -> impl IntoView {
    let followed = opened.followed;
    let revealed = RwSignal::new(Revealed::new());
    let printing = move |form| Printing { is_secret: followed.is_secret, revealed: revealed.get(), form };
    let parsed = Memo::new(move |_| {
        followed.json.with(|json| json.as_deref().map(|json| Yaml::of(json, &printing(Form::Screen))))
    });
    let lines = move |of: fn(&Yaml) -> &Arc<Vec<Line>>| {
        Signal::derive(move || {
            parsed.with(|parsed| parsed.as_ref()?.as_ref().ok().map(of).cloned()).unwrap_or_default()
        })
    };
    let body = lines(|yaml| &yaml.body);
    let managed = lines(|yaml| &yaml.managed_fields);
    let has_managed = Memo::new(move |_| !managed.get().is_empty());
    let managed_open = RwSignal::new(false);
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
    view! {
        <div class="yaml-tools">
            <Copy text=copied ready=Signal::derive(move || parsed.with(|parsed| matches!(parsed, Some(Ok(_))))) />
        </div>
        {move || problem().map(|text| view! { <p class="hint">{text}</p> })}
        <Lines lines=body revealed=revealed label="YAML" />
        <Show when=move || has_managed.get()>
            <details class="managed" on:toggle=move |event| managed_open.set(is_open(&event))>
                <summary>{"managedFields"}</summary>
                <Show when=move || managed_open.get()>
                    <Lines lines=managed revealed=revealed label="managedFields" />
                </Show>
            </details>
        </Show>
    }
}

fn is_open(event: &web_sys::Event) -> bool {
    let details = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    details.is_some_and(|details| details.has_attribute("open"))
}

/// Puts the YAML on the clipboard.
#[component]
fn Copy(text: impl Fn() -> Option<String> + Copy + 'static, ready: Signal<bool>) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        if text().is_some_and(|text| clipboard::write(&text)) {
            copied.set(true);
            let over = move || {
                copied.try_set(false);
            };
            set_timeout(over, Duration::from_secs(2));
        }
    };
    view! {
        <button class="button" type="button" on:click=copy disabled=move || !ready.get()>
            {move || if copied.get() { "Copied" } else { "Copy" }}
        </button>
    }
}
