//! Dialogs that are page parts: the YAML editor and the drain of nodes, which `web/parts` has.

use leptos::html::Div;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::subject::{Subject, Subjects};
use super::typed::TypedConfirmation;
use crate::dialog::Window;
use crate::part_flag::PartFlag;
use crate::parts::PartMount;
use crate::yaml::{self, Form, Printing, Revealed, Yaml};

/// Text of the object for the part: its YAML. A Secret is passed as JSON, because the editor masks its values itself.
fn text(json: &str, is_secret: bool) -> String {
    if is_secret {
        return json.to_owned();
    }
    let printing = Printing { is_secret: false, revealed: Revealed::new(), form: Form::Screen };
    Yaml::of(json, &printing).map(|yaml| yaml::to_text(&yaml.body)).unwrap_or_default()
}

/// Dialog of the YAML editor.
pub(super) fn edit(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let edited = PartFlag::new();
    let content = move || {
        let subject = subjects.get(0)?;
        let is_secret = yaml::is_secret(&subjects.resource());
        let mount = PartMount::new();
        let json = subject.json.clone();
        let shown = move || json.with(|json| json.as_deref().map(|json| text(json, is_secret))).unwrap_or_default();
        let options = vec![
            ("text", JsValue::from(untrack(&shown))),
            ("onEdited", edited.listener()),
            ("secret", is_secret.into()),
            ("label", subjects.description().into()),
        ];
        // Passes changes of the object to the part.
        Effect::new(move || {
            if mount.is_loaded() {
                mount.call_method(if subject.deleted.get() { "deleted" } else { "changed" }, &shown());
            }
        });
        part(subjects, ("The editor", "edit"), mount, options, close)
    };
    window(subjects, "Edit", (false, edited.signal()), close, content)
}

/// Dialog of the drain.
pub(super) fn drain(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    // Of the nodes for which it is opened: others of the same names may come while the confirmation is typed.
    let node =
        |subject: &Subject| json!({ "ref": subject.target.reference(), "uid": subject.object()["metadata"]["uid"] });
    let nodes = subjects.with(|list| Value::from(list.iter().map(node).collect::<Vec<_>>())).to_string();
    let running = PartFlag::new();
    let content = move || {
        let nodes = js_sys::JSON::parse(&nodes).unwrap_or_default();
        let options = vec![("nodes", nodes), ("onRunning", running.listener())];
        part(subjects, ("The drain", "drain"), PartMount::new(), options, close)
    };
    window(subjects, "Drain", (true, running.signal()), close, content)
}

fn window(
    subjects: Subjects,
    verb: &'static str,
    (is_destructive, stays): (bool, Signal<bool>),
    close: Callback<()>,
    content: impl Fn() -> Option<AnyView> + Send + 'static,
) -> impl IntoView {
    let confirmation = TypedConfirmation::new(subjects, move || is_destructive);
    // A part has its own buttons, so it is shown only after its confirmation has been typed.
    let is_confirmed = Memo::new(move |was: Option<&bool>| was == Some(&true) || confirmation.is_confirmed());
    let title = format!("{verb}: {}", subjects.description());
    view! {
        <Window title=title close=close wide=true stays=stays>
            <Show when=move || !is_confirmed.get()>{confirmation.field()}</Show>
            {move || is_confirmed.get().then(|| untrack(&content)).flatten()}
        </Window>
    }
}

/// Mount of a part, which gets the object's reference beside its own options.
fn part(
    subjects: Subjects,
    (what, name): (&'static str, &'static str),
    mount: PartMount,
    options: Vec<(&'static str, JsValue)>,
    close: Callback<()>,
) -> Option<AnyView> {
    let reference = subjects.get(0)?.target.reference();
    let parent = NodeRef::<Div>::new();
    let done = StoredValue::new_local(Closure::<dyn Fn()>::new(move || close.run(())));
    Effect::new(move || {
        let Some(parent) = parent.get() else { return };
        let mut all = vec![
            ("client", JsValue::from(subjects.cluster.factory().client())),
            ("ref", js_sys::JSON::parse(&reference.to_string()).unwrap_or_default()),
            ("onClose", done.with_value(|done| done.as_ref().clone())),
        ];
        all.extend(options.iter().cloned());
        mount.load(what, (name, name), &parent, all);
    });
    let view = view! {
        {move || mount.error().map(|message| view! { <p class="outcome failed" role="alert">{message}</p> })}
        <div class="part" node_ref=parent></div>
    };
    Some(view.into_any())
}
