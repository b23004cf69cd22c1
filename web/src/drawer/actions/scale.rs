//! Scale: the number of replicas.

use leptos::prelude::*;

use super::super::opened::Opened;
use super::run::{Run, named, object};
use crate::actions::request::Request;
use crate::dialog::Window;

/// The dialog.
pub(super) fn scale(opened: Opened, close: Callback<()>) -> impl IntoView {
    let object = object(opened.followed.json.get_untracked().as_deref());
    let replicas = object["spec"]["replicas"].as_u64().unwrap_or(1);
    let text = RwSignal::new(replicas.to_string());
    let wanted = move || text.with(|text| text.trim().parse::<u32>().ok());
    let run = Run::new(opened, close);
    let send = move || {
        if let Some(replicas) = untrack(wanted) {
            run.send(Request::Scale(replicas));
        }
    };
    view! {
        <Window title=format!("Scale: {}", named(&object, opened)) close=close>
            <label>
                <span>{format!("Replicas (now {replicas})")}</span>
                <input
                    class="field"
                    type="number"
                    min="0"
                    step="1"
                    autofocus
                    prop:value=text
                    aria-invalid=move || wanted().is_none().then_some("true")
                    on:input=move |event| text.set(event_target_value(&event))
                    on:keydown=move |event| if event.key() == "Enter" { send() }
                />
            </label>
            <Show when=move || wanted() == Some(0)>
                <p class="warning">{"With 0 replicas all of its pods are deleted."}</p>
            </Show>
            {run.outcome()}
            <footer>
                <button class="button" type="button" on:click=move |_| close.run(())>
                    {"Close"}
                </button>
                <button
                    class="button primary"
                    type="button"
                    disabled=move || run.is_busy() || wanted().is_none()
                    on:click=move |_| send()
                >
                    {"Scale"}
                </button>
            </footer>
        </Window>
    }
}
