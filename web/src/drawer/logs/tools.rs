//! Tools above the lines: selection, appearance, pause, download, clear.

use leptos::prelude::*;

use super::choice::{Choice, TAIL};
use super::download;
use super::line::Times;
use super::model::Model;
use super::since::SinceTools;
use super::viewer::Viewer;
use crate::visible::visible;

/// Toolbar of the logs.
#[component]
pub(super) fn Tools(
    /// Names of the containers.
    containers: Memo<Vec<String>>,
    viewer: Viewer,
    choice: RwSignal<Choice>,
    wraps: RwSignal<bool>,
    /// Whether logs of several pods may be merged.
    is_merged: bool,
    /// Name of the file for a download.
    file: StoredValue<String>,
) -> impl IntoView {
    let container = move |event| choice.update(|choice| choice.container = event_target_value(&event));
    let number = |event: &web_sys::Event| event_target_value(event).parse::<u32>().unwrap_or_default();
    let options = move || {
        let names = containers.get();
        let default = if is_merged { "Default container" } else { "Container: default" };
        view! {
            <option value="">{default}</option>
            {(names.len() != 1).then(|| view! { <option value="*">{"All containers"}</option> })}
            {names.into_iter().map(|name| view! { <option value=name.clone()>{visible(&name).into_owned()}</option> }).collect_view()}
        }
    };
    let list = |choices: &'static [(u32, &'static str)], chosen: u32| {
        choices
            .iter()
            .map(|(value, label)| view! { <option value=value.to_string() selected=*value == chosen>{*label}</option> })
            .collect_view()
    };
    let usual = Choice::default();
    let times = move |event| {
        viewer.set_times(match event_target_value(&event).as_str() {
            "utc" => Times::Utc,
            "local" => Times::Local,
            _ => Times::None,
        });
    };
    let is_paused = move || viewer.figures().is_paused;
    let save = move |_| {
        // Only a lack of memory can cause an error here.
        viewer.read(|model| file.with_value(|file| drop(download::save(model, file))));
    };
    view! {
        <div class="log-tools">
            <select class="field" aria-label="Container" on:change=container>
                {options}
            </select>
            <SinceTools choice=choice />
            <select
                class="field"
                aria-label="Last lines of each container"
                title="Last lines of each container"
                on:change=move |event| choice.update(|choice| choice.tail = number(&event))
            >
                {list(&TAIL, usual.tail)}
            </select>
            <label class="log-check">
                <input
                    type="checkbox"
                    on:change=move |event| choice.update(|choice| choice.previous = event_target_checked(&event))
                />
                {"Previous run"}
            </label>
            <select class="field" aria-label="Timestamps" on:change=times>
                <option value="none">{"No timestamps"}</option>
                <option value="utc">{"Time in UTC"}</option>
                <option value="local">{"Local time"}</option>
            </select>
            <label class="log-check">
                <input type="checkbox" prop:checked=move || wraps.get() on:change=move |event| wraps.set(event_target_checked(&event)) />
                {"Wrap"}
            </label>
            <button
                class="button"
                type="button"
                aria-pressed=move || if is_paused() { "true" } else { "false" }
                on:click=move |_| viewer.change(|model| model.pause(!model.is_paused))
            >
                {move || if is_paused() { "Resume" } else { "Pause" }}
            </button>
            <button class="button" type="button" on:click=save disabled=move || viewer.figures().stored == 0>
                {"Download"}
            </button>
            <button
                class="button"
                type="button"
                on:click=move |_| viewer.change(Model::clear)
                disabled=move || viewer.figures().stored == 0
            >
                {"Clear"}
            </button>
        </div>
    }
}
