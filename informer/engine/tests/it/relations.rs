//! Relations, compared with a search of the whole tree.

use std::collections::BTreeSet;

use informer::{KubeObject, Object};
use informer_engine::relations;
use proptest::prelude::*;
use serde_json::{Value, json};

fn object(value: &Value) -> Object {
    Object::from_json(&value.to_string(), None).expect("an object")
}

fn related(relation: &str, value: &Value) -> Vec<String> {
    let index = relations::index_func(relation).expect("a relation");
    index(&object(value)).expect("values")
}

#[test]
fn rel_01_every_listed_name_is_a_relation() {
    for name in relations::RELATIONS {
        assert!(relations::index_func(name).is_some(), "{name}");
    }
    assert!(relations::index_func("relation:owner").is_none(), "the prefix is no part of the name");
}

#[test]
fn rel_02_owners_and_the_controller() {
    let owners = json!([{"uid": "a"}, {"uid": "b", "controller": true}, {"uid": "a"}, {"controller": true}]);
    let pod = json!({"kind": "Pod", "metadata": {"name": "p", "namespace": "n", "ownerReferences": owners}});
    assert_eq!(related("owner", &pod), ["a", "b"]);
    assert_eq!(related("controller", &pod), ["b"]);
    let orphan = json!({"metadata": {"name": "p"}});
    assert_eq!(related("owner", &orphan), [""; 0]);
}

#[test]
fn rel_03_events_of_either_api_are_found_by_uid_and_by_name() {
    let about = json!({"kind": "Pod", "namespace": "n", "name": "p", "uid": "u"});
    for field in ["involvedObject", "regarding"] {
        let event = json!({"metadata": {"name": "e", "namespace": "elsewhere"}, field: about});
        assert_eq!(related("involvedObject", &event), ["u", "Pod/n/p"], "{field}");
    }
    let node =
        json!({"metadata": {"name": "e", "namespace": "default"}, "involvedObject": {"kind": "Node", "name": "n1"}});
    assert_eq!(related("involvedObject", &node), ["Node/n1"]);
}

#[test]
fn rel_04_labels_belong_to_their_namespace() {
    let labels = json!({"app": "web", "empty": ""});
    let pod = json!({"metadata": {"name": "p", "namespace": "n", "labels": labels}});
    assert_eq!(related("label", &pod), ["n/app=web", "n/empty="]);
    assert_eq!(related("label", &json!({"metadata": {"name": "node", "labels": {"a": "b"}}})), ["a=b"]);
}

#[test]
fn rel_05_references_of_each_kind() {
    let template = json!({"spec": {"containers": [{"envFrom": [{"secretRef": {"name": "s"}}]}]}});
    let backend = |name: &str| json!({"service": {"name": name, "port": {"number": 80}}});
    let cases = [
        ("Deployment", json!({"spec": {"template": template}}), vec!["Secret/n/s"]),
        (
            "StatefulSet",
            json!({"spec": {"template": template, "serviceName": "web"}}),
            vec!["Service/n/web", "Secret/n/s"],
        ),
        ("CronJob", json!({"spec": {"jobTemplate": {"spec": {"template": template}}}}), vec!["Secret/n/s"]),
        ("PodTemplate", json!({"template": template}), vec!["Secret/n/s"]),
        (
            "Ingress",
            json!({"spec": {"ingressClassName": "c", "defaultBackend": backend("d"), "tls": [{"secretName": "tls"}],
                "rules": [{"http": {"paths": [{"backend": backend("a")}, {"backend": backend("b")}]}}, {"host": "h"}, {"http": {"paths": [{"backend": backend("a")}]}}]}}),
            vec!["IngressClass/c", "Service/n/d", "Service/n/a", "Service/n/b", "Secret/n/tls"],
        ),
        (
            "EndpointSlice",
            json!({"metadata": {"labels": {"kubernetes.io/service-name": "web"}}, "endpoints": [{"nodeName": "n1", "targetRef": {"kind": "Pod", "name": "p", "namespace": "n"}}, {}]}),
            vec!["Service/n/web", "Pod/n/p", "Node/n1"],
        ),
        (
            "Endpoints",
            json!({"subsets": [{"notReadyAddresses": [{"targetRef": {"kind": "Pod", "name": "p"}}]}]}),
            vec!["Pod/n/p"],
        ),
        (
            "PersistentVolumeClaim",
            json!({"spec": {"volumeName": "pv", "storageClassName": "fast"}}),
            vec!["PersistentVolume/pv", "StorageClass/fast"],
        ),
        (
            "PersistentVolume",
            json!({"spec": {"claimRef": {"namespace": "m", "name": "pvc"}, "storageClassName": ""}}),
            vec!["PersistentVolumeClaim/m/pvc"],
        ),
        (
            "HorizontalPodAutoscaler",
            json!({"spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}}),
            vec!["Deployment/n/web"],
        ),
        (
            "RoleBinding",
            json!({"roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [{"kind": "User", "name": "u"}, {"kind": "ServiceAccount", "name": "s", "namespace": "m"}]}),
            vec!["ClusterRole/view", "ServiceAccount/m/s"],
        ),
        ("RoleBinding", json!({"roleRef": {"kind": "Role", "name": "edit"}}), vec!["Role/n/edit"]),
        (
            "ServiceAccount",
            json!({"secrets": [{"name": "a"}], "imagePullSecrets": [{"name": "b"}]}),
            vec!["Secret/n/a", "Secret/n/b"],
        ),
        (
            "Deployment",
            json!({"spec": {"template": {"spec": {"containers": [], "priorityClassName": "high", "runtimeClassName": "gvisor"}}}}),
            vec!["PriorityClass/high", "RuntimeClass/gvisor"],
        ),
        (
            "HTTPRoute",
            json!({"spec": {"parentRefs": [{"name": "front", "namespace": "m"}, {"group": "", "kind": "Service", "name": "mesh"}],
                "rules": [{"backendRefs": [{"name": "a"}, {"name": "b", "namespace": "m"}], "filters": [{"requestMirror": {"backendRef": {"name": "c"}}}, {}]}]}}),
            vec!["Gateway/m/front", "Service/n/mesh", "Service/n/a", "Service/m/b", "Service/n/c"],
        ),
        (
            "Gateway",
            json!({"spec": {"gatewayClassName": "c", "listeners": [{"tls": {"certificateRefs": [{"name": "tls"}]}}, {}]}}),
            vec!["GatewayClass/c", "Secret/n/tls"],
        ),
        (
            "PersistentVolumeClaim",
            json!({"spec": {"dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"},
                "dataSourceRef": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}}}),
            vec!["VolumeSnapshot/n/s"],
        ),
        (
            "HorizontalPodAutoscaler",
            json!({"spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"},
                "metrics": [{"type": "Object", "object": {"describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "front"}}}, {"type": "Resource"}]}}),
            vec!["Deployment/n/web", "Ingress/n/front"],
        ),
        (
            "IngressClass",
            json!({"spec": {"controller": "c", "parameters": {"kind": "IngressParameters", "name": "p"}}}),
            vec!["IngressParameters/p"],
        ),
        (
            "VolumeAttachment",
            json!({"spec": {"attacher": "d", "nodeName": "n1", "source": {"persistentVolumeName": "pv"}}}),
            vec!["CSIDriver/d", "Node/n1", "PersistentVolume/pv"],
        ),
        ("ConfigMap", json!({"data": {"spec": "x"}}), vec![]),
    ];
    for (kind, mut body, expected) in cases {
        body["kind"] = json!(kind);
        body["metadata"]["name"] = json!("o");
        body["metadata"]["namespace"] = json!("n");
        assert_eq!(related("references", &body), expected, "{kind}");
    }
}

fn name() -> impl Strategy<Value = Value> {
    "[ab]|".prop_map(Value::from)
}

fn source(kinds: std::ops::Range<u8>) -> impl Strategy<Value = Value> {
    (name(), kinds).prop_map(|(name, kind)| match kind {
        0 => json!({"configMapRef": {"name": name}}),
        1 => json!({"secretRef": {"name": name}}),
        2 => json!({"configMapKeyRef": {"name": name, "key": "k"}}),
        _ => json!({"secretKeyRef": {"name": name, "key": "k"}}),
    })
}

fn container() -> impl Strategy<Value = Value> {
    let list = |kinds| prop::collection::vec(source(kinds), 0..3);
    (list(0..2), list(2..4)).prop_map(|(env_from, env)| {
        let env: Vec<Value> = env.into_iter().map(|source| json!({"name": "V", "valueFrom": source})).collect();
        json!({"name": "c", "envFrom": env_from, "env": env})
    })
}

fn volume() -> impl Strategy<Value = Value> {
    (name(), 0..8).prop_map(|(name, kind)| match kind {
        0 => json!({"name": "v", "configMap": {"name": name}}),
        1 => json!({"name": "v", "secret": {"secretName": name}}),
        2 => json!({"name": "v", "persistentVolumeClaim": {"claimName": name}}),
        3 => json!({"name": "v", "projected": {"sources": [{"configMap": {"name": name}}, {"serviceAccountToken": {}}, {"secret": {"name": "p"}}]}}),
        4 => json!({"name": "v", "csi": {"driver": "d", "nodePublishSecretRef": {"name": name}}}),
        5 => json!({"name": "v", "cephfs": {"monitors": [], "secretRef": {"name": name}}}),
        6 => json!({"name": "v", "azureFile": {"secretName": name, "shareName": "s"}}),
        _ => json!({"name": "v", "emptyDir": {}}),
    })
}

/// All values in a tree that look like the name of one of these.
fn search(tree: &Value, found: &mut BTreeSet<String>) {
    let mut add = |kind: &str, name: &Value| {
        if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
            found.insert(format!("{kind}/n/{name}"));
        }
    };
    for (key, value) in tree.as_object().into_iter().flatten() {
        match key.as_str() {
            "configMap" | "configMapRef" | "configMapKeyRef" => add("ConfigMap", &value["name"]),
            "secretRef" | "secretKeyRef" | "nodePublishSecretRef" => add("Secret", &value["name"]),
            "secret" => add("Secret", if value["name"].is_null() { &value["secretName"] } else { &value["name"] }),
            "azureFile" => add("Secret", &value["secretName"]),
            "persistentVolumeClaim" => add("PersistentVolumeClaim", &value["claimName"]),
            "serviceAccountName" => add("ServiceAccount", value),
            "imagePullSecrets" => {
                value.as_array().into_iter().flatten().for_each(|secret| add("Secret", &secret["name"]));
            }
            _ => {}
        }
    }
    let inside = tree.as_object().into_iter().flatten().map(|(_, value)| value);
    inside.chain(tree.as_array().into_iter().flatten()).for_each(|value| search(value, found));
}

proptest! {
    #[test]
    fn rel_06_references_of_pods_equal_those_of_a_full_search(
        containers in prop::collection::vec(container(), 0..3), init in prop::collection::vec(container(), 0..2),
        ephemeral in prop::collection::vec(container(), 0..2), volumes in prop::collection::vec(volume(), 0..4),
        account in name(), pull in name(),
    ) {
        let spec = json!({"containers": containers, "initContainers": init, "ephemeralContainers": ephemeral,
            "volumes": volumes, "serviceAccountName": account, "imagePullSecrets": [{"name": pull}]});
        let mut expected = BTreeSet::new();
        search(&spec, &mut expected);
        let pod = json!({"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": spec});
        let found = related("references", &pod);
        prop_assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected);
        prop_assert_eq!(found.len(), found.iter().collect::<BTreeSet<_>>().len(), "each once");
    }
}

#[test]
fn rel_07_ephemeral_claim_is_named_after_pod_and_volume() {
    let pod = json!({"kind": "Pod", "metadata": {"name": "web", "namespace": "n"}, "spec": {"volumes": [{"name": "data", "ephemeral": {"volumeClaimTemplate": {}}}]}});
    assert_eq!(related("references", &pod), ["PersistentVolumeClaim/n/web-data"]);
}

#[test]
fn rel_11_each_reference_is_listed_once() {
    // Comparing all pairs of two hundred thousand objects would take minutes.
    let subjects: Vec<Value> =
        (0..200_000).map(|n| json!({"kind": "ServiceAccount", "name": format!("s{}", n % 150_000)})).collect();
    let binding = json!({"kind": "RoleBinding", "metadata": {"name": "b", "namespace": "n"}, "subjects": subjects});
    let named = related("references", &binding);
    assert_eq!(
        (named.len(), &*named[0], &*named[149_999]),
        (150_000, "ServiceAccount/n/s0", "ServiceAccount/n/s149999")
    );
}
