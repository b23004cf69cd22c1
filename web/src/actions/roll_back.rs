//! Roll back: the revisions of a workload, and the differences in its pod template.

use leptos::html::Div;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::body;
use super::outcome::{SubmitButton, failed};
use super::progress::Progress;
use super::request::Request;
use super::revision::{self, Revision};
use super::run::Run;
use super::subject::{Subjects, parsed};
use super::typed::TypedConfirmation;
use crate::client::failure::Failure;
use crate::client::requests;
use crate::dialog::Window;
use crate::parts::PartMount;
use crate::visible::visible;
use crate::yaml::{self, Form, Printing, Revealed, Yaml};

/// The other revisions, newest first.
async fn revisions(subjects: Subjects, workload: &Value) -> Result<Vec<Revision>, Failure> {
    let Some(subject) = subjects.get(0) else { return Ok(Vec::new()) };
    let path = subject.target.sibling_path(revision::resource(&subject.target.resource));
    let list = requests::read(&subjects.cluster.factory(), &path).await?;
    Ok(revision::other_revisions(workload, list["items"].as_array().map_or(&[][..], Vec::as_slice)))
}

fn text(template: &Value) -> String {
    let printing = Printing { is_secret: false, revealed: Revealed::new(), form: Form::Copy };
    Yaml::of(&template.to_string(), &printing).map(|yaml| yaml::to_text(&yaml.body)).unwrap_or_default()
}

/// The images of a template, by which people recognise its revision.
fn images(template: &Value) -> String {
    let containers = template["spec"]["containers"].as_array().into_iter().flatten();
    let images: Vec<_> = containers.filter_map(|container| container["image"].as_str()).collect();
    visible(&images.join(", ")).into_owned()
}

/// Dialog of a roll back.
pub(super) fn roll_back(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let workload = subjects.get(0).map_or(Value::Null, |subject| subject.object());
    let title = format!("Roll back: {}", subjects.description());
    let found = RwSignal::new(None::<Result<Vec<Revision>, Failure>>);
    let chosen = RwSignal::new(None::<Revision>);
    let json = subjects.get(0).map(|subject| subject.json);
    // As it is now: others may change it while the dialog is open.
    let current = Memo::new(move |_| {
        let template = |json: &Option<String>| parsed(json.as_deref())["spec"]["template"].clone();
        json.as_ref().map_or(Value::Null, |json| json.with(template))
    });
    let note = revision::note(&workload);
    spawn_local(async move {
        let listed = revisions(subjects, &workload).await;
        if let Ok(listed) = &listed {
            chosen.try_set(listed.first().cloned());
        }
        found.try_set(Some(listed));
    });
    let run = Run::new(subjects, close);
    let confirmation = TypedConfirmation::new(subjects, || true);
    let texts = Memo::new(move |_| {
        let after = chosen.with(|revision| Some(text(&revision.as_ref()?.template)))?;
        Some((current.with(|template| text(&revision::without_nulls(template))), after))
    });
    let choice = move |revision: Revision| {
        let number = revision.number;
        let images = images(&revision.template);
        let is_chosen = move || chosen.with(|chosen| chosen.as_ref().is_some_and(|chosen| chosen.number == number));
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="revision"
                    prop:checked=is_chosen
                    on:change=move |_| chosen.set(Some(revision.clone()))
                />
                <span>{format!("Revision {number}: {images}")}</span>
            </label>
        }
    };
    let send = move || {
        if let Some(Revision { template, .. }) = chosen.get_untracked() {
            run.send(Request::Patch(current.with_untracked(|reviewed| body::roll_back(reviewed, &template))));
        }
    };
    // A failed test of a JSON patch differs from other invalid patches only in that the error names no field.
    let is_refused = move || {
        run.progress(0).is_some_and(|progress| {
            progress.with(|progress| match progress {
                Progress::Failed(failure) => {
                    failure.status == Some(422) && failure.causes.is_empty() && failure.webhook.is_none()
                }
                _ => false,
            })
        })
    };
    view! {
        <Window title=title close=close wide=true>
            {move || match found.get() {
                None => view! { <p>{"Loading the revisions …"}</p> }.into_any(),
                Some(Err(failure)) => failed(&failure).into_any(),
                Some(Ok(all)) if all.is_empty() => view! { <p>{"There is no earlier revision."}</p> }.into_any(),
                Some(Ok(all)) => {
                    view! { <fieldset><legend>{"Back to"}</legend>{all.into_iter().map(choice).collect_view()}</fieldset> }.into_any()
                }
            }}
            {note.map(|message| view! { <p class="note">{message}</p> })}
            {comparison(texts)}
            {confirmation.field()}
            {run.outcome()}
            {move || is_refused().then(|| view! { <p class="warning" role="status">{"The template has changed: review it again."}</p> })}
            {run.footer(
                SubmitButton { label: "Roll back", is_danger: false },
                move || chosen.with(Option::is_some) && confirmation.is_confirmed(),
                send,
            )}
        </Window>
    }
}

/// The pod template before and after, once there is one to compare with.
fn comparison(texts: Memo<Option<(String, String)>>) -> impl IntoView {
    let (parent, mount) = (NodeRef::<Div>::new(), PartMount::new());
    let is_begun = StoredValue::new(false);
    Effect::new(move || {
        let (Some(parent), Some((before, after))) = (parent.get(), texts.get()) else { return };
        // Also when it becomes ready: the texts may have changed since it began to load.
        if mount.is_loaded() {
            return mount.call_method("show", &json!({ "before": before, "after": after }).to_string());
        }
        if is_begun.get_value() {
            return;
        }
        is_begun.set_value(true);
        let label = "Changes of the pod template";
        let options = vec![("before", JsValue::from(before)), ("after", after.into()), ("label", label.into())];
        mount.load("The comparison", ("comparison", "createComparison"), &parent, options);
    });
    view! {
        {move || mount.error().map(|message| view! { <p class="outcome failed" role="alert">{message}</p> })}
        <div class="comparison" hidden=move || texts.with(Option::is_none)><div node_ref=parent></div></div>
    }
}
