//! Map: the objects of namespaces, or around an object, as a graph. Deferred code.
//!
//! `kube_objects::map` decides which boxes there are. The part `map` (`web/parts`) draws them, as a graph or as a list,
//! and a worker of its own places them. The informers are open while the page is shown.

mod around;
mod boxes;

use std::collections::BTreeSet;
use std::sync::Arc;

use informer::ResourceInfo;
use kube_objects::MapOptions;
use leptos::html::Div;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::discovery::resource_of;
use crate::loading::PageState;
use crate::namespaces;
use crate::parts::PartMount;
use crate::problems::candidates::{CandidateSelection, Candidates};

/// Kinds that are read, by API group. Config maps and secrets are known by the references to them alone.
const KINDS: [(&str, &str); 15] = [
    ("", "Pod"),
    ("", "Service"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("networking.k8s.io", "Ingress"),
    ("gateway.networking.k8s.io", "Gateway"),
    ("gateway.networking.k8s.io", "HTTPRoute"),
    ("gateway.networking.k8s.io", "GRPCRoute"),
    ("", "PersistentVolumeClaim"),
    ("", "PersistentVolume"),
    ("", "Node"),
];

/// Maximum number of objects of a kind that are read.
const MAX_OBJECTS: u32 = 5_000;

const SELECTION: CandidateSelection =
    CandidateSelection { filter: "", limit: MAX_OBJECTS, note_subject: "its objects on this map are" };

/// Sentences about the kinds that are on the map in part, or not at all.
fn notes(all: &[Candidates]) -> Vec<String> {
    let unread = |candidates: &Candidates| {
        let (read, all) = candidates.unread()?;
        Some(format!("Only {read} of {all} {} are on the map.", candidates.info.resource))
    };
    all.iter().flat_map(|candidates| [candidates.note(), unread(candidates)]).flatten().collect()
}

/// Page of the map.
#[component]
pub(crate) fn Map(page: PageState) -> impl IntoView {
    let navigator = page.navigator;
    let (expanded, has_config) = (RwSignal::new(BTreeSet::new()), RwSignal::new(false));
    let kinds = Memo::new(move |_| {
        let info = |(group, kind): (&str, &str)| {
            page.resources.with(|all| resource_of(all, group, kind).filter(|info| info.is_watchable()).cloned())
        };
        KINDS.into_iter().filter_map(info).collect::<Vec<_>>()
    });
    let all_candidates = RwSignal::new_local(Vec::<Candidates>::new());
    Effect::new(move || {
        let chosen = navigator.namespaces.get();
        let open = |info: ResourceInfo| Candidates::open(page.cluster, SELECTION, info, chosen.as_deref());
        all_candidates.set(kinds.get().into_iter().map(open).collect());
    });
    let is_settled =
        Memo::new(move |_| all_candidates.with(|all| !all.is_empty() && all.iter().all(Candidates::is_settled)));
    let graph = Memo::new(move |_| {
        if !is_settled.get() {
            return None;
        }
        let read =
            |candidates: &Candidates| candidates.found.with(|found| found.as_ref().map(|found| found.objects.clone()));
        let objects: Vec<Arc<Value>> = all_candidates.with(|all| all.iter().filter_map(read).flatten().collect());
        let objects: Vec<&Value> = objects.iter().map(AsRef::as_ref).collect();
        let around = around::parse(&navigator.around.get());
        let options = MapOptions { expanded: expanded.get(), has_config: has_config.get(), around };
        let graph = kube_objects::map(&objects, &options);
        let read = all_candidates.with(|all| {
            let is_read = |kind: &&Candidates| kind.is_loaded() && kind.unread().is_none();
            all.iter()
                .filter(is_read)
                .map(|candidates| (candidates.info.group.clone(), candidates.info.kind.clone()))
                .collect()
        });
        let is_folded = expanded.with(BTreeSet::is_empty);
        let text = boxes::json(page, &graph, &objects, &read, is_folded).to_string();
        Some((text, graph.boxes.is_empty()))
    });
    let is_empty = Memo::new(move |_| graph.with(|graph| matches!(graph, Some((_, true)))));
    let (host, mount) = (NodeRef::<Div>::new(), PartMount::new());
    let expand = Closure::<dyn Fn(String)>::new(move |id: String| {
        expanded.update(|all| {
            if id.is_empty() {
                all.clear();
            } else {
                all.insert(id);
            }
        });
    });
    let config = Closure::<dyn Fn(bool)>::new(move |is_on| has_config.set(is_on));
    let callbacks = StoredValue::new_local((expand, config));
    Effect::new(move || {
        if let Some(host) = host.get() {
            let (expand, config) =
                callbacks.with_value(|(expand, config)| (expand.as_ref().clone(), config.as_ref().clone()));
            mount.load("The map", ("map", "map"), &host, vec![("expand", expand), ("config", config)]);
        }
    });
    Effect::new(move || {
        if let (true, Some((text, _))) = (mount.is_loaded(), graph.get()) {
            mount.call_method("update", &text);
        }
    });
    let scope = move || match around::parse(&navigator.around.get()) {
        Some(link) => format!("Around {} {}", crate::visible::visible(&link.kind), crate::visible::visible(&link.name)),
        None => namespaces::scope(navigator.namespaces.get().as_deref()),
    };
    let notes = Memo::new(move |_| all_candidates.with(|all| notes(all)));
    view! {
        <main class="overview map" tabindex="0" aria-label="Map" aria-busy=move || (!is_settled.get()).then_some("true")>
            <h1 class="visually-hidden">{"Map"}</h1>
            <p class="scope">
                {scope}
                {move || {
                    let all = navigator.hash_with(|route| route.around.clear());
                    navigator.around.with(|around| !around.is_empty()).then(|| view! { " · " <a href=all>{"Show all objects"}</a> })
                }}
            </p>
            <ul class="notes">
                <For each=move || notes.get() key=Clone::clone let:note>
                    <li class="note">{note}</li>
                </For>
            </ul>
            {move || mount.error().map(|text| view! { <p class="note" role="alert">{text}</p> })}
            <p class="hint" role="status">
                {move || match (is_settled.get(), is_empty.get()) {
                    (false, _) => "Loading …",
                    (true, true) => "There are no objects to show.",
                    (true, false) => "",
                }}
            </p>
            <div class="map-part" node_ref=host hidden=move || is_empty.get()></div>
        </main>
    }
}
