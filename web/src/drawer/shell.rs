//! Shells: terminals in the containers of the open pod, a page part.

use leptos::html::Div;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::opened::Opened;
use crate::parts::Part;

/// The names of all containers of a pod, those that run first, as JSON.
fn containers(pod: &str) -> String {
    let pod: Value = serde_json::from_str(pod).unwrap_or_default();
    let of = |field: &str| pod["spec"][field].as_array().cloned().unwrap_or_default();
    let all = ["containers", "initContainers", "ephemeralContainers"].into_iter().flat_map(of);
    let names: Vec<Value> = all.map(|container| container["name"].clone()).collect();
    Value::from(names).to_string()
}

/// The tab.
#[component]
pub(super) fn Shell(opened: Opened) -> impl IntoView {
    let place = NodeRef::<Div>::new();
    let problem = RwSignal::new(None::<String>);
    let part = StoredValue::new_local(None::<Part>);
    let is_known = Memo::new(move |_| opened.followed.json.with(Option::is_some));
    Effect::new(move || {
        let Some(place) = place.get().filter(|_| is_known.get()) else { return };
        let pod = opened.followed.json.get_untracked().unwrap_or_default();
        let reference = opened.subject().target.reference();
        let options = [
            ("client", JsValue::from(opened.cluster.factory().requests())),
            ("ref", js_sys::JSON::parse(&reference.to_string()).unwrap_or_default()),
            ("containers", containers(&pod).into()),
        ];
        spawn_local(async move {
            match Part::mount("shell", "shell", &place, &options).await {
                // Closed meanwhile: what comes back is dropped, and its sessions with it.
                Ok(mounted) => drop(part.try_set_value(Some(mounted))),
                Err(error) => {
                    problem.try_set(Some(format!("The terminal could not be loaded: {error:?}")));
                }
            }
        });
    });
    on_cleanup(move || drop(part.try_update_value(Option::take)));
    view! {
        {move || problem.get().map(|says| view! { <p class="hint" role="alert">{says}</p> })}
        <div class="shell" node_ref=place></div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_containers_are_offered_those_that_run_first() {
        let pod = r#"{"spec":{"initContainers":[{"name":"init"}],"containers":[{"name":"web"},{"name":"proxy"}]}}"#;
        assert_eq!(containers(pod), r#"["web","proxy","init"]"#);
        assert_eq!(containers("{}"), "[]");
    }
}
