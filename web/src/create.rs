//! Create: a button in the header that opens an empty YAML editor, for one or more documents.

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::actions::permission::{READ_ONLY, is_read_only};
use crate::cluster::Cluster;
use crate::dialog::Window;
use crate::edited::Edited;
use crate::keys::is_shortcut;
use crate::navigator::Navigator;
use crate::parts::Place;

/// The button, its key `c`, and the dialog.
#[component]
pub(crate) fn Create(cluster: Cluster, navigator: Navigator) -> impl IntoView {
    let open = RwSignal::new(false);
    let by_key = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.key() == "c" && is_shortcut(&event) {
            event.prevent_default();
            open.set(true);
        }
    });
    on_cleanup(move || by_key.remove());
    view! {
        <button
            class="icon-button"
            type="button"
            aria-label="Create from YAML"
            title="Create from YAML (c)"
            on:click=move |_| open.set(true)
        >
            <span aria-hidden="true">{"+"}</span>
        </button>
        {move || open.get().then(|| untrack(|| editor(cluster, navigator, open)))}
    }
}

fn editor(cluster: Cluster, navigator: Navigator, open: RwSignal<bool>) -> impl IntoView {
    let (parent, place) = (NodeRef::<Div>::new(), Place::new());
    let close = Callback::new(move |()| {
        open.try_set(false);
    });
    let edited = Edited::new();
    let read_only = RwSignal::new(false);
    spawn_local(async move {
        if is_read_only(&cluster.factory()).await {
            read_only.try_set(true);
        }
    });
    let done = StoredValue::new_local(Closure::<dyn Fn()>::new(move || close.run(())));
    let namespace = navigator.namespace.get_untracked().unwrap_or_else(|| "default".to_owned());
    let says = format!("Paste one or more documents. Those without a namespace go to {namespace}.");
    Effect::new(move || {
        let Some(parent) = parent.get() else { return };
        let options = vec![
            ("client", JsValue::from(cluster.factory().client())),
            ("namespace", namespace.as_str().into()),
            ("label", "Create from YAML".into()),
            ("onClose", done.with_value(|done| done.as_ref().clone())),
            ("onEdited", edited.listener()),
        ];
        place.fill("The editor", ("edit", "edit"), &parent, options);
    });
    view! {
        <Window title="Create from YAML".to_owned() close=close wide=true stays=edited.signal()>
            <Show
                when=move || !read_only.get()
                fallback=|| view! { <p class="outcome failed" role="alert">{READ_ONLY}</p> }
            >
                <p class="note">{says.clone()}</p>
                {move || place.problem().map(|says| view! { <p class="outcome failed" role="alert">{says}</p> })}
                <div class="part" node_ref=parent></div>
            </Show>
        </Window>
    }
}
