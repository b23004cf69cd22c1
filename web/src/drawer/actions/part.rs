//! Dialogs that are page parts: the YAML editor and the drain of a node, which `web/parts` has.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::super::opened::Opened;
use super::run::{named, object, target};
use crate::dialog::Window;
use crate::parts::Part;
use crate::yaml::{self, Form, Printing, Revealed, Yaml};

/// What the part gets of the object: its YAML. A Secret is passed as JSON, because the editor masks its values itself.
fn text(json: &str, is_secret: bool) -> String {
    if is_secret {
        return json.to_owned();
    }
    let printing = Printing { is_secret: false, revealed: Revealed::new(), form: Form::Screen };
    Yaml::of(json, &printing).map(|yaml| yaml::to_text(&yaml.body)).unwrap_or_default()
}

/// The editor.
pub(super) fn edit(opened: Opened, close: Callback<()>) -> impl IntoView {
    window(opened, "Edit", "edit", close)
}

/// The drain.
pub(super) fn drain(opened: Opened, close: Callback<()>) -> impl IntoView {
    window(opened, "Drain", "drain", close)
}

fn window(opened: Opened, verb: &str, name: &'static str, close: Callback<()>) -> impl IntoView {
    let object = object(opened.followed.json.get_untracked().as_deref());
    let label = named(&object, opened);
    let is_secret = opened.followed.is_secret;
    let shown = move |json: &str| text(json, is_secret);
    let place = NodeRef::<Div>::new();
    let problem = RwSignal::new(None::<String>);
    let part = StoredValue::new_local(None::<Part>);
    let done = StoredValue::new_local(Closure::<dyn Fn()>::new(move || close.run(())));
    let reference = js_sys::JSON::parse(&target(opened).reference().to_string()).unwrap_or_default();
    let begin = {
        let label = label.clone();
        move || {
            let Some(place) = place.get() else { return };
            let text = opened.followed.json.with_untracked(|json| json.as_deref().map(shown)).unwrap_or_default();
            let factory = opened.cluster.factory();
            let options = [
                ("client", JsValue::from(factory.requests())),
                ("ref", reference.clone()),
                ("text", text.into()),
                ("secret", is_secret.into()),
                ("label", label.as_str().into()),
                ("onClose", done.with_value(|done| done.as_ref().clone())),
            ];
            spawn_local(async move {
                match Part::mount(name, name, &place, &options).await {
                    Ok(mounted) => {
                        part.try_set_value(Some(mounted));
                    }
                    Err(error) => {
                        problem.try_set(Some(format!("This part of the page could not be loaded: {error:?}")));
                    }
                }
            });
        }
    };
    Effect::new(begin);
    // What the watch shows meanwhile.
    Effect::new(move || {
        let deleted = opened.followed.deleted.get();
        let text = opened.followed.json.with(|json| json.as_deref().map(shown)).unwrap_or_default();
        part.with_value(|part| {
            if let Some(part) = part {
                part.tell(if deleted { "deleted" } else { "changed" }, &text);
            }
        });
    });
    on_cleanup(move || drop(part.try_update_value(Option::take)));
    view! {
        <Window title=format!("{verb}: {label}") close=close wide=true stays=true>
            {move || problem.get().map(|says| view! { <p class="outcome failed" role="alert">{says}</p> })}
            <div class="part" node_ref=place></div>
        </Window>
    }
}
