//! Debug container: a container that is added to a running pod, as `kubectl debug` does, and the shell that attaches to
//! it.

use std::cell::OnceCell;

use leptos::prelude::*;
use serde_json::{Value, json};

use super::outcome::SubmitButton;
use super::progress::Progress;
use super::request::Request;
use super::run::Run;
use super::subject::Subjects;
use crate::dialog::Window;
use crate::visible::visible;

/// Image of kubectl's documentation: small, with a shell and the usual tools.
const DEFAULT_IMAGE: &str = "busybox:1.37";

thread_local! {
    static ADDED_CONTAINER: OnceCell<ArcRwSignal<Option<DebugContainer>>> = const { OnceCell::new() };
}

/// A debug container to which a shell is to be attached.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DebugContainer {
    /// Uid of the pod.
    pub(crate) pod: String,
    pub(crate) container: String,
}

/// The last container that was added, until its shell takes it.
pub(crate) fn added_container() -> ArcRwSignal<Option<DebugContainer>> {
    ADDED_CONTAINER.with(|container| container.get_or_init(|| ArcRwSignal::new(None)).clone())
}

/// Names of the containers whose processes the debug container can see.
fn containers(pod: &Value) -> Vec<String> {
    let all = pod["spec"]["containers"].as_array().into_iter().flatten();
    all.filter_map(|container| container["name"].as_str().map(str::to_owned)).collect()
}

/// A name that no container of the pod has: `debugger-1`. Ephemeral containers stay in a pod for its life.
fn free_name(pod: &Value) -> String {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let names: Vec<_> = lists
        .iter()
        .flat_map(|list| pod["spec"][list].as_array().into_iter().flatten())
        .filter_map(|container| container["name"].as_str())
        .collect();
    let name = |at: usize| format!("debugger-{at}");
    // Of one name more than there are containers, one is free.
    let free = (1..=names.len() + 1).map(name).find(|name| !names.contains(&name.as_str()));
    free.unwrap_or_else(|| name(0))
}

/// The patch that adds a terminal in the image. It sees the processes of the container `target`, unless that is empty.
fn patch(name: &str, image: &str, target: &str) -> Value {
    let mut container =
        json!({ "name": name, "image": image, "stdin": true, "tty": true, "terminationMessagePolicy": "File" });
    if !target.is_empty() {
        container["targetContainerName"] = target.into();
    }
    json!({ "spec": { "ephemeralContainers": [container] } })
}

/// Dialog that adds a debug container.
pub(super) fn debug(subjects: Subjects, close: Callback<()>) -> impl IntoView {
    let pod = subjects.get(0).map_or(Value::Null, |subject| subject.object());
    let names = containers(&pod);
    let (image, target) =
        (RwSignal::new(DEFAULT_IMAGE.to_owned()), RwSignal::new(names.first().cloned().unwrap_or_default()));
    // The name of the last request: another client may have taken one that was free when the dialog was opened.
    let chosen = StoredValue::new(String::new());
    let uid = pod["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let progress = StoredValue::new(None::<RwSignal<Progress>>);
    let on_close = Callback::new(move |()| {
        let is_confirmed = progress.get_value().is_some_and(|progress| progress.get_untracked() == Progress::Confirmed);
        if is_confirmed {
            added_container().set(Some(DebugContainer { pod: uid.clone(), container: chosen.get_value() }));
        }
        close.run(());
    });
    let run = Run::new(subjects, on_close);
    progress.set_value(run.progress(0));
    let is_ready = move || image.with(|image| !image.trim().is_empty() && !image.trim().contains(char::is_whitespace));
    let send = move || {
        if untrack(is_ready) {
            let (image, target) = (image.get_untracked(), target.get_untracked());
            run.send_each(move |pod| {
                let name = free_name(pod);
                chosen.set_value(name.clone());
                Request::Debug(patch(&name, image.trim(), &target))
            });
        }
    };
    let option = |name: String| view! { <option value=name.clone()>{visible(&name).into_owned()}</option> };
    view! {
        <Window title=format!("Debug container: {}", subjects.description()) close=close>
            <p>
                {"Adds an ephemeral container to the running pod and attaches a shell to it. An ephemeral container cannot be changed or removed: it stays until the pod is deleted."}
            </p>
            <label>
                <span>{"Image"}</span>
                <input
                    class="field"
                    autocomplete="off"
                    spellcheck="false"
                    autofocus
                    prop:value=image
                    aria-invalid=move || (!is_ready()).then_some("true")
                    on:input=move |event| image.set(event_target_value(&event))
                    on:keydown=move |event| if event.key() == "Enter" { send() }
                />
            </label>
            <label>
                <span>{"Target container (its processes are visible)"}</span>
                <select class="field" on:change=move |event| target.set(event_target_value(&event))>
                    {names.into_iter().map(option).collect_view()}
                    <option value="">{"none"}</option>
                </select>
            </label>
            {run.outcome()}
            {run.footer(SubmitButton { label: "Add", is_danger: false }, is_ready, send)}
        </Window>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_gets_a_name_that_is_free() {
        assert_eq!(free_name(&Value::Null), "debugger-1");
        let pod = json!({ "spec": { "containers": [{ "name": "debugger-1" }], "ephemeralContainers": [{ "name": "debugger-2" }] } });
        assert_eq!(free_name(&pod), "debugger-3");
    }

    #[test]
    fn a_debug_container_needs_no_target() {
        let container = |target| patch("d", "busybox", target)["spec"]["ephemeralContainers"][0].clone();
        assert_eq!(container("web")["targetContainerName"], "web");
        assert_eq!(container("").get("targetContainerName"), None);
        assert_eq!(container("")["tty"], true);
    }
}
