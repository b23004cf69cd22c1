//! Boxes of the map as the part `map` draws them: names, state in words with a tone, and addresses.

use std::collections::BTreeSet;

use informer::GroupVersionResource;
use kube_objects::{Link, Map, MapBox};
use serde_json::{Value, json};

use crate::discovery::resource_of;
use crate::drawer::condition;
use crate::loading::PageState;
use leptos::prelude::With;

/// Group and kind of the kinds of which all objects have been read.
type ReadKinds = BTreeSet<(String, String)>;

/// The graph for the part. Tracked.
pub(super) fn json(page: PageState, graph: &Map, objects: &[&Value], read_kinds: &ReadKinds, is_folded: bool) -> Value {
    let boxes: Vec<Value> = graph
        .boxes
        .iter()
        .map(|map_box| {
            let object = map_box.object.and_then(|at| objects.get(at)).copied();
            let (state, tone) = state(map_box, object, read_kinds);
            let href = target(page, &map_box.link).filter(|_| map_box.pods.is_empty()).map(|(resource, key)| {
                page.navigator.hash_with(|route| {
                    (route.resource, route.object) = (resource, Some(key));
                    (route.tab, route.full) = (None, false);
                })
            });
            json!({ "id": map_box.id, "kind": if map_box.pods.is_empty() { &map_box.link.kind } else { "Pods" },
                "name": map_box.link.name, "namespace": map_box.link.namespace,
                "state": state, "tone": tone, "href": href,
                "expands": map_box.workload.as_ref().filter(|_| !map_box.pods.is_empty()) })
        })
        .collect();
    json!({ "boxes": boxes, "lines": graph.lines, "isFolded": is_folded })
}

/// State of a box in words, and its tone.
fn state(map_box: &MapBox, object: Option<&Value>, read_kinds: &ReadKinds) -> (String, &'static str) {
    if !map_box.pods.is_empty() {
        let (ready, all) = (map_box.ready, map_box.pods.len());
        return (format!("{ready} of {all} ready"), if ready == all { "ok" } else { "warn" });
    }
    let Some(object) = object else {
        let is_read = read_kinds.contains(&(map_box.link.group.clone(), map_box.link.kind.clone()));
        return if is_read { ("Not found".to_owned(), "bad") } else { (String::new(), "") };
    };
    let (words, tone) = condition(object, &Vec::new());
    (words, tone.unwrap_or_default())
}

/// Resource and key of an object, if discovery lists its kind.
fn target(page: PageState, link: &Link) -> Option<(GroupVersionResource, String)> {
    page.resources.with(|all| {
        let info = resource_of(all, &link.group, &link.kind)?;
        let is_plain = !info.namespaced || link.namespace.is_empty();
        let key = if is_plain { link.name.clone() } else { format!("{}/{}", link.namespace, link.name) };
        Some((info.gvr(), key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_a_state_as_text() {
        let read_kinds = ReadKinds::from([(String::new(), "Service".to_owned())]);
        let named = |kind: &str| MapBox { link: Link::new("", kind, "shop", "a"), ..MapBox::default() };
        assert_eq!(state(&named("Service"), None, &read_kinds), ("Not found".to_owned(), "bad"));
        assert_eq!(state(&named("Secret"), None, &read_kinds), (String::new(), ""), "what was not read may exist");
        let pods = |ready| MapBox { pods: vec![Link::default(); 3], ready, ..named("Pod") };
        assert_eq!(state(&pods(2), None, &read_kinds), ("2 of 3 ready".to_owned(), "warn"));
        assert_eq!(state(&pods(3), None, &read_kinds).1, "ok");
    }
}
