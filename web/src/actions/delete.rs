//! Delete: the dependents of the object, their deletion, and a button that Enter does not press by accident.

use std::collections::BTreeSet;

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::outcome::Verb;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use super::typed::Typed;
use super::{dependents, owned};
use crate::dialog::Window;
use crate::visible::visible;

/// Further losses that no owner reference shows.
fn also_lost(resource: &str) -> Option<&'static str> {
    Some(match resource {
        "v1/namespaces" => "All objects in the namespace are deleted with it.",
        "apiextensions.k8s.io/v1/customresourcedefinitions" => {
            "All objects of this kind are deleted with it, in all namespaces."
        }
        "v1/persistentvolumeclaims" => {
            "If its volume has the reclaim policy Delete, the volume and its data are deleted too."
        }
        "apps/v1/statefulsets" => "Its PersistentVolumeClaims stay, unless its retention policy deletes them.",
        "v1/nodes" => "This does not stop the machine: a kubelet that still runs registers it again.",
        _ => return None,
    })
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
fn look(subjects: Subjects) -> RwSignal<String> {
    let goes = RwSignal::new("Looking up dependents …".to_owned());
    let are_many = subjects.are_many();
    let is_custom = kube_objects::is_custom(&subjects.resource().group);
    spawn_local(async move {
        let says = if is_custom {
            owned::search(subjects).await.map(|search| dependents::searched(&search, are_many))
        } else {
            dependents::of(subjects).await.map(|found| dependents::sentence(&found, are_many))
        };
        goes.try_set(says.unwrap_or_else(|error| format!("Cannot list the dependents: {error}")));
    });
    goes
}

/// The dialog.
pub(super) fn delete(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let resource = subjects.resource().to_string();
    // The children of other kinds are not known, but they may have some: the policy is offered for every kind.
    let is_known = dependents::has_any(&resource) || kube_objects::is_custom(&subjects.resource().group);
    let goes = is_known.then(|| look(subjects));
    let propagation = RwSignal::new("background");
    let at_once = RwSignal::new(false);
    let typed = Typed::of_deletion(subjects);
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
            title=format!("Delete: {}", subjects.named())
            close=close
            stays=Signal::derive(move || run.is_running())
        >
            {namespace.map(|namespace| view! { <p>{"Namespace "}<strong>{visible(&namespace).into_owned()}</strong></p> })}
            {also_lost(&resource).map(|says| view! { <p class="warning">{says}</p> })}
            {finalizers.map(|says| view! { <p class="warning">{says}</p> })}
            {goes.map(|goes| view! { <p class="goes">{move || goes.get()}</p> })}
            {propagations(propagation)}
            {(resource == "v1/pods").then(|| force(at_once))}
            {typed.field()}
            {run.outcome()}
            {run.footer(Verb { label: "Delete", is_danger: true }, move || typed.is_right(), send)}
        </Window>
    }
}

/// The propagation policies.
fn propagations(chosen: RwSignal<&'static str>) -> impl IntoView {
    let choice = move |value: &'static str, says: &'static str| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="propagation"
                    prop:checked=move || chosen.get() == value
                    on:change=move |_| chosen.set(value)
                />
                <span>{says}</span>
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
