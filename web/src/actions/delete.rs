//! Delete: the dependents of the object, their deletion, and a button that Enter does not press by accident.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::outcome::SubmitButton;
use super::request::Request;
use super::run::Run;
use super::subject::{Subject, Subjects};
use super::typed::TypedConfirmation;
use super::{dependents, owned};
use crate::dialog::Window;
use crate::drawer::users;
use crate::visible::visible;

/// Maximum number of objects whose users are searched: each is some ten reads of an index.
const MAX_SEARCHED: usize = 20;

/// Further losses that no owner reference shows.
fn further_losses(resource: &str) -> Option<&'static str> {
    Some(match resource {
        "v1/namespaces" => "All objects in the namespace are deleted with it.",
        "apiextensions.k8s.io/v1/customresourcedefinitions" => {
            "All objects of this kind are deleted with it, in all namespaces."
        }
        "v1/persistentvolumeclaims" => {
            "If its volume has the reclaim policy Delete, the volume and its data are deleted too."
        }
        "apps/v1/statefulsets" => "Its PersistentVolumeClaims stay, unless its retention policy deletes them.",
        "v1/configmaps" | "v1/secrets" => {
            "Running containers keep what they have read. Containers that start later need it, unless their reference is optional."
        }
        "v1/serviceaccounts" => "Pods that run as it lose their rights, and new pods that name it are refused.",
        "v1/services" => "Its name and its cluster IP no longer lead to its pods.",
        "storage.k8s.io/v1/storageclasses" => "Volumes stay. Claims that name it and have no volume stay pending.",
        "scheduling.k8s.io/v1/priorityclasses" => "Pods keep their priority. New pods that name it are refused.",
        "v1/nodes" => "This does not stop the machine: a kubelet that still runs registers it again.",
        _ => return None,
    })
}

/// Whether the dialog names the objects that use the object: what refers to one of these kinds fails, at once or later.
fn has_users(resource: &str) -> bool {
    let known = [
        "v1/configmaps",
        "v1/secrets",
        "v1/serviceaccounts",
        "v1/services",
        "v1/persistentvolumeclaims",
        "storage.k8s.io/v1/storageclasses",
        "scheduling.k8s.io/v1/priorityclasses",
    ];
    known.contains(&resource)
}

/// Sentence about the objects that use the subjects, followed while the dialog is open.
fn used_by(subjects: Subjects) -> impl IntoView {
    let object = |subject: &Subject| {
        let json = subject.json.clone();
        Memo::new(move |_| {
            json.with(|json| json.as_deref().and_then(|json| serde_json::from_str::<Value>(json).ok()).map(Arc::new))
        })
    };
    let objects = subjects.with(|list| list.iter().take(MAX_SEARCHED).map(object).collect());
    let (users, count) = (users(subjects.cluster, objects), subjects.len());
    let sentence = move || users.with(|users| dependents::users_sentence(users.as_ref(), count, MAX_SEARCHED));
    view! { <p class="used">{sentence}</p> }
}

/// The finalizers of all objects.
fn finalizers(objects: &[Value]) -> String {
    let all: BTreeSet<_> = objects
        .iter()
        .flat_map(|object| object["metadata"]["finalizers"].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    all.into_iter().collect::<Vec<_>>().join(", ")
}

/// Sentence about the dependents of the objects, once they are listed.
fn dependents_text(subjects: Subjects) -> RwSignal<String> {
    let text = RwSignal::new("Looking up dependents …".to_owned());
    let are_many = subjects.are_many();
    let is_custom = kube_objects::is_custom(&subjects.resource().group);
    spawn_local(async move {
        let message = if is_custom {
            owned::search(subjects).await.map(|search| dependents::searched_sentence(&search, are_many))
        } else {
            dependents::list(subjects).await.map(|found| dependents::sentence(&found, are_many))
        };
        text.try_set(message.unwrap_or_else(|error| format!("Cannot list the dependents: {error}")));
    });
    text
}

/// Dialog of a deletion.
pub(super) fn delete(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let resource = subjects.resource().to_string();
    // The children of other kinds are not known, but they may have some: the policy is offered for every kind.
    let is_known = dependents::has_any(&resource) || kube_objects::is_custom(&subjects.resource().group);
    let text = is_known.then(|| dependents_text(subjects));
    let propagation = RwSignal::new("background");
    let at_once = RwSignal::new(false);
    let confirmation = TypedConfirmation::for_deletion(subjects);
    let finalizers = finalizers(&subjects.objects());
    let finalizers = (!finalizers.is_empty())
        .then(|| format!("Objects with finalizers stay until these are removed: {}.", visible(&finalizers)));
    let namespace = subjects.get(0).filter(|_| !subjects.are_many()).and_then(|subject| subject.target.namespace);
    let run = Run::new(subjects, close);
    let send = move || {
        let (propagation, grace) = (propagation.get_untracked(), at_once.get_untracked().then_some(0));
        run.send(Request::Delete { propagation, grace });
    };
    view! {
        <Window
            title=format!("Delete: {}", subjects.description())
            close=close
            stays=Signal::derive(move || run.is_running())
        >
            {namespace.map(|namespace| view! { <p>{"Namespace "}<strong>{visible(&namespace).into_owned()}</strong></p> })}
            {further_losses(&resource).map(|message| view! { <p class="warning">{message}</p> })}
            {finalizers.map(|message| view! { <p class="warning">{message}</p> })}
            {has_users(&resource).then(|| used_by(subjects))}
            {text.map(|text| view! { <p class="goes">{move || text.get()}</p> })}
            {propagations(propagation)}
            {(resource == "v1/pods").then(|| force(at_once))}
            {confirmation.field()}
            {run.outcome()}
            {run.footer(SubmitButton { label: "Delete", is_danger: true }, move || confirmation.is_confirmed(), send)}
        </Window>
    }
}

/// Choice of the propagation policy.
fn propagations(chosen: RwSignal<&'static str>) -> impl IntoView {
    let choice = move |value: &'static str, message: &'static str| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="propagation"
                    prop:checked=move || chosen.get() == value
                    on:change=move |_| chosen.set(value)
                />
                <span>{message}</span>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend>{"Dependents"}</legend>
            {choice("background", "Deleted afterwards (background)")}
            {choice("foreground", "Deleted first (foreground)")}
            {choice("orphan", "Stays (orphan)")}
        </fieldset>
    }
}

/// Checkbox for a deletion without waiting for the processes of a pod.
fn force(at_once: RwSignal<bool>) -> impl IntoView {
    view! {
        <label class="choice">
            <input
                type="checkbox"
                prop:checked=at_once
                on:change=move |event| at_once.set(event_target_checked(&event))
            />
            <span>{"Force: delete without waiting until its processes have ended"}</span>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_finalizers_of_several_objects_are_named_once() {
        let object = |finalizers: Value| json!({ "metadata": { "finalizers": finalizers } });
        assert_eq!(finalizers(&[object(json!(["b", "a"])), object(json!(["a"])), Value::Null]), "a, b");
    }
}
