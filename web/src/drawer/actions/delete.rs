//! Delete: what goes with the object, what becomes of its dependents, and a button that Enter does not press by accident.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::super::opened::Opened;
use super::run::{Run, named, object, target};
use crate::actions::request::Request;
use crate::client::requests;
use crate::dialog::Window;
use crate::visible::visible;

/// At most so many dependents are named.
const NAMED: usize = 8;

/// Kinds whose name must be typed: much is lost with one of them.
const TYPED: [&str; 4] = ["namespaces", "nodes", "customresourcedefinitions", "persistentvolumes"];

/// Which resources the controller of a resource makes.
fn children(resource: &str) -> &'static [&'static str] {
    match resource {
        "apps/v1/deployments" => &["apps/v1/replicasets", "v1/pods"],
        "batch/v1/cronjobs" => &["batch/v1/jobs", "v1/pods"],
        "apps/v1/replicasets"
        | "apps/v1/statefulsets"
        | "apps/v1/daemonsets"
        | "batch/v1/jobs"
        | "v1/replicationcontrollers" => &["v1/pods"],
        _ => &[],
    }
}

/// What else is lost that no owner reference says.
fn also_lost(resource: &str) -> Option<&'static str> {
    Some(match resource {
        "v1/namespaces" => "All objects in the namespace are deleted with it.",
        "apiextensions.k8s.io/v1/customresourcedefinitions" => {
            "All objects of this kind are deleted with it, in all namespaces."
        }
        "v1/persistentvolumeclaims" => "With the reclaim policy Delete its volume and the data in it are deleted, too.",
        "apps/v1/statefulsets" => "Its PersistentVolumeClaims stay, unless its retention policy says otherwise.",
        "v1/nodes" => "This does not stop the machine: a kubelet that still runs registers it again.",
        _ => return None,
    })
}

/// Names the objects that belong to the given owner, level by level.
async fn dependents(opened: Opened, uid: String) -> Result<Vec<String>, String> {
    let (target, factory) = (target(opened), opened.cluster.factory());
    let mut owners = vec![uid];
    let mut found = Vec::new();
    for resource in children(&target.resource) {
        let list = requests::read(&factory, &target.beside(resource)).await.map_err(|failure| failure.message)?;
        let mut next = Vec::new();
        for item in list["items"].as_array().into_iter().flatten() {
            let metadata = &item["metadata"];
            let is_owned = metadata["ownerReferences"].as_array().is_some_and(|references| {
                references
                    .iter()
                    .any(|owner| owner["uid"].as_str().is_some_and(|uid| owners.iter().any(|owner| owner == uid)))
            });
            if is_owned {
                let singular = resource.rsplit('/').next().unwrap_or_default().trim_end_matches('s');
                found.push(format!("{singular} {}", metadata["name"].as_str().unwrap_or_default()));
                next.extend(metadata["uid"].as_str().map(str::to_owned));
            }
        }
        owners = next;
    }
    Ok(found)
}

fn sentence(found: &[String]) -> String {
    if found.is_empty() {
        return "Nothing belongs to it.".to_owned();
    }
    let names: Vec<_> = found.iter().take(NAMED).map(|name| visible(name).into_owned()).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Belong to it: {}{more}.", names.join(", "))
}

/// The dialog.
pub(super) fn delete(opened: Opened, close: Callback<()>) -> impl IntoView {
    let object = object(opened.followed.json.get_untracked().as_deref());
    let resource = opened.resource();
    let uid = object["metadata"]["uid"].as_str().map(str::to_owned);
    let goes = RwSignal::new(None::<String>);
    let has_children = !children(&resource.to_string()).is_empty();
    if let Some(uid) = uid.clone().filter(|_| has_children) {
        goes.set(Some("Looking for what belongs to it …".to_owned()));
        spawn_local(async move {
            let says = dependents(opened, uid).await;
            goes.try_set(Some(
                says.map_or_else(|error| format!("What belongs to it is unknown: {error}"), |found| sentence(&found)),
            ));
        });
    }
    let propagation = RwSignal::new("background");
    let at_once = RwSignal::new(false);
    let typed = RwSignal::new(String::new());
    let must_type = TYPED.contains(&resource.resource.as_str());
    let name = StoredValue::new(opened.name());
    let is_ready = move || !must_type || name.with_value(|name| typed.with(|typed| typed == name));
    let is_pod = resource.to_string() == "v1/pods";
    let finalizers: Vec<_> =
        object["metadata"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let finalizers = (!finalizers.is_empty())
        .then(|| format!("It stays until its finalizers are removed: {}.", visible(&finalizers.join(", "))));
    let run = Run::new(opened, close);
    let send = move |_| {
        let grace = at_once.get_untracked().then_some(0);
        run.send(Request::Delete { propagation: propagation.get_untracked(), grace, uid: uid.clone() });
    };
    let choice = move |value: &'static str, says: &'static str| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="propagation"
                    prop:checked=move || propagation.get() == value
                    on:change=move |_| propagation.set(value)
                />
                <span>{says}</span>
            </label>
        }
    };
    view! {
        <Window title=format!("Delete: {}", named(&object, opened)) close=close>
            {opened.namespace().map(|namespace| view! { <p>{"Namespace "}<strong>{visible(&namespace).into_owned()}</strong></p> })}
            {also_lost(&resource.to_string()).map(|says| view! { <p class="warning">{says}</p> })}
            {finalizers.map(|says| view! { <p class="warning">{says}</p> })}
            {move || goes.get().map(|says| view! { <p class="goes">{says}</p> })}
            {has_children
                .then(|| {
                    view! {
                        <fieldset>
                            <legend>{"What becomes of that"}</legend>
                            {choice("background", "Deleted afterwards (background)")}
                            {choice("foreground", "Deleted first (foreground)")}
                            {choice("orphan", "Stays (orphan)")}
                        </fieldset>
                    }
                })}
            {is_pod
                .then(|| {
                    view! {
                        <label class="choice">
                            <input
                                type="checkbox"
                                prop:checked=at_once
                                on:change=move |event| at_once.set(event_target_checked(&event))
                            />
                            <span>{"Force: without waiting until its processes have ended"}</span>
                        </label>
                    }
                })}
            {must_type
                .then(|| {
                    view! {
                        <label>
                            <span>{"Type the name to confirm"}</span>
                            <input
                                class="field"
                                autocomplete="off"
                                spellcheck="false"
                                prop:value=typed
                                on:input=move |event| typed.set(event_target_value(&event))
                            />
                        </label>
                    }
                })}
            {run.outcome()}
            <footer>
                // Enter closes the dialog: this button has the focus.
                <button class="button" type="button" autofocus on:click=move |_| close.run(())>
                    {"Cancel"}
                </button>
                <button class="button danger" type="button" disabled=move || run.is_busy() || !is_ready() on:click=send>
                    {"Delete"}
                </button>
            </footer>
        </Window>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut() {
        assert_eq!(sentence(&[]), "Nothing belongs to it.");
        let found: Vec<_> = (0..10).map(|at| format!("pod {at}")).collect();
        assert!(sentence(&found).ends_with("pod 7 and 2 more."));
    }
}
