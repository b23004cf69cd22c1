//! Maps of many objects, also of odd ones, compared with a naive model.

use std::collections::BTreeSet;

use kube_objects::{Link, Map, MapOptions, map};
use serde_json::{Value, json};

fn object(version: &str, kind: &str, name: &str, owner: &str, spec: &Value) -> Value {
    let namespace = if kind == "Node" { "" } else { "shop" };
    let owners = if owner.is_empty() { json!([]) } else { json!([{"kind": "Owner", "name": owner, "uid": owner}]) };
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace, "uid": name,
        "labels": {"app": "web"}, "ownerReferences": owners}, "spec": spec})
}

fn pod(name: &str, owner: &str) -> Value {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "keys", "secret": {"secretName": "keys"}}]);
    object("v1", "Pod", name, owner, &json!({"nodeName": "machine", "containers": [], "volumes": volumes}))
}

fn shop(pods: usize) -> Vec<Value> {
    let backend = json!({"rules": [{"http": {"paths": [{"backend": {"service": {"name": "front"}}},
        {"backend": {"service": {"name": "gone"}}}]}}]});
    let mut objects = vec![
        object("networking.k8s.io/v1", "Ingress", "entry", "", &backend),
        object("v1", "Service", "front", "", &json!({"selector": {"app": "web"}})),
        object("apps/v1", "Deployment", "web", "", &json!({})),
        object("apps/v1", "ReplicaSet", "web-1", "web", &json!({})),
        object("v1", "Node", "machine", "", &json!({})),
        object("v1", "Node", "other", "", &json!({})),
        object("v1", "PersistentVolumeClaim", "data", "", &json!({"volumeName": "disk"})),
    ];
    objects.extend((0..pods).map(|at| pod(&format!("web-1-{at}"), "web-1")));
    objects
}

fn of(objects: &[Value], options: &MapOptions) -> Map {
    map(&objects.iter().collect::<Vec<_>>(), options)
}

/// The lines by names of kinds and objects.
fn lines(map: &Map) -> Vec<String> {
    let short = |id: &str| {
        let (prefix, id) = id.split_once("pods of ").map_or(("", id), |(_, id)| ("pods of ", id));
        format!("{prefix}{} {}", id.split('.').next().unwrap_or_default(), id.rsplit('/').next().unwrap_or_default())
    };
    map.lines.iter().map(|(from, to)| format!("{} > {}", short(from), short(to))).collect()
}

#[test]
fn an_ingress_leads_to_service_workload_pod_node_and_volume() {
    let map = of(&shop(1), &MapOptions::default());
    assert_eq!(
        lines(&map),
        [
            "Deployment web > Pod web-1-0",
            "Ingress entry > Service front",
            "Ingress entry > Service gone",
            "PersistentVolumeClaim data > PersistentVolume disk",
            "Pod web-1-0 > Node machine",
            "Pod web-1-0 > PersistentVolumeClaim data",
            "Service front > Deployment web",
        ]
    );
    let gone = map.boxes.iter().find(|each| each.link.name == "gone").expect("a dangling reference");
    assert_eq!(gone.object, None);
    assert!(!map.boxes.iter().any(|each| each.link.name == "other"), "a node that runs none of the pods");
    assert!(!map.boxes.iter().any(|each| each.link.kind == "ReplicaSet"), "it is folded into its deployment");
}

#[test]
fn many_pods_are_one_box_until_they_are_expanded() {
    let mut objects = shop(1_000);
    objects[7]["status"] = json!({"conditions": [{"type": "Ready", "status": "True"}]});
    let folded = of(&objects, &MapOptions::default());
    let pods: Vec<_> = folded.boxes.iter().filter(|each| !each.pods.is_empty()).collect();
    assert_eq!((pods.len(), pods[0].pods.len(), pods[0].ready), (1, 1_000, 1));
    assert!(lines(&folded).contains(&"pods of Deployment web > Node machine".to_owned()));
    let expanded = BTreeSet::from([pods[0].workload.clone().expect("a workload")]);
    let expanded = of(&objects, &MapOptions { expanded, ..MapOptions::default() });
    assert_eq!(expanded.boxes.len(), folded.boxes.len() + 999);
}

#[test]
fn config_is_shown_on_request_and_never_read() {
    let has_keys = |has_config| {
        let map = of(&shop(1), &MapOptions { has_config, ..MapOptions::default() });
        map.boxes.iter().any(|each| each.link.kind == "Secret" && each.object.is_none())
    };
    assert!(has_keys(true) && !has_keys(false));
}

#[test]
fn surroundings_are_before_and_after_an_object() {
    let mut objects = shop(1_000);
    objects.push(object("apps/v1", "StatefulSet", "alone", "", &json!({})));
    let around = |kind: &str, group: &str, name: &str| {
        let around = Some(Link::new(group, kind, "shop", name));
        let map = of(&objects, &MapOptions { around, ..MapOptions::default() });
        map.boxes.iter().map(|each| each.link.name.clone()).collect::<BTreeSet<_>>()
    };
    let of_service = around("Service", "", "front");
    assert!(of_service.contains("entry") && of_service.contains("machine") && !of_service.contains("gone"));
    assert_eq!(around("StatefulSet", "apps", "alone"), BTreeSet::from(["alone".to_owned()]));
    let of_pod = around("Pod", "", "web-1-5");
    assert!(of_pod.contains("web-1-5") && of_pod.contains("entry") && !of_pod.contains("web-1-6"));
    assert_eq!(around("Pod", "", "unknown"), BTreeSet::new());
}

#[test]
fn kinds_of_the_same_name_are_two_boxes_and_circles_end() {
    let knative = object("serving.knative.dev/v1", "Service", "front", "", &json!({}));
    let circle = [
        object("apps/v1", "Deployment", "a", "b", &json!({})),
        object("apps/v1", "Deployment", "b", "a", &json!({})),
        object("apps/v1", "Deployment", "self", "self", &json!({})),
    ];
    let map = of(&[vec![knative], shop(1), circle.to_vec()].concat(), &MapOptions::default());
    assert_eq!(map.boxes.iter().filter(|each| each.link.name == "front").count(), 2);
    assert!(lines(&map).contains(&"Deployment a > Deployment b".to_owned()));
    assert!(map.lines.iter().all(|(from, to)| from != to));
}

#[test]
fn a_route_is_between_its_gateway_and_its_services() {
    let spec = json!({"parentRefs": [{"name": "edge"}], "rules": [{"backendRefs": [{"name": "front"}, {}, 3]}, "odd"]});
    let route = object("gateway.networking.k8s.io/v1", "HTTPRoute", "route", "", &spec);
    let lines = lines(&of(&[route], &MapOptions::default()));
    assert_eq!(lines, ["Gateway edge > HTTPRoute route", "HTTPRoute route > Service front"]);
}

/// Owners, without the rest: each pair of an owner that is known and an object, by names.
#[test]
fn random_owners_are_those_of_a_naive_model() {
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or_default() % below
    };
    for _ in 0..200 {
        let count = 1 + random(30);
        let name = |at: usize| format!("o{at}");
        let owners: Vec<usize> = (0..count).map(|_| random(count + 5)).collect();
        let kinds = ["StatefulSet", "DaemonSet", "Deployment"];
        let make =
            |(at, owner): (usize, &usize)| object("apps/v1", kinds[at % 3], &name(at), &name(*owner), &json!({}));
        let objects: Vec<Value> = owners.iter().enumerate().map(make).collect();
        let map = of(&objects, &MapOptions::default());
        let expected: BTreeSet<(String, String)> = owners
            .iter()
            .enumerate()
            .filter(|(at, owner)| **owner < count && **owner != *at)
            .map(|(at, owner)| (name(*owner), name(at)))
            .collect();
        let last = |id: &str| id.rsplit('/').next().unwrap_or_default().to_owned();
        let found: BTreeSet<_> = map.lines.iter().map(|(from, to)| (last(from), last(to))).collect();
        assert_eq!(found, expected);
        assert_eq!(map.boxes.len(), count);
    }
}
