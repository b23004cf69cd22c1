//! Needs: the objects for which a page opens informers, and their requests.

use kube_objects::{By, Need, Subject, needs};
use serde_json::json;

use crate::fixtures::named;

/// A need as a line: kind, namespace, and how the engine or the server selects it.
fn line(need: &Need) -> String {
    let by = match (&need.by, need.index()) {
        (_, Some((index, value))) => format!("{index} {value}"),
        (By::Labels(_), None) => need.label_selector(),
        _ => need.field_selector(),
    };
    format!("{} {} {by}", need.kind, need.namespace).trim_end().to_owned()
}

#[test]
fn a_pod_needs_its_node_events_and_what_selects_it() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop", "uid": "u",
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r"}]},
        "spec": {"nodeName": "n1", "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}});
    let lines: Vec<String> = needs(&Subject::new(&pod, 0.0)).iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "Event shop relation:involvedObject u",
            "ReplicaSet shop metadata.name=web",
            "Node  metadata.name=n1",
            "PersistentVolumeClaim shop metadata.name=data",
            "Service shop",
            "PodDisruptionBudget shop",
            "NetworkPolicy shop",
        ]
    );
}

#[test]
fn a_node_needs_the_events_of_its_kubelet() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "u"}});
    let lines: Vec<String> = needs(&Subject::new(&node, 0.0)).iter().map(line).collect();
    let events = ["Event default relation:involvedObject u", "Event default relation:involvedObject n1"];
    assert_eq!(lines[..2], events, "{lines:#?}");
}

#[test]
fn answers_lead_to_further_needs() {
    let fixture = named("workload/PodsUnavailable");
    let first: Vec<String> = needs(&Subject::new(&fixture.json["object"], 0.0)).iter().map(line).collect();
    let all: Vec<String> = fixture.with(|subject| needs(subject).iter().map(line).collect());
    assert!(first.iter().all(|need| all.contains(need)), "no need disappears: {first:#?} {all:#?}");
    assert!(first.contains(&"Pod shop app=web".to_owned()), "{first:#?}");
    // Events and the node of the one pod that is not ready.
    assert_eq!(all.len(), first.len() + 2, "{all:#?}");
}

#[test]
fn referrers_of_a_claim_come_from_the_engines_index() {
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"},
        "spec": {"storageClassName": "fast"}});
    let lines: Vec<String> = needs(&Subject::new(&claim, 0.0)).iter().map(line).collect();
    assert_eq!(
        lines,
        ["StorageClass  metadata.name=fast", "Pod shop relation:references PersistentVolumeClaim/shop/data"]
    );
}

#[test]
fn an_object_without_names_needs_nothing() {
    for kind in ["Pod", "Node", "Service", "Secret", "PersistentVolumeClaim", "Backup"] {
        let object = json!({"apiVersion": "v1", "kind": kind});
        let needs = needs(&Subject::new(&object, 0.0));
        let named = needs.iter().filter(|need| !matches!(need.by, By::All | By::Node(_)));
        assert_eq!(named.count(), 0, "{kind}: {needs:?}");
    }
}
