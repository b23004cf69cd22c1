//! Shells: terminals in the containers of the open pod, a page part.

use std::cell::RefCell;

use leptos::html::Div;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::opened::Opened;
use crate::actions::{DebugContainer, added_container};
use crate::parts::PartMount;
use crate::visible::visible;

thread_local! {
    /// Key of the pod whose tab begins with the focus on the button that opens a shell.
    static FOCUSED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Moves the focus to the button that opens a shell, once the tab of this pod has loaded.
pub(crate) fn focus_shell(key: String) {
    FOCUSED.set(Some(key));
}

/// The names of all containers of a pod as JSON: regular ones first.
fn containers(pod: &str) -> String {
    let pod: Value = serde_json::from_str(pod).unwrap_or_default();
    let field_containers = |field: &str| pod["spec"][field].as_array().cloned().unwrap_or_default();
    let all = ["containers", "initContainers", "ephemeralContainers"].into_iter().flat_map(field_containers);
    let names: Vec<Value> = all.map(|container| container["name"].clone()).collect();
    Value::from(names).to_string()
}

/// Progress of a debug container.
#[derive(Clone, Debug, PartialEq)]
enum Start {
    /// Waiting, with the reason if there is one.
    Waiting(String),
    Running,
    /// Ended before a shell could attach.
    Ended,
}

/// Progress of a debug container of a pod; `None` if it is of another pod.
fn start(pod: &str, added: &DebugContainer) -> Option<Start> {
    let pod: Value = serde_json::from_str(pod).ok()?;
    if pod["metadata"]["uid"] != added.pod.as_str() {
        return None;
    }
    let mut statuses = pod["status"]["ephemeralContainerStatuses"].as_array().into_iter().flatten();
    let status = statuses.find(|status| status["name"] == added.container.as_str());
    let Some(state) = status.map(|status| &status["state"]) else { return Some(Start::Waiting(String::new())) };
    Some(match state {
        state if state["running"].is_object() => Start::Running,
        state if state["terminated"].is_object() => Start::Ended,
        state => Start::Waiting(state["waiting"]["reason"].as_str().unwrap_or_default().to_owned()),
    })
}

/// Tab of the shells.
#[component]
pub(super) fn Shell(opened: Opened) -> impl IntoView {
    let (parent, mount) = (NodeRef::<Div>::new(), PartMount::new());
    let is_known = Memo::new(move |_| opened.followed.json.with(Option::is_some));
    Effect::new(move || {
        let Some(parent) = parent.get().filter(|_| is_known.get()) else { return };
        let pod = opened.followed.json.get_untracked().unwrap_or_default();
        let reference = opened.subject().target.reference();
        let options = vec![
            ("client", JsValue::from(opened.cluster.factory().client())),
            ("ref", js_sys::JSON::parse(&reference.to_string()).unwrap_or_default()),
            ("containers", containers(&pod).into()),
            ("focus", (FOCUSED.take() == Some(opened.key())).into()),
        ];
        mount.load("The terminal", ("shell", "shell"), &parent, options);
    });
    let (added_container, starting) = (added_container(), RwSignal::new(None::<Start>));
    Effect::new(move || {
        let Some(added) = added_container.get() else { return };
        let start = opened.followed.json.with(|pod| pod.as_deref().and_then(|pod| start(pod, &added)));
        starting.set(start.clone());
        match start {
            Some(Start::Running) if mount.is_loaded() => {
                mount.call_method("attach", &added.container);
                added_container.set(None);
            }
            Some(Start::Ended) => added_container.set(None),
            _ => {}
        }
    });
    let status_text = move || {
        starting.with(|start| match start {
            Some(Start::Waiting(reason)) if ["", "ContainerCreating", "PodInitializing"].contains(&reason.as_str()) => {
                Some("Waiting until the debug container runs …".to_owned())
            }
            Some(Start::Waiting(reason)) => Some(format!("The debug container does not start: {}", visible(reason))),
            Some(Start::Ended) => Some("The debug container ended before a shell could attach to it.".to_owned()),
            Some(Start::Running) | None => None,
        })
    };
    view! {
        {move || mount.error().map(|text| view! { <p class="hint" role="alert">{text}</p> })}
        {move || status_text().map(|text| view! { <p class="hint" role="status">{text}</p> })}
        <div class="shell" node_ref=parent></div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_waits_for_its_debug_container() {
        let added = DebugContainer { pod: "u".to_owned(), container: "debugger-1".to_owned() };
        let pod = |state: &str| {
            format!(
                r#"{{"metadata":{{"uid":"u"}},"status":{{"ephemeralContainerStatuses":[{{"name":"debugger-1","state":{state}}}]}}}}"#
            )
        };
        let waiting = |reason: &str| Some(Start::Waiting(reason.to_owned()));
        assert_eq!(start(&pod(r#"{"running":{}}"#), &added), Some(Start::Running));
        assert_eq!(start(&pod(r#"{"waiting":{}}"#), &added), waiting(""));
        assert_eq!(start(&pod(r#"{"waiting":{"reason":"ImagePullBackOff"}}"#), &added), waiting("ImagePullBackOff"));
        assert_eq!(start(&pod(r#"{"terminated":{"exitCode":1}}"#), &added), Some(Start::Ended));
        assert_eq!(start(r#"{"metadata":{"uid":"u"}}"#, &added), waiting(""));
        assert_eq!(start(r#"{"metadata":{"uid":"other"}}"#, &added), None);
    }

    #[test]
    fn all_containers_are_listed_regular_ones_first() {
        let pod = r#"{"spec":{"initContainers":[{"name":"init"}],"containers":[{"name":"web"},{"name":"proxy"}]}}"#;
        assert_eq!(containers(pod), r#"["web","proxy","init"]"#);
        assert_eq!(containers("{}"), "[]");
    }
}
