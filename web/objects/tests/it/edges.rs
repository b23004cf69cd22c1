//! Edges: owners, references, selectors, and the reverse of each.

use kube_objects::{Edge, Relation, edges};
use serde_json::{Value, json};

use crate::fixtures::{named, with_answers, with_relations};

fn lines(edges: &[Edge]) -> Vec<String> {
    edges
        .iter()
        .map(|edge| format!("{:?} {} {}/{} {}", edge.relation, edge.depth, edge.to.kind, edge.to.name, edge.role))
        .collect()
}

fn of(object: &Value, cluster: &[Value]) -> Vec<String> {
    with_answers(object, cluster, 0.0, |subject| lines(&edges(subject)))
}

#[test]
fn a_deployment_owns_its_pods_through_replica_sets() {
    let lines = named("deployment/healthy").with(|subject| lines(&edges(subject)));
    for line in [
        "Owned 1 ReplicaSet/web-7d9c5b7c64 ",
        "Owned 2 Pod/web-7d9c5b7c64-p0 ",
        "Uses 1 ServiceAccount/web service account",
        "Uses 1 ConfigMap/web-config volume config",
    ] {
        assert!(lines.iter().any(|other| other == line), "no {line:?} in {lines:#?}");
    }
}

fn object(api: &str, kind: &str, name: &str, more: &Value) -> Value {
    let mut object = json!({"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "shop", "uid": format!("{kind}-{name}")}});
    for (key, value) in more.as_object().into_iter().flatten() {
        if key == "labels" || key == "ownerReferences" {
            object["metadata"][key] = value.clone();
        } else {
            object[key] = value.clone();
        }
    }
    object
}

#[test]
fn a_pod_knows_what_owns_selects_and_runs_it() {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "ReplicaSet-web", "controller": true}]);
    let pod = object(
        "v1",
        "Pod",
        "web-1",
        &json!({"labels": {"app": "web"}, "ownerReferences": owner,
        "spec": {"nodeName": "n1", "containers": [{"name": "c", "envFrom": [{"secretRef": {"name": "db"}}]}]}}),
    );
    let set = object(
        "apps/v1",
        "ReplicaSet",
        "web",
        &json!({"ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d"}]}),
    );
    let selected = json!({"spec": {"selector": {"app": "web"}}});
    let cluster = [
        set,
        object("v1", "Service", "web", &selected),
        object("v1", "Service", "other", &json!({"spec": {"selector": {"app": "other"}}})),
        object(
            "policy/v1",
            "PodDisruptionBudget",
            "web",
            &json!({"spec": {"selector": {"matchLabels": {"app": "web"}}}}),
        ),
        object("serving.knative.dev/v1", "Service", "web", &selected),
    ];
    assert_eq!(
        of(&pod, &cluster),
        [
            "Owner 1 ReplicaSet/web ",
            "Owner 2 Deployment/web ",
            "RunsOn 1 Node/n1 ",
            "Uses 1 Secret/db environment c",
            "SelectedBy 1 Service/web ",
            "SelectedBy 1 PodDisruptionBudget/web ",
        ]
    );
}

#[test]
fn a_workload_knows_what_selects_its_pods() {
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}});
    let deployment = object("apps/v1", "Deployment", "web", &json!({"spec": {"template": template}}));
    let selected = json!({"spec": {"selector": {"app": "web"}}});
    let mut elsewhere = object("v1", "Service", "elsewhere", &selected);
    elsewhere["metadata"]["namespace"] = "bank".into();
    let cluster = [
        object("v1", "Service", "web", &selected),
        object("v1", "Service", "other", &json!({"spec": {"selector": {"app": "other"}}})),
        object("networking.k8s.io/v1", "NetworkPolicy", "all", &json!({"spec": {"podSelector": {}}})),
        elsewhere,
    ];
    assert_eq!(of(&deployment, &cluster), ["SelectedBy 1 Service/web ", "SelectedBy 1 NetworkPolicy/all "]);
}

#[test]
fn services_that_extend_the_apiserver_are_found() {
    let hooks = json!([
        {"name": "a.example.com", "clientConfig": {"service": {"namespace": "shop", "name": "policy"}}},
        {"name": "b.example.com", "clientConfig": {"url": "https://127.0.0.1"}},
    ]);
    let webhooks = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "policy"}, "webhooks": hooks});
    let api = json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.example.com"}, "spec": {"service": {"namespace": "shop", "name": "policy"}}});
    assert_eq!(of(&webhooks, &[]), ["Uses 1 Service/policy webhook a.example.com"]);
    assert_eq!(of(&api, &[]), ["Uses 1 Service/policy API"]);
}

#[test]
fn edge_of_depth_two_names_the_intermediate_object() {
    let between = |relation: Relation, edges: &[Edge]| {
        let of = edges.iter().filter(|edge| edge.relation == relation);
        of.map(|edge| edge.via.as_ref().map(|via| format!("{}/{}", via.kind, via.name))).collect::<Vec<_>>()
    };
    let edges = named("deployment/healthy").with(edges);
    let owned = between(Relation::Owned, &edges);
    assert_eq!(owned.first(), Some(&None), "{edges:#?}");
    assert_eq!(owned.last(), Some(&Some("ReplicaSet/web-7d9c5b7c64".to_owned())), "{edges:#?}");
    let owned_by = |kind: &str, name: &str| json!({"ownerReferences": [{"apiVersion": "example.com/v1", "kind": kind, "name": name, "uid": format!("{kind}-{name}")}]});
    let cluster = [object("example.com/v1", "B", "b", &owned_by("C", "c"))];
    let a = object("example.com/v1", "A", "a", &owned_by("B", "b"));
    let owners = with_answers(&a, &cluster, 0.0, |subject| between(Relation::Owner, &kube_objects::edges(subject)));
    assert_eq!(owners, [None, Some("B/b".to_owned())]);
}

#[test]
fn referrers_of_a_config_map() {
    let map = object("v1", "ConfigMap", "config", &json!({}));
    let spec = json!({"containers": [], "volumes": [{"name": "v", "configMap": {"name": "config"}}]});
    let cluster = [
        object("v1", "Pod", "web-1", &json!({"spec": spec})),
        object("apps/v1", "Deployment", "web", &json!({"spec": {"template": {"spec": spec}}})),
        object("v1", "Pod", "other", &json!({"spec": {"containers": []}})),
    ];
    assert_eq!(of(&map, &cluster), ["UsedBy 1 Pod/web-1 volume v", "UsedBy 1 Deployment/web volume v"]);
}

#[test]
fn circular_owners_terminate() {
    let owned_by = |kind: &str, name: &str| json!({"ownerReferences": [{"apiVersion": "example.com/v1", "kind": kind, "name": name, "uid": format!("{kind}-{name}")}]});
    let a = object("example.com/v1", "A", "a", &owned_by("B", "b"));
    let b = object("example.com/v1", "B", "b", &owned_by("A", "a"));
    let edges = of(&a, &[a.clone(), b]);
    assert_eq!(edges[0], "Owner 1 B/b ", "{edges:#?}");
}

#[test]
fn a_service_and_its_pods() {
    let lines = named("service/healthy").with(edges);
    assert!(lines.iter().any(|edge| edge.relation == Relation::Selects && edge.to.kind == "Pod"), "{lines:#?}");
    assert!(
        lines.iter().any(|edge| edge.relation == Relation::UsedBy && edge.to.kind == "EndpointSlice"),
        "{lines:#?}"
    );
}

#[test]
fn a_claim_of_a_template_and_its_stateful_set_know_each_other() {
    let templates = json!([{"metadata": {"name": "logs"}}, {"metadata": {"name": "data"}}]);
    let spec = json!({"spec": {"selector": {"matchLabels": {"app": "db"}}, "volumeClaimTemplates": templates}});
    let set = object("apps/v1", "StatefulSet", "db", &spec);
    let claim = |name: &str| object("v1", "PersistentVolumeClaim", name, &json!({"labels": {"app": "db"}}));
    let of = |object: &Value, cluster: &[Value]| with_relations(object, cluster, &[], |subject| lines(&edges(subject)));
    let claims = ["data-db-0", "data-db-12", "data-db-x", "data-db-", "other-db-0", "db-0"].map(claim);
    assert_eq!(
        of(&set, &claims),
        [
            "Uses 1 PersistentVolumeClaim/data-db-0 claim template data",
            "Uses 1 PersistentVolumeClaim/data-db-12 claim template data"
        ]
    );
    assert_eq!(of(&claims[0], std::slice::from_ref(&set)), ["UsedBy 1 StatefulSet/db claim template data"]);
    assert_eq!(of(&claims[4], &[set]), [""; 0]);
}

#[test]
fn webhooks_and_apis_lead_to_their_service_and_attachments_to_their_volume() {
    let service = object("v1", "Service", "policy", &json!({}));
    let reference = json!({"namespace": "shop", "name": "policy"});
    let of_cluster = |api: &str, kind: &str, more: Value| {
        let mut of_cluster = object(api, kind, "a", &more);
        of_cluster["metadata"]["namespace"] = Value::Null;
        of_cluster
    };
    let cluster = [
        of_cluster(
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
            json!({"webhooks": [{"name": "w", "clientConfig": {"service": reference}}]}),
        ),
        of_cluster("apiregistration.k8s.io/v1", "APIService", json!({"spec": {"service": reference}})),
        of_cluster(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            json!({"spec": {"source": {"persistentVolumeName": "disk"}}}),
        ),
        object(
            "gateway.networking.k8s.io/v1",
            "HTTPRoute",
            "a",
            &json!({"spec": {"rules": [{"backendRefs": [{"name": "policy", "port": 80}]}]}}),
        ),
    ];
    let of = |object: &Value| with_relations(object, &cluster, &[], |subject| lines(&edges(subject)));
    assert_eq!(
        of(&service),
        [
            "UsedBy 1 ValidatingWebhookConfiguration/a webhook w",
            "UsedBy 1 APIService/a API",
            "UsedBy 1 HTTPRoute/a backend"
        ]
    );
    let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk", "uid": "u"}});
    assert_eq!(of(&volume), ["UsedBy 1 VolumeAttachment/a volume"]);
}
