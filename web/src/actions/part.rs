//! Dialogs that are page parts: the YAML editor and the drain of a node, which `web/parts` has.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::subject::Subjects;
use super::typed::Typed;
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
pub(super) fn edit(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    window(subjects, "Edit", "edit", close)
}

/// The drain.
pub(super) fn drain(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    window(subjects, "Drain", "drain", close)
}

fn window(subjects: Subjects, verb: &'static str, name: &'static str, close: Callback<()>) -> impl IntoView {
    let label = subjects.named();
    // Of the object for which it is opened: another one of the same name may come while the confirmation is typed.
    let uid = subjects.get(0).and_then(|subject| subject.object()["metadata"]["uid"].as_str().map(str::to_owned));
    let typed = Typed::new(subjects, move || name == "drain");
    // A part has its own buttons: it is shown once its confirmation is typed.
    let is_confirmed = Memo::new(move |was: Option<&bool>| was == Some(&true) || typed.is_right());
    let title = format!("{verb}: {label}");
    let part = move || {
        is_confirmed.get().then(|| untrack(|| part(subjects, name, (&label, uid.as_deref()), close).into_any()))
    };
    view! {
        <Window title=title close=close wide=true stays=true>
            <Show when=move || !is_confirmed.get()>{typed.field()}</Show>
            {part}
        </Window>
    }
}

fn part(
    subjects: Subjects,
    name: &'static str,
    (label, uid): (&str, Option<&str>),
    close: Callback<()>,
) -> Option<impl IntoView + use<>> {
    let subject = subjects.get(0)?;
    let (label, uid) = (label.to_owned(), uid.map(JsValue::from_str));
    let place = NodeRef::<Div>::new();
    let problem = RwSignal::new(None::<String>);
    let part = StoredValue::new_local(None::<Part>);
    let done = StoredValue::new_local(Closure::<dyn Fn()>::new(move || close.run(())));
    let reference = js_sys::JSON::parse(&subject.target.reference().to_string()).unwrap_or_default();
    let json = subject.json.clone();
    let is_secret = yaml::is_secret(&subjects.resource());
    let shown = move |json: &str| text(json, is_secret);
    Effect::new(move || {
        let Some(place) = place.get() else { return };
        let text = json.with_untracked(|json| json.as_deref().map(shown)).unwrap_or_default();
        let options = [
            ("client", JsValue::from(subjects.cluster.factory().requests())),
            ("ref", reference.clone()),
            ("uid", uid.clone().unwrap_or_default()),
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
    });
    // What the watch shows meanwhile.
    Effect::new(move || {
        let deleted = subject.deleted.get();
        let text = subject.json.with(|json| json.as_deref().map(shown)).unwrap_or_default();
        part.with_value(|part| {
            if let Some(part) = part {
                part.tell(if deleted { "deleted" } else { "changed" }, &text);
            }
        });
    });
    on_cleanup(move || drop(part.try_update_value(Option::take)));
    Some(view! {
        {move || problem.get().map(|says| view! { <p class="outcome failed" role="alert">{says}</p> })}
        <div class="part" node_ref=place></div>
    })
}
